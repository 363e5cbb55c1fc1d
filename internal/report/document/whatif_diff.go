package document

import (
	"strings"

	"github.com/admsim/admsim/pkg/report"
)

// A DiffChange is a way in which the answer to a request differs between two worlds.
type DiffChange string

// The changes, the gravest first.
const (
	NewlyDenied      DiffChange = "newly-denied"
	NewlyAllowed     DiffChange = "newly-allowed"
	DifferentObject  DiffChange = "different-object"
	DifferentMessage DiffChange = "different-message" // denied in both
	DifferentWarning DiffChange = "different-warnings"
	DifferentCalls   DiffChange = "different-calls"
	DifferentLatency DiffChange = "different-latency"
)

// Changes are all of them, in that order.
func Changes() []DiffChange {
	return []DiffChange{NewlyDenied, NewlyAllowed, DifferentObject, DifferentMessage, DifferentWarning, DifferentCalls, DifferentLatency}
}

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

	Unreached []Actor `json:"unreached,omitempty"` // webhooks and policies that differ, and are asked about no request of the corpus

	ByChange map[DiffChange]int `json:"-"` // requests; one can be in several
}

// A DiffGroup is changes that are about the same.
type DiffGroup struct {
	Change DiffChange `json:"change"`
	What   string     `json:"what,omitempty"` // the field, with * for positions in lists; the message, without names and numbers
	By     Actor      `json:"by,omitzero"`

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

// String is the error, after its request if it is known which one that is.
func (e DiffError) String() string {
	if request := strings.TrimSpace(e.Request.String()); request != "" {
		return request + ": " + e.Error
	}
	return e.Error
}

// RequestsOf is how many requests change so; one can be counted for several changes.
func (d *Diff) RequestsOf(c DiffChange) int { return d.ByChange[c] }

// MostCounted values are counted separately in a report; a group of its own for each of many webhooks
// would else have a list of all namespaces each.
const MostCounted = 50

// Others is the value, or what changes, that those beyond are counted as.
const Others = "(others)"

// MostFrequent are the first of some counts, and the others together.
func MostFrequent(all []Count) (shown []Count) {
	others := 0
	for _, c := range all {
		if len(shown) == MostCounted || c.Value == Others {
			others += c.Count
			continue
		}
		shown = append(shown, c)
	}
	if others > 0 {
		shown = append(shown, Count{Others, others})
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
	Change DiffChange `json:"change"`
	What   string     `json:"what,omitempty"`
	By     Actor      `json:"by,omitzero"`
	Base   string     `json:"base,omitempty"`
	Head   string     `json:"head,omitempty"`
}

// Line is one request that changes, as it is printed.
func (c *Changed) Line() DiffRequest {
	return DiffRequest{TypeMeta: TypeMeta(DiffRequestKind), Request: c.Request, Differences: c.Differences}
}

// A Changed is one request that changes, and how each of the two answers came about.
type Changed struct {
	Request     Sample
	Differences []Difference

	// Answers are those of both worlds. A secret is called the same in both, and in the differences.
	Answers func() (base, head *Answer, err error)

	// Objects are those of both answers, as they are compared; nil if there is none.
	Objects func() (base, head any)
}
