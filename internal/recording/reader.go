package recording

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/admsim/admsim/internal/bug"
)

// Options says how sources are read. The zero value reads everything and stops at the first error.
type Options struct {
	Filter Filter
	Store  Store // nil: one that holds up to 32 MiB in memory

	// After is the last record of an interrupted run that is resumed: the records up to it are returned as AlreadyRun.
	After *Position
	// Broken is called for each piece that cannot be read; if it returns an error, reading ends. nil: the first piece
	// ends it.
	Broken func(*BrokenError) error
	// Unmatched is called, after the last record, for each name in the filter that matched no record; may be nil.
	Unmatched func(Unmatched)
	// Overlap is called for the first source that begins before the end of an earlier one, as the logs of several API
	// servers do; may be nil.
	Overlap func(earlier, source string)
	// Largest is how many bytes a line, or an element of a list, may have; 0: 64 MiB.
	Largest int
	// Ahead is how many goroutines read ahead; 0: none, everything happens within Next.
	Ahead int
}

// A Reader reads records. It may be used by one goroutine at a time.
type Reader struct {
	options Options
	sources []Source
	store   Store
	names   []*names // in the filter
	batches func() (*batch, error)
	now     *batch
	next    int
	chosen  int
	ended   error
	latest  latest

	read  atomic.Int64
	close func() // stops the goroutines that read ahead
}

// NewReader returns a Reader that reads sources one after the other. The caller must close it.
func NewReader(sources []Source, o Options) (*Reader, error) {
	if err := o.Filter.Validate(); err != nil {
		return nil, err
	}
	r := &Reader{options: o, sources: sources, store: o.Store, close: func() {}}
	if o.Unmatched != nil {
		r.names = o.Filter.names()
	}
	if r.store == nil {
		r.store = newMemory(0)
	}
	cutter := &cutter{reader: r}
	if o.Ahead > 0 {
		s := readAhead(context.Background(), cutter, min(o.Ahead, runtime.GOMAXPROCS(0)))
		r.close = s.Stop
		r.batches = func() (*batch, error) {
			b, ok := s.Next()
			if !ok {
				return nil, io.EOF
			}
			return b, nil
		}
		return r, nil
	}
	parser := &parser{}
	r.batches = func() (*batch, error) {
		b := cutter.batch(1)
		b.parse(parser)
		return b, nil
	}
	return r, nil
}

// Close ends reading. It does not wait for goroutines that read ahead.
func (r *Reader) Close() {
	r.close()
	if r.ended == nil {
		r.ended = os.ErrClosed
	}
}

// Progress returns how many bytes of the sources, as stored, were read, and their total size, which is 0 if unknown. It
// may be called at any time.
func (r *Reader) Progress() (read, size int64) {
	for _, s := range r.sources {
		if s.Size == 0 {
			return r.read.Load(), 0
		}
		size += s.Size
	}
	return r.read.Load(), size
}

// Next returns the next record, whether it should be run or not, and io.EOF after the last one. It returns a record of
// another shard only if it has effects outside namespaces. The records do not depend on Ahead.
func (r *Reader) Next() (*Record, error) {
	for {
		if rec, err := r.Step(); rec != nil || err != nil {
			return rec, err
		}
	}
}

// Step is like Next, but returns a nil record after each document that was broken or not chosen, for callers that do
// something in between.
func (r *Reader) Step() (*Record, error) {
	if r.ended != nil {
		return nil, r.ended
	}
	got, err := r.one()
	if err != nil {
		r.ended = err
		r.Close()
		return nil, r.ended
	}
	if got == nil {
		return nil, nil
	}
	chosen, err := r.guarded(got)
	if err != nil {
		if err = r.reportBroken(&BrokenError{Position: got.Position, Lines: 1, Err: err, Code: Invalid}); err != nil {
			r.ended = err
			r.Close()
		}
	}
	if chosen {
		return got, nil
	}
	return nil, nil
}

// guarded calls choose and returns a panic as its error.
func (r *Reader) guarded(rec *Record) (chosen bool, err error) {
	defer bug.Catch(&err)
	return r.choose(rec), nil
}

// one returns the next record before anything is chosen, or nil if a document has none.
func (r *Reader) one() (*Record, error) {
	for r.now == nil || r.next == len(r.now.documents) {
		if r.now != nil && r.now.last {
			r.reportUnmatched()
			return nil, io.EOF
		}
		b, err := r.batches()
		if err != nil {
			return nil, err
		}
		r.now, r.next = b, 0
	}
	p := r.now.documents[r.next]
	r.now.documents[r.next] = parsed{} // release it before the batch is done
	r.next++
	if p.err == nil {
		return p.record, nil
	}
	broken := (*BrokenError)(nil)
	if !errors.As(p.err, &broken) {
		return nil, p.err
	}
	return nil, r.reportBroken(broken)
}

// reportBroken reports a piece that cannot be read. If it returns an error, reading ends.
func (r *Reader) reportBroken(broken *BrokenError) error {
	if r.options.Broken == nil {
		return broken
	}
	if s := r.options.Filter.Shard; !s.whole() {
		broken.Elsewhere = broken.Line%s.Of != s.Index
	}
	if after := r.options.After; after != nil && !broken.after(*after) {
		return nil // was reported before
	}
	return r.options.Broken(broken)
}

func (r *Reader) reportUnmatched() {
	for _, n := range r.names {
		for _, u := range n.unmatched() {
			r.options.Unmatched(u)
		}
	}
}

// choose adds what is known from earlier records, and sets Skip if the record should not be run. It reports whether the
// record should be returned at all.
func (r *Reader) choose(rec *Record) bool {
	f := &r.options.Filter
	r.latest.note(rec, &r.options)
	fold(r.store, rec)
	if rec.Runs() {
		for _, n := range r.names {
			n.note(rec)
		}
		rec.Skip = f.refuses(rec)
	}
	if rec.Runs() {
		if r.chosen++; f.Limit > 0 && r.chosen == f.Limit {
			r.ended = io.EOF
			r.Close()
		}
	}
	if !f.Shard.owns(rec.shardKey()) {
		rec.Skip = Reason{Code: OtherShard}
		return rec.reaches()
	}
	if after := r.options.After; after != nil && !rec.after(*after) {
		rec.Skip = Reason{Code: AlreadyRun}
	}
	return true
}

// latest is the time of the last answer in the sources so far.
type latest struct {
	time   time.Time
	file   string
	source int // being read
}

// note looks at events of answers: these are written when the answer is given, not when the request arrives.
func (l *latest) note(rec *Record, o *Options) {
	if rec.Form != Audit || rec.Time.IsZero() || rec.Skip.Code == NotFinal {
		return
	}
	answered := rec.Time.Add(rec.Latency)
	if rec.Source != l.source && answered.Add(time.Second).Before(l.time) && o.Overlap != nil {
		o.Overlap(l.file, rec.File)
		o.Overlap = nil
	}
	if l.source = rec.Source; answered.After(l.time) {
		l.time, l.file = answered, rec.File
	}
}

// reaches reports whether the record has effects that every shard must know.
func (r *Record) reaches() bool {
	for _, e := range r.Effects {
		if e.Key.Namespace == "" {
			return true
		}
	}
	return false
}
