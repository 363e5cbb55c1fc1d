package scenario

import (
	"encoding/json"
	"time"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/pkg/expression"
)

// A Suite is a document of kind Suite: a world, who answers for its webhooks, and cases that
// say what becomes of requests there.
type Suite struct {
	Name   string
	Source manifest.Source

	World    SuiteWorld
	Defaults Defaults // for what requests leave open; no user: who runs the suite says
	Backends Backends // its own ones first, then those of the world
	Cases    []Case
}

// A SuiteWorld is what requests find.
type SuiteWorld struct {
	Release string // as written; empty: the default one
	Plugins SuitePlugins

	// AllowEveryone allows everything to every user, regardless of roles.
	AllowEveryone bool

	// Authorization is how requests are authorized before admission, regardless of flags. Nil: as
	// these say.
	Authorization *Authorization

	// Controllers has there what the controllers of a living cluster would have made.
	Controllers bool

	Objects []manifest.Manifest
	Load    []string // the files and folders that they were read from, but for those that the suite holds

	// Incomplete means that some of the objects could not be read.
	Incomplete bool
}

// SuitePlugins say which admission plugins run.
type SuitePlugins struct {
	Enable, Disable []string
	Config          string // the file of their configuration; empty: none
	Source          manifest.Source

	options manifest.Options
}

// A Case is one test of a suite: one request or several, each in the cluster that the one
// before left, and what is expected of them.
type Case struct {
	Name   string
	Source manifest.Source
	Skip   string // why it does not run; empty: it does

	Steps    []CaseStep
	Override Override
	Matrix   Matrix
}

// A CaseStep is one request of a case, or a region of them. One of the first three is set.
type CaseStep struct {
	Name   string // empty if a case has one step only
	Source manifest.Source

	Request  *Request
	Recorded *Recorded
	Every    *Every

	// Expand has the pods follow that a workload leads to, as its controllers would ask for
	// them.
	Expand bool

	Expect []Expect // all whose When fits
}

// Recorded is a request that a log of an API server or a recorder holds.
type Recorded struct {
	File   string
	JSON   []byte // of one audit event
	Source manifest.Source
}

// An Override is how a case's world differs from that of its suite.
type Override struct {
	Release       string
	Plugins       *SuitePlugins
	AllowEveryone *bool
	Controllers   *bool
	Authorization *Authorization
	Backends      Backends            // before those of the suite
	Objects       []manifest.Manifest // more of them; those that are there already are replaced
	Incomplete    bool                // some of them could not be read
	Source        manifest.Source
}

// A Matrix has a case run once for every combination of what is in it.
type Matrix struct {
	Releases        []string
	FailurePolicies []string // of webhooks: Fail, Ignore
	Faults          []string // instead of the answers of webhooks, as [FaultAnswer] knows them, or [NoFault]

	// Webhook is whose failure policies and answers change; globs allowed, empty: of all.
	Webhook string
	Source  manifest.Source
}

// An Expect is what is expected of one request. What is left out is not looked at.
type Expect struct {
	Source manifest.Source
	When   map[string]string // by axis of the matrix the value for which this is meant

	Allowed  *bool
	Code     *int
	Reason   *Match
	Message  *Match
	DeniedBy *DeniedBy

	Causes     []CauseExpect // each is one of those in the details of the answer
	RetryAfter *int          // seconds, in the same place

	Warnings         *Matches // nil: whatever they are
	AuditAnnotations []NamedMatch

	Object *ObjectExpect
	Trace  *TraceExpect
	Exists []ObjectSubset // in the cluster afterwards
	Absent []ObjectSubset
	Expand []ChildExpect

	// Of a region: by whom all of its requests are seen, and by whom none.
	Asked, NotAsked []NamedPlace

	value manifest.Value
}

// Position is where a part of the expectation was written, such as message or
// trace.skipped[a.example.com].
func (e Expect) Position(path string) manifest.Source { return e.value.Below(path).Source() }

// A Match is an expectation of a text: all that is set has to hold.
type Match struct {
	Is       *string // the very text; * stands for any
	Contains []string
	Matches  []string // regular expressions
	Source   manifest.Source
}

// A CauseExpect is an expectation of a cause in the details of a denial. What is nil may be anything.
type CauseExpect struct {
	Field, Reason, Message *Match
	Source                 manifest.Source
}

// Matches is an expectation of a list of texts. Without Others there are no others.
type Matches struct {
	Each   []Match
	Others bool
	Source manifest.Source
}

// A NamedMatch is an expectation of what has a key. Absent: that it is not there.
type NamedMatch struct {
	Key    string
	Match  Match
	Absent bool
}

// DeniedBy is who has to have denied a request: one of its fields is set.
type DeniedBy struct {
	Plugin            string
	MutatingWebhook   string // name, or configuration/name; globs allowed
	ValidatingWebhook string
	Policy            string // name, or name/binding
	Binding           string
	Server            bool   // the API server itself, outside of admission
	Validation        bool   // the API server's validation of the object
	Key               string // what was written
	Source            manifest.Source
}

// An ObjectExpect is what an object has to be.
type ObjectExpect struct {
	Equals json.RawMessage // the whole object, but for what differs in every cluster
	File   string          // the file that Equals was read from; empty: it is in the suite
	// Missing is set where File does not exist yet.
	Missing bool

	Contains json.RawMessage // a part of it
	Patch    []PatchExpect   // changes that admission made
	CEL      []Condition     // conditions on object, oldObject and request
	Source   manifest.Source
}

// A PatchExpect is a change that admission has to have made.
type PatchExpect struct {
	Op, Path string
	Value    json.RawMessage // nil: any
	Source   manifest.Source
}

// A Condition is a CEL expression that has to be true.
type Condition struct {
	Expression string
	Source     manifest.Source

	value manifest.Value // for errors found later
}

// Uncompiled is the error that c is no expression.
func (c Condition) Uncompiled(err *expression.CompileError) *manifest.Error {
	return c.value.Uncompiled(err)
}

// Wrong is the error that something is wrong with c.
func (c Condition) Wrong(text string) *manifest.Error {
	return &manifest.Error{Source: c.Source, Message: c.value.Path + ": " + text}
}

// A TraceExpect is how the verdict has to have come about. Webhooks and policies are named
// as they are in backends, plugins by their name.
type TraceExpect struct {
	Order     []NamedPlace   // these were called in this order, others in between
	Called    []NamedPlace   // these were called
	NotCalled []NamedPlace   // these were not
	Rounds    []NamedNumber  // in how many rounds these were called
	Skipped   []NamedMatch   // these were skipped, and why
	Within    *time.Duration // of virtual time
	Source    manifest.Source
}

// A NamedPlace is a name and where it was written.
type NamedPlace struct {
	Name   string
	Source manifest.Source
}

// A NamedNumber is a number for a name.
type NamedNumber struct {
	Name   string
	Number int
	Source manifest.Source
}

// An ObjectSubset names an object of the cluster, and what it has to contain.
type ObjectSubset struct {
	manifest.Manifest
}

// A ChildExpect is what is expected of the requests that follow from a workload, by the kind
// of what they create.
type ChildExpect struct {
	Kind   string
	Expect Expect
}
