package document

import (
	"fmt"
	"strconv"
	"strings"
)

// The kinds of answers to the questions of package whatif.
const (
	DiffKind        = "Diff"
	DiffRequestKind = "DiffRequest" // a line of jsonl
	OutageKind      = "Outage"
	CheckKind       = "Check"
	BlameKind       = "Blame"
	LatencyKind     = "Latency"
)

// A Whatif is the answer to a question of package whatif, except for a [Diff].
type Whatif interface{ whatif() }

func (*Outage) whatif() {}

func (*Check) whatif() {}

func (*Blame) whatif() {}

func (*Latency) whatif() {}

// The plugins that call webhooks and evaluate policies.
const (
	MutatingPolicies   = "MutatingAdmissionPolicy"
	MutatingWebhooks   = "MutatingAdmissionWebhook"
	ValidatingPolicies = "ValidatingAdmissionPolicy"
	ValidatingWebhooks = "ValidatingAdmissionWebhook"
)

// An Actor is who did something during a request. The zero value is the API server outside of admission.
type Actor struct {
	Plugin        string `json:"plugin,omitempty"`
	Configuration string `json:"configuration,omitempty"`
	Name          string `json:"name,omitempty"`
	Round         int    `json:"round,omitempty"`
	Source        string `json:"source,omitempty"`

	// Kind is mutating or validating if there is one of each with the same name.
	Kind string `json:"-"`
}

// InAnyRound returns the actor of all its rounds.
func (a Actor) InAnyRound() Actor {
	a.Round = 0
	return a
}

// String returns a short name.
func (a Actor) String() string {
	if a.Kind != "" {
		return a.who() + " (" + a.Kind + ")"
	}
	return a.who()
}

func (a Actor) who() string {
	switch {
	case a.Name != "":
		return a.Configuration + "/" + a.Name
	case a.Configuration != "":
		return a.Configuration
	case a.Plugin != "":
		return a.Plugin
	}
	return "the API server"
}

// A Sample is one request, with what its author needs to find it.
type Sample struct {
	Source    string `json:"source,omitempty"`
	Label     string `json:"label,omitempty"`
	User      string `json:"user,omitempty"`
	Verb      string `json:"verb"`
	Resource  string `json:"resource"`
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
}

// String describes the request in the words of kubectl.
func (s Sample) String() string {
	what := s.Verb + " " + s.Resource
	switch {
	case s.Namespace != "" && s.Name != "":
		return fmt.Sprintf("%s %s/%s", what, s.Namespace, s.Name)
	case s.Name != "":
		return what + " " + s.Name
	case s.Namespace != "":
		return what + " in " + s.Namespace
	}
	return what
}

// Key identifies the request.
func (s Sample) Key() string { return s.Source + "\n" + s.Label + "\n" + s.String() }

// About says where the request is from, and who sends it.
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

// Who is like About without the source, which a page shows in short form.
func (s Sample) Who() string {
	s.Source = ""
	return s.About()
}
