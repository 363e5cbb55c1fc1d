// Package replay runs requests that were recorded in a cluster again, and compares
// what admsim answers with what the cluster did.
//
// Start with [Run], which gives a [lines.Line] for every event and review of a recording, in
// their order: what came of it, and where the two answers differ.
//
// What a request finds is taken from the recording as well, and not from what admsim made
// of the requests before: one disagreement has no others behind it, and requests can be
// run side by side. A line depends on nothing but the recording and the world, neither on
// the number of workers nor on the shard.
//
// The packages below, in the order of the data: states has the cluster that a request finds, answers what its webhooks
// answered, compare the differences of the two answers, and lines what came of all that.
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

// Options say how a recording is run.
type Options struct {
	// Simulator is the cluster, as it was when the recording began. Who answers for webhooks
	// may be [answers.Recorded]; its clock and its source of uids are replaced.
	Simulator simulator.Options

	Filter recording.Filter
	// Stateless has every request find the cluster as it was when the recording began, with
	// nothing but its own object as it was before.
	Stateless bool
	// Webhook names the webhook that reviews were sent to, with the configuration or without it. Empty: what the recording
	// says of it.
	Webhook string
	Workers int // how many requests run side by side; 0: one
	// FailBroken ends the run at the first piece of the recording that cannot be read.
	FailBroken bool
	// After is the last line of a run that is resumed.
	After *recording.Position

	// Make makes of a line what is given on beside it, while other requests run. The account
	// is nil if nothing ran. Nil: nothing is made.
	Make func(*lines.Line, *lines.Account) (any, error)

	Redactor *redact.Redactor // nil: differences are shown with all secrets

	// Unmatched is called at the end with the names of Filter that match no request; may be nil.
	Unmatched func(recording.Unmatched)
	// Overlap is called for sources that overlap in time: see [recording.Options].
	Overlap func(earlier, source string)

	// Progress is called with how many bytes were read of how many, 0 if that is not known.
	Progress func(read, size int64)
}

// Run runs the requests of sources and gives emit a line for each record, in order, and
// what was made of it. An error of emit ends the run.
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
	crew := make([]func(context.Context, []*job), max(o.Workers, 1))
	for i := range crew {
		w, err := newWorker(o)
		if err != nil {
			return err
		}
		crew[i] = func(ctx context.Context, jobs []*job) {
			for _, j := range jobs {
				w.run(ctx, j)
			}
		}
	}
	size := batchSize
	if len(crew) == 1 {
		size = 1 // nobody waits for a batch to be full
	}
	return ordered.Run(ctx, batchCount*len(crew), crew, func(_ context.Context, put func([]*job) bool) error {
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

// Jobs are handed over in batches, large enough that this costs little.
const (
	batchSize  = 32
	batchCount = 4 // for each worker
)

// A job is one record on its way. The state is what it finds.
type job struct {
	record *recording.Record // nil: there is nothing to run
	line   *lines.Line
	before states.Snapshot

	made any   // of the line
	err  error // of making it
}

// A producer makes jobs of records, and follows what the cluster holds.
type producer struct {
	reader *recording.Reader
	states *states.Tracker
	shard  recording.Shard
	broken []*lines.Line // that were met while the next record was looked for
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

// batches puts all jobs, about so many at a time.
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

// next returns about so many jobs. The error, which may be io.EOF, is behind them.
func (p *producer) next(count int) (jobs []*job, err error) {
	for len(jobs) < count {
		var r *recording.Record
		if r, err = p.reader.Step(); r != nil {
			jobs = p.add(jobs, r)
			continue
		}
		jobs = p.addBroken(jobs) // now, however many more come behind it
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
		return jobs // reported by others, or before
	}
	j := &job{line: lines.Of(r)}
	if err := p.follow(r, j); err != nil {
		j.line.CannotTell(lines.BugInAdmsim, err.Error())
		j.record = nil
	}
	return append(jobs, j)
}

// follow takes a record into the state, and gives the job what it finds. Its error is a bug.
func (p *producer) follow(r *recording.Record, j *job) (err error) {
	defer bug.Catch(&err)
	if r.Runs() {
		j.record, j.before = r, p.states.Before(r)
	}
	p.states.Apply(r)
	return nil
}

// clock is when everything happens for which no time is recorded.
var clock = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
