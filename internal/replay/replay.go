// Package replay runs recorded requests again, and compares admsim's answers with those of the cluster.
//
// Start with [Run], which returns a [lines.Line] for every event and review of a recording, in order: its outcome, and
// where the two answers differ.
//
// The cluster that a request finds is also taken from the recording, not from what admsim made of the requests before
// it. One disagreement therefore does not cause others, and requests can run concurrently. A line depends only on the
// recording and the world, not on the number of workers or the shard.
//
// The packages below it, in the order of the data: states has the cluster that a request finds, answers has the answers
// of its webhooks, compare finds the differences between the two answers, and lines holds the results.
package replay

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/ordered"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/internal/replay/states"
	"github.com/admsim/admsim/pkg/simulator"
)

// Options says how a recording is run.
type Options struct {
	// Simulator describes the cluster as it was when the recording began. The backend of webhooks may be
	// [answers.Recorded]; the clock and the source of uids are replaced.
	Simulator simulator.Options

	Filter recording.Filter
	// Stateless makes every request find the cluster as it was when the recording began, with only its own object as it
	// was before the request.
	Stateless bool
	// Webhook names the webhook that reviews were sent to, with the configuration or without it. Empty: the recording
	// decides.
	Webhook string
	Workers int // how many requests run concurrently; 0: one
	// FailBroken ends the run at the first piece of the recording that cannot be read.
	FailBroken bool
	// After is the last line of a run that is resumed.
	After *recording.Position

	// Make derives a value from a line, which is passed on with it, while other requests run. The account is nil if
	// nothing ran. Make may be nil.
	Make func(*lines.Line, *lines.Account) (any, error)

	Redactor *redact.Redactor // nil: differences show all secrets

	// Unmatched is called at the end with the names in Filter that match no request; may be nil.
	Unmatched func(recording.Unmatched)
	// Overlap is called for sources that overlap in time: see [recording.Options].
	Overlap func(earlier, source string)

	// Progress is called with the number of bytes read and the total, which is 0 if unknown.
	Progress func(read, size int64)
}

// Run runs the requests of sources and calls emit for each record, in order, with its line and the result of Make. An
// error of emit ends the run.
func Run(ctx context.Context, sources []recording.Source, o Options, emit func(l *lines.Line, made any) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p, err := newProducer(sources, o)
	if err != nil {
		return err
	}
	defer p.reader.Close()
	report := func(job *job) error {
		if err := errors.Join(ctx.Err(), job.err); err != nil {
			return err
		}
		if o.Progress != nil {
			o.Progress(p.reader.Progress())
		}
		return emit(job.line, job.made)
	}
	workers := make([]func(context.Context, []*job), max(o.Workers, 1))
	for i := range workers {
		w, err := newWorker(o)
		if err != nil {
			return err
		}
		workers[i] = func(ctx context.Context, jobs []*job) {
			for _, j := range jobs {
				w.run(ctx, j)
			}
		}
	}
	size := batchSize
	if len(workers) == 1 {
		size = 1 // so that nobody waits for a batch to fill
	}
	return ordered.Run(ctx, batchCount*len(workers), workers, func(_ context.Context, put func([]*job) bool) error {
		return p.batches(size, put)
	}, func(jobs []*job) error {
		for _, j := range jobs {
			if err := report(j); err != nil {
				return err
			}
		}
		return nil
	})
}

// Jobs are passed on in batches, which are large enough to make this cheap.
const (
	batchSize  = 32
	batchCount = 4 // per worker
)

// A job is one record on its way. before is the cluster that it finds.
type job struct {
	record *recording.Record // nil: there is nothing to run
	line   *lines.Line
	before states.Snapshot

	made any   // from the line
	err  error // of making it
}

// A producer turns records into jobs, and tracks the state of the cluster.
type producer struct {
	reader *recording.Reader
	states *states.Tracker
	shard  recording.Shard
	broken []*lines.Line // found while looking for the next record
}

func newProducer(sources []recording.Source, o Options) (*producer, error) {
	p := &producer{shard: o.Filter.Shard}
	var err error
	if p.states, err = states.New(o.Simulator, o.Stateless); err != nil {
		return nil, err
	}
	ahead := 0
	if o.Workers > 1 {
		ahead = o.Workers
	}
	p.reader, err = recording.NewReader(sources, recording.Options{
		Filter: o.Filter,
		Store:  p.states.Store(),
		After:  o.After,
		Ahead:  ahead,

		Unmatched: o.Unmatched,
		Overlap:   o.Overlap,
		Broken: func(e *recording.BrokenError) error {
			if o.FailBroken {
				return e
			}
			if !e.Elsewhere {
				p.broken = append(p.broken, lines.Unread(e))
			}
			return nil
		},
	})
	return p, err
}

// batches puts all jobs, in batches of about the given size.
func (p *producer) batches(size int, put func([]*job) bool) error {
	for {
		jobs, err := p.next(size)
		if !put(jobs) || errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// next returns about count jobs, and the error after them, which may be io.EOF.
func (p *producer) next(count int) (jobs []*job, err error) {
	for len(jobs) < count {
		var r *recording.Record
		if r, err = p.reader.Step(); r != nil {
			jobs = p.add(jobs, r)
			continue
		}
		jobs = p.addBroken(jobs) // at once, however many more follow
		if err != nil {
			break
		}
	}
	return jobs, err
}

func (p *producer) addBroken(jobs []*job) []*job {
	for _, line := range p.broken {
		jobs = append(jobs, &job{line: line})
	}
	p.broken = p.broken[:0]
	return jobs
}

func (p *producer) add(jobs []*job, r *recording.Record) []*job {
	jobs = p.addBroken(jobs)
	switch r.Skip.Code {
	case recording.OtherShard, recording.AlreadyRun:
		p.states.Apply(r)
		return jobs // reported by another shard, or before
	}
	j := &job{line: lines.Of(r)}
	if err := p.follow(r, j); err != nil {
		j.line.CannotTell(recording.BugInAdmsim, err.Error())
		j.record = nil
	}
	return append(jobs, j)
}

// follow applies a record to the state, and sets the cluster that the job finds. Its error is a panic.
func (p *producer) follow(r *recording.Record, j *job) (err error) {
	defer bug.Catch(&err)
	if r.Runs() {
		j.record, j.before = r, p.states.Before(r)
	}
	p.states.Apply(r)
	return nil
}

// clock is the time of requests that were recorded without one.
var clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
