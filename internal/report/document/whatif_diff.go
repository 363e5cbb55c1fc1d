package document

import (
	"strings"

	"github.com/admsim/admsim/pkg/report"
)

// A DiffChange is a way in which the answer to a request differs between two worlds.
type DiffChange string

// The changes, the most serious first.
const (
	NewlyDenied      DiffChange = "newly-denied"
	NewlyAllowed     DiffChange = "newly-allowed"
	DifferentObject  DiffChange = "different-object"
	DifferentMessage DiffChange = "different-message" // denied in both
	DifferentWarning DiffChange = "different-warnings"
	DifferentCalls   DiffChange = "different-calls"
	DifferentLatency DiffChange = "different-latency"
)

// Changes returns all changes, in that order.
func Changes() []DiffChange {
	return []DiffChange{NewlyDenied, NewlyAllowed, DifferentObject, DifferentMessage, DifferentWarning, DifferentCalls, DifferentLatency}
}

// A Diff says what changes for the requests of a corpus from one world to another.
type Diff struct {
	report.TypeMeta
	Base string `json:"base"` // the user's names for the worlds
	Head string `json:"head"`

	Requests  int `json:"requests"`
	Changed   int `json:"changed"`
	Undecided int `json:"undecided,omitempty"`

	Groups []DiffGroup `json:"groups"`
	Calls  []DiffCalls `json:"calls,omitempty"`
	Errors []DiffError `json:"errors,omitempty"` // why the first of the undecided requests are undecided

	// Webhooks and policies that differ, but are asked about no request of the corpus.
	Unreached []Actor `json:"unreached,omitempty"`
	// How often webhooks without a backend were called: their answers were made up, as --allow-unmatched says.
	Assumed []DiffCalls `json:"assumed,omitempty"`

	ByChange map[DiffChange]int `json:"-"` // number of requests; a request may have several changes
}

// A DiffGroup is a group of changes with the same subject.
type DiffGroup struct {
	Change DiffChange `json:"change"`
	// The field, with * for positions in lists; or the message, without names and numbers.
	What string `json:"what,omitempty"`
	By   Actor  `json:"by,omitzero"`

	Requests   int     `json:"requests"`
	Users      []Count `json:"users,omitempty"`
	Namespaces []Count `json:"namespaces,omitempty"`
	Resources  []Count `json:"resources,omitempty"`

	Samples []DiffSample `json:"samples"`
}

// A Count says how often a value occurs.
type Count struct {
	Value string `json:"value"`
	Count int    `json:"count"`
}

// A DiffSample is one request of a group.
type DiffSample struct {
	Request Sample `json:"request"`
	Base    string `json:"base,omitempty"` // for a field, its value as JSON
	Head    string `json:"head,omitempty"`
	Because string `json:"because,omitempty"` // why what denied a newly allowed request in base does not deny it in head
}

// DiffCalls says how often a webhook is called in each of the worlds.
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

// String returns the error, after its request if that is known.
func (e DiffError) String() string {
	if request := strings.TrimSpace(e.Request.String()); request != "" {
		return request + ": " + e.Error
	}
	return e.Error
}

// RequestsOf returns how many requests have a change; a request may have several changes.
func (d *Diff) RequestsOf(c DiffChange) int { return d.ByChange[c] }

// MostCounted values are counted separately in a report. Otherwise, each of many groups could have a list of all
// namespaces.
const MostCounted = 50

// Others stands for the values, or changes, beyond that limit.
const Others = "(others)"

// MostFrequent returns the first counts, and the sum of the others.
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

// A Difference is one thing that changes for a request.
type Difference struct {
	Change DiffChange `json:"change"`
	What   string     `json:"what,omitempty"`
	By     Actor      `json:"by,omitzero"`
	Base   string     `json:"base,omitempty"`
	Head   string     `json:"head,omitempty"`

	// Because says why what denied a newly allowed request in base does not deny it in head.
	Because string `json:"because,omitempty"`
}

// Line returns the line for one request that changes.
func (c *Changed) Line() DiffRequest {
	return DiffRequest{TypeMeta: TypeMeta(DiffRequestKind), Request: c.Request, Differences: c.Differences}
}

// A Changed is one request that changes, and how each of the two answers came about.
type Changed struct {
	Request     Sample
	Differences []Difference

	// Answers returns the answers of both worlds. A secret is replaced by the same word in both, and in the
	// differences.
	Answers func() (base, head *Answer, err error)

	// Objects returns the objects of both answers, as they are compared; nil if there is none.
	Objects func() (base, head any)
}
