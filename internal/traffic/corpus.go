// Package traffic runs many requests from any source: a [Corpus] was written by hand, recorded, or taken from suites,
// and [Run] has one or several worlds answer it, many requests at once, with the results in order. [Answers] does that
// for one world.
//
// The package does not interpret the answers; callers such as package whatif do that.
package traffic

import (
	"errors"
	"io"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Request is one request of a corpus: Written, Recorded, Prepared, or a Step.
type Request struct {
	Written  *scenario.Request
	Recorded *recording.Record
	Prepared *Prepared
	Step     *Step
}

// A Step is one request of a case of a suite.
type Step struct {
	Key    *world.CaseKey
	Begins bool // the first step of a case, which starts with the cluster as it was loaded
	Source scenario.Source

	// Ask prepares the request, for the cluster as the steps before left it.
	Ask func(*world.World, *simulator.Simulator) (world.Asked, error)

	// Next returns the request that a client sends in response to an answer, or nil. The function is nil if clients
	// never send one.
	Next func(world.Asked, *simulator.Result) (*world.Asked, error)
}

// A Prepared is a request whose objects are ready for admission.
type Prepared struct {
	Label   string
	Request admission.Request
}

// Source returns where the request was read.
func (r Request) Source() scenario.Source {
	switch {
	case r.Recorded != nil:
		return scenario.Source{File: r.Recorded.File, Line: r.Recorded.Line}
	case r.Written != nil:
		return r.Written.Source
	case r.Step != nil:
		return r.Step.Source
	}
	return scenario.Source{}
}

// A Corpus is a sequence of requests. A written request finds the cluster as the requests before it left it. So do the
// steps of a case, but each case starts anew. A recorded request finds the cluster as it was loaded, with the object of
// the request as it was then, and with what the recording shows of namespaces, definitions and other objects that
// admission looks up.
type Corpus interface {
	// Next returns the next request, and io.EOF after the last one.
	Next() (Request, error)
}

// Written returns a corpus of requests that were written by hand.
func Written(requests []scenario.Request) Corpus { return &written{requests} }

type written struct{ rest []scenario.Request }

func (w *written) Next() (Request, error) {
	if len(w.rest) == 0 {
		return Request{}, io.EOF
	}
	next := &w.rest[0]
	w.rest = w.rest[1:]
	return Request{Written: next}, nil
}

// Recorded returns a corpus of recorded requests. Records that cannot be run are left out; skipped is called for each
// of them, unless it is nil.
func Recorded(r *recording.Reader, skipped func(*recording.Record)) Corpus {
	return &recorded{r, skipped}
}

type recorded struct {
	reader  *recording.Reader
	skipped func(*recording.Record)
}

func (r *recorded) Next() (Request, error) {
	for {
		record, err := r.reader.Next()
		if err != nil {
			return Request{}, err
		}
		if record.Runs() {
			return Request{Recorded: record}, nil
		}
		if r.skipped != nil {
			r.skipped(record)
		}
	}
}

// Steps returns a corpus of the requests of cases.
func Steps(steps []Step) Corpus { return &stepped{steps} }

type stepped struct{ rest []Step }

func (s *stepped) Next() (Request, error) {
	if len(s.rest) == 0 {
		return Request{}, io.EOF
	}
	next := &s.rest[0]
	s.rest = s.rest[1:]
	return Request{Step: next}, nil
}

// Ready returns a corpus of requests whose objects are ready for admission.
func Ready(requests []Prepared) Corpus { return &ready{requests} }

type ready struct{ rest []Prepared }

func (r *ready) Next() (Request, error) {
	if len(r.rest) == 0 {
		return Request{}, io.EOF
	}
	next := &r.rest[0]
	r.rest = r.rest[1:]
	return Request{Prepared: next}, nil
}

// Count returns how many requests a corpus still has. known is false if only reading them would show that.
func Count(c Corpus) (n int, known bool) {
	switch c := c.(type) {
	case *written:
		return len(c.rest), true
	case *stepped:
		return len(c.rest), true
	case *ready:
		return len(c.rest), true
	case *both:
		for _, one := range c.rest {
			more, known := Count(one)
			if !known {
				return 0, false
			}
			n += more
		}
		return n, true
	}
	return 0, false
}

// Both returns a corpus with the requests of all, one after the other.
func Both(all ...Corpus) Corpus { return &both{all} }

type both struct{ rest []Corpus }

func (b *both) Next() (Request, error) {
	for len(b.rest) > 0 {
		r, err := b.rest[0].Next()
		if !errors.Is(err, io.EOF) {
			return r, err
		}
		b.rest = b.rest[1:]
	}
	return Request{}, io.EOF
}
