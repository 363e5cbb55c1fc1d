package document

import (
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/whatif"
)

// What the questions of package whatif are answered with has one of these kinds.
const (
	DiffKind        = "Diff"
	DiffRequestKind = "DiffRequest" // a line of jsonl
	OutageKind      = "Outage"
	CheckKind       = "Check"
	BlameKind       = "Blame"
	LatencyKind     = "Latency"
)

// A Whatif is the answer to a question of package whatif, but what changes, which is a [Diff].
type Whatif interface{ whatif() }

func (*Outage) whatif() {}

func (*Check) whatif() {}

func (*Blame) whatif() {}

func (*Latency) whatif() {}

// An Actor is who did something in the course of a request. With nothing set it is the API
// server outside of admission.
type Actor struct {
	Plugin        string `json:"plugin,omitempty"`
	Configuration string `json:"configuration,omitempty"`
	Name          string `json:"name,omitempty"`
	Round         int    `json:"round,omitempty"`
	Source        string `json:"source,omitempty"`

	words string
}

func (a Actor) String() string { return a.words }

func actorOf(a whatif.Actor) Actor {
	return Actor{a.Plugin, a.Configuration, a.Name, a.Round, a.Source, a.String()}
}

// actorIn is a, or nil if it is nobody.
func actorIn(a whatif.Actor) *Actor {
	if a == (whatif.Actor{}) {
		return nil
	}
	shown := actorOf(a)
	return &shown
}

// A Sample is one request, named so that its author finds it again.
type Sample struct {
	Source    string `json:"source,omitempty"`
	Label     string `json:"label,omitempty"`
	User      string `json:"user,omitempty"`
	Verb      string `json:"verb"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`

	words string
}

func SampleOf(s whatif.Sample) Sample {
	return Sample{s.Source, s.Label, s.User, s.Verb, s.Resource, s.Namespace, s.Name, s.String()}
}

func (s Sample) String() string { return s.words }

// Key identifies the request.
func (s Sample) Key() string { return s.Source + "\n" + s.Label + "\n" + s.words }

// About is where the request is from, and who sends it.
func (s Sample) About() string {
	var parts []string
	if s.Label != "" {
		parts = append(parts, strconv.Quote(s.Label))
	}
	if s.Source != "" {
		parts = append(parts, "from "+s.Source)
	}
	if s.User != "" {
		parts = append(parts, "as "+s.User)
	}
	return strings.Join(parts, " ")
}

// Who is the same without where it is from, which a page shows in short.
func (s Sample) Who() string {
	s.Source = ""
	return s.About()
}
