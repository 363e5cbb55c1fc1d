// Package equivalence finds out whether two worlds make the same decisions, such as one with a webhook and one with the
// policy that replaces it. It proves that hooks are asked about the same requests in both, and tests that the decisions
// are the same with generated requests and with those of a corpus.
//
// Start with [New]. The generated requests are at the edges of what the expressions of policies compare, and contain
// each field of the kinds of objects that hooks are asked about. They start from requests that policies admit, if such
// requests can be found: otherwise one validation would hide the others. Package survey finds which hooks are asked,
// package diff runs the requests.
package equivalence

import (
	"context"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/survey"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
)

// A Side is one of the two worlds.
type Side struct {
	Asked *survey.World // which hooks are asked about which requests
	Make  world.Maker
}

// Options says what is compared.
type Options struct {
	Messages bool // also compare the texts of denials and warnings
	Defaults scenario.Defaults
}

// A Question is whether two worlds make the same decisions.
type Question struct {
	Options
	document *document.Equivalence
	made     []ready
	sides    [2]subjects
}

// New proves what can be proved, and generates the requests to try.
func New(ctx context.Context, base, head Side, o Options) (*Question, error) {
	compared, err := survey.Compare(base.Asked, head.Asked)
	if err != nil {
		return nil, err
	}
	q := &Question{Options: o, sides: [2]subjects{subjectsOf(compared.Base), subjectsOf(compared.Head)}}
	q.document = &document.Equivalence{
		TypeMeta: document.TypeMeta(document.EquivalenceKind), Base: base.Asked.Name, Head: head.Asked.Name,
		Before: compared.Base, After: compared.Head, Same: compared.Same, Regions: compared.Regions, Size: compared.Size, Unserved: compared.Unserved, Messages: o.Messages,
	}
	var worlds [2]*world.World
	for i, side := range []Side{base, head} {
		loaded, err := side.Make(nil, nil)
		if err != nil {
			return nil, err
		}
		if worlds[i], err = loaded.Fork(func(string, string) dispatch.Backend { return &dispatch.Mock{} }); err != nil {
			return nil, err
		}
	}
	q.made, q.document.Tried.Left, err = requestsTo(ctx, compared, worlds[0], worlds[1], o.Defaults)
	return q, err
}

// Corpus returns the requests that both worlds have to answer: those that were generated, and those of another corpus,
// which may be nil.
func (q *Question) Corpus(further traffic.Corpus) traffic.Corpus {
	steps := make([]traffic.Step, len(q.made))
	for i, r := range q.made {
		steps[i] = r.step(q.Defaults)
	}
	if further == nil {
		return traffic.Steps(steps)
	}
	return traffic.Both(traffic.Steps(steps), further)
}

// Counts reports whether a difference is a different decision.
func (q *Question) Counts(d document.Difference) bool {
	switch d.Change {
	case document.NewlyDenied, document.NewlyAllowed, document.DifferentObject:
		return true
	case document.DifferentMessage, document.DifferentWarning:
		return q.Messages
	}
	return false
}

// Answered counts one request that both worlds answered, with its differences.
func (q *Question) Answered(it *traffic.Item, d []document.Difference) {
	tried := &q.document.Tried
	asked := false
	for i, result := range it.Results {
		n, _ := q.sides[i].asked(result)
		asked = asked || n > 0
	}
	own := it.Number <= len(q.made)
	switch {
	case !asked && own:
		tried.Unasked++
	case !asked:
		tried.UnaskedOfCorpus++
	case !own:
		tried.Corpus++
	case q.made[it.Number-1].edge:
		tried.Edges++
	default:
		tried.Fields++
	}
	if len(d) == 0 || q.document.First != nil {
		return
	}
	first := &document.EquivalenceWitness{Request: it.Request.Sample(it.Asked[0]), Differences: d}
	if own {
		first.Manifest = q.made[it.Number-1].manifest
	}
	q.document.First = first
}

// Answer returns the answer, given the differences for the corpus.
func (q *Question) Answer(d *document.Diff) *document.Equivalence {
	e := q.document
	e.Differences, e.Different, e.Undecided, e.Errors = d.Groups, d.Changed, d.Undecided, d.Errors
	e.Judge()
	return e
}
