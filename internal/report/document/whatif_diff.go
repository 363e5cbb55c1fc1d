package document

import (
	"io"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/report"
)

// A Diff is what changes for the requests of a corpus from one world to another.
type Diff struct {
	report.TypeMeta
	Base string `json:"base"` // what the user calls the worlds
	Head string `json:"head"`

	Requests  int `json:"requests"`
	Changed   int `json:"changed"`
	Undecided int `json:"undecided,omitempty"`

	Groups []DiffGroup `json:"groups"`
	Calls  []DiffCalls `json:"calls,omitempty"`
	Errors []DiffError `json:"errors,omitempty"` // why the first of the undecided are

	byChange map[whatif.Change]int // requests; one can be in several
}

// A DiffGroup is changes that are about the same.
type DiffGroup struct {
	Change string `json:"change"`
	What   string `json:"what,omitempty"` // the field, with * for positions in lists; the message, without names and numbers
	By     *Actor `json:"by,omitempty"`

	Requests   int     `json:"requests"`
	Users      []Count `json:"users,omitempty"`
	Namespaces []Count `json:"namespaces,omitempty"`
	Resources  []Count `json:"resources,omitempty"`

	Samples []DiffSample `json:"samples"`
}

// A Count is how often a value occurs.
type Count struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// A DiffSample is one request of a group.
type DiffSample struct {
	Request Sample `json:"request"`
	Base    string `json:"base,omitempty"` // of a field its value as JSON
	Head    string `json:"head,omitempty"`
}

// DiffCalls are how often a webhook is called in each of the worlds.
type DiffCalls struct {
	Webhook Actor `json:"webhook"`
	Base    int   `json:"base"`
	Head    int   `json:"head"`
}

// A DiffError is a request that could not be answered in one of the worlds.
type DiffError struct {
	Request Sample `json:"request"`
	Error   string `json:"error"`
}

// RequestsOf is how many requests change so; one can be counted for several changes.
func (d *Diff) RequestsOf(c whatif.Change) int { return d.byChange[c] }

// NewDiff puts what changes into the form that is shown.
func NewDiff(base, head string, r *whatif.DiffResult) *Diff {
	d := &Diff{
		TypeMeta: typeMeta(DiffKind),
		Base:     base, Head: head,
		Requests: r.Requests, Changed: r.Changed, Undecided: r.Undecided,
		Groups: []DiffGroup{}, byChange: r.ByChange,
	}
	for _, g := range r.Groups {
		shown := DiffGroup{
			Change: string(g.Change), What: g.What, By: actorIn(g.By), Requests: g.Requests,
			Users: CountsOf(g.Users), Namespaces: CountsOf(g.Namespaces), Resources: CountsOf(g.Resources),
		}
		for _, s := range g.Samples {
			shown.Samples = append(shown.Samples, DiffSample{SampleOf(s.Request), s.Base, s.Head})
		}
		d.Groups = append(d.Groups, shown)
	}
	for _, c := range r.Calls {
		d.Calls = append(d.Calls, DiffCalls{actorOf(c.Webhook), c.Base, c.Head})
	}
	for _, e := range r.Errors {
		d.Errors = append(d.Errors, DiffError{SampleOf(e.Request), e.Err.Error()})
	}
	return d
}

// MostCounted values are counted separately in a report; a group of its own for each of many webhooks
// would else have a list of all namespaces each.
const MostCounted = 50

func CountsOf(all []whatif.Count) (shown []Count) {
	others := 0
	for _, c := range all {
		if len(shown) == MostCounted || c.Value == whatif.Others {
			others += c.Count
			continue
		}
		shown = append(shown, Count(c))
	}
	if others > 0 {
		shown = append(shown, Count{whatif.Others, others})
	}
	return shown
}

// A DiffRequest is one request that changes, as a line of JSON.
type DiffRequest struct {
	report.TypeMeta
	Request     Sample       `json:"request"`
	Differences []Difference `json:"differences"`
}

// A Difference is one thing that is not the same for a request.
type Difference struct {
	Change string `json:"change"`
	What   string `json:"what,omitempty"`
	By     *Actor `json:"by,omitempty"`
	Base   string `json:"base,omitempty"`
	Head   string `json:"head,omitempty"`
}

// WriteDiffRequest writes one request that changes as a line of JSON.
func WriteDiffRequest(w io.Writer, c whatif.Changed) error {
	line := DiffRequest{TypeMeta: typeMeta(DiffRequestKind), Request: SampleOf(c.Request)}
	for _, d := range c.Differences {
		line.Differences = append(line.Differences, Difference{string(d.Change), d.What, actorIn(d.By), d.Base, d.Head})
	}
	return encode.JSON(w, line)
}
