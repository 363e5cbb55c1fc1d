package whatif

import (
	"errors"
	"io"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/report/document"
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
	Begins bool // the case, which finds the cluster as it was loaded
	Source scenario.Source

	// Ask makes the request ready, for the cluster that the steps before left.
	Ask func(*world.World, *simulator.Simulator) (world.Asked, error)

	// Next is the request that a client sends because of an answer; nil if none. The function
	// is nil if clients never do.
	Next func(world.Asked, *simulator.Result) (*world.Asked, error)
}

// A Prepared is a request whose objects are ready for admission.
type Prepared struct {
	Label   string
	Request admission.Request
}

// Source is where the request was read.
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

// A Corpus is requests, one by one. What was written finds the cluster as the requests
// before left it; so do the steps of a case, each of which begins anew. What was recorded
// finds the cluster as it was loaded, with the object that it was about as it was then, and
// with what the recording shows of namespaces, definitions and other things that admission looks up.
type Corpus interface {
	// Next returns the next request, and io.EOF behind the last one.
	Next() (Request, error)
}

// Written is a corpus of requests that were written by hand.
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

// Recorded is a corpus of what happened. Records that cannot be run are left out; skipped,
// where it is given, is told of each.
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

// Steps is a corpus of the requests of cases.
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

// Both is one corpus after the other.
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

// sampleOf names a request that is asked.
func sampleOf(asked world.Asked, r Request) document.Sample {
	s := document.Sample{Source: r.Source().String(), Label: asked.From.Label}
	gvr, subresource := asked.API.Resource, asked.API.Subresource
	if q := asked.Review; q != nil {
		gvr, subresource = q.Resource, q.Subresource
		s.Verb, s.Namespace, s.Name, s.User = verbOf(q.Operation), q.Namespace, q.Name, q.User.Username
		if s.Name == "" {
			s.Name = nameOf(q.Object)
		}
	} else {
		s.Verb, s.Namespace, s.Name, s.User = asked.API.Verb, asked.API.Namespace, asked.API.Name, asked.API.User.Username
		if s.Name == "" && r.Recorded != nil {
			s.Name = r.Recorded.Name
		}
		if s.Name == "" {
			s.Name = nameIn(asked.API.Body)
		}
	}
	s.Resource = gvr.GroupResource().String()
	if subresource != "" {
		s.Resource += "/" + subresource
	}
	return s
}
