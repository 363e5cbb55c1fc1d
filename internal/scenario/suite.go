package scenario

import (
	"encoding/json"
	"time"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/pkg/expression"
)

// A Suite is a document of kind Suite: a world, the backends of its webhooks, and cases that say what happens to
// requests there.
type Suite struct {
	Name   string
	Source manifest.Source

	World    SuiteWorld
	Defaults Defaults // for what requests leave open; the user, if empty, is that of the run
	Backends Backends // those of the suite, then those of the world
	Cases    []Case
}

// A SuiteWorld is the cluster that requests find.
type SuiteWorld struct {
	Release string // as written; empty: the default one
	Plugins SuitePlugins

	// AllowEveryone allows everything to every user, regardless of roles.
	AllowEveryone bool

	// Authorization says how requests are authorized before admission, whatever flags say. Nil: as the flags say.
	Authorization *Authorization

	// Controllers adds the objects that the controllers of a running cluster would have created.
	Controllers bool

	Objects []manifest.Manifest
	Load    []string // the files and folders that objects were read from; objects in the suite itself have none

	// Incomplete means that some of the objects could not be read.
	Incomplete bool
}

// SuitePlugins say which admission plugins run.
type SuitePlugins struct {
	Enable, Disable []string
	Config          string // file with their configuration; empty: none
	Source          manifest.Source

	options manifest.Options
}

// A Case is one test of a suite: one request or several, each in the cluster that the one
// before left, and what is expected of them.
type Case struct {
	Name   string
	Source manifest.Source
	Skip   string // why it does not run; empty: it runs

	Steps    []CaseStep
	Override Override
	Matrix   Matrix
}

// A CaseStep is one request of a case, or a region of requests. One of Request, Recorded and Every is set.
type CaseStep struct {
	Name   string // empty if the case has only one step
	Source manifest.Source

	Request  *Request
	Recorded *Recorded
	Every    *Every

	// Expand also runs the requests of controllers that follow from a workload, down to its pods.
	Expand bool

	Expect []Expect // those whose When matches apply
}

// Recorded is a request from the log of an API server or a recorder.
type Recorded struct {
	File   string
	JSON   []byte // of one audit event
	Source manifest.Source
}

// An Override says how the world of a case differs from that of its suite.
type Override struct {
	Release       string
	Plugins       *SuitePlugins
	AllowEveryone *bool
	Controllers   *bool
	Authorization *Authorization
	Backends      Backends            // before those of the suite
	Objects       []manifest.Manifest // added to the world; objects of the same name are replaced
	Incomplete    bool                // some of the objects could not be read
	Source        manifest.Source
}

// A Matrix runs a case once for every combination of its values.
type Matrix struct {
	Releases        []string
	FailurePolicies []string // of webhooks: Fail, Ignore
	Faults          []string // replace the answers of webhooks; as in [FaultAnswer], or [NoFault]

	// Webhook names the webhooks whose failure policies and answers change; globs allowed, empty: all webhooks.
	Webhook string
	Source  manifest.Source
}

// An Expect is what is expected of one request. What is not set is not checked.
type Expect struct {
	Source manifest.Source
	When   map[string]string // by axis of the matrix: the value that this applies to

	Allowed  *bool
	Code     *int
	Reason   *Match
	Message  *Match
	DeniedBy *DeniedBy

	Causes     []CauseExpect // each matches a cause in the details of the answer
	RetryAfter *int          // seconds, in the same place

	Warnings         *Matches // nil: any
	AuditAnnotations []NamedMatch

	Object *ObjectExpect
	Trace  *TraceExpect
	Exists []ObjectSubset // in the cluster afterwards
	Absent []ObjectSubset
	Expand []ChildExpect

	// For a region: webhooks and policies that see all of its requests, and those that see none.
	Asked, NotAsked []NamedPlace

	value manifest.Value
}

// Position returns where a part of the expectation was written, such as message or trace.skipped[a.example.com].
func (e Expect) Position(path string) manifest.Source { return e.value.Below(path).Source() }

// A Match is what is expected of a text: everything that is set has to hold.
type Match struct {
	Is       *string // the exact text; * stands for any text
	Contains []string
	Matches  []string // regular expressions
	Source   manifest.Source
}

// A CauseExpect is what is expected of a cause in the details of a denial. Nil fields match anything.
type CauseExpect struct {
	Field, Reason, Message *Match
	Source                 manifest.Source
}

// Matches is what is expected of a list of texts. Unless Others is set, it has no other texts.
type Matches struct {
	Each   []Match
	Others bool
	Source manifest.Source
}

// A NamedMatch is what is expected of the value of a key. With Absent, the key must not exist.
type NamedMatch struct {
	Key    string
	Match  Match
	Absent bool
}

// DeniedBy says what has to have denied a request: one of its fields is set.
type DeniedBy struct {
	Plugin            string
	MutatingWebhook   string // name, or configuration/name; globs allowed
	ValidatingWebhook string
	Policy            string // name, or name/binding
	Binding           string
	Server            bool   // the API server itself, outside of admission
	Validation        bool   // the API server's validation of the object
	Key               string // the key that was written
	Source            manifest.Source
}

// An ObjectExpect is what is expected of an object.
type ObjectExpect struct {
	Equals json.RawMessage // the whole object, except for fields that differ in every cluster
	File   string          // the file that Equals was read from; empty: the suite itself
	// Missing is set if File does not exist yet.
	Missing bool

	Contains json.RawMessage // a part of it
	Patch    []PatchExpect   // changes that admission made
	CEL      []Condition     // conditions on object, oldObject and request
	Source   manifest.Source
}

// A PatchExpect is a change that admission must have made.
type PatchExpect struct {
	Op, Path string
	Value    json.RawMessage // nil: any
	Source   manifest.Source
}

// A Condition is a CEL expression that must be true.
type Condition struct {
	Expression string
	Source     manifest.Source

	value manifest.Value // for errors found later
}

// Uncompiled returns the error that c does not compile.
func (c Condition) Uncompiled(err *expression.CompileError) *manifest.Error {
	return c.value.Uncompiled(err)
}

// Wrong returns an error about c.
func (c Condition) Wrong(text string) *manifest.Error {
	return &manifest.Error{Source: c.Source, Message: c.value.Path + ": " + text}
}

// A TraceExpect says how the verdict must have come about. Webhooks and policies are named as in backends, plugins by
// their name.
type TraceExpect struct {
	Order     []NamedPlace   // these were called in this order, possibly with others in between
	Called    []NamedPlace   // these were called
	NotCalled []NamedPlace   // these were not called
	Rounds    []NamedNumber  // the number of rounds in which these were called
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

// An ObjectSubset names an object of the cluster, and what it must contain.
type ObjectSubset struct {
	manifest.Manifest
}

// A ChildExpect is what is expected of the requests that follow from a workload, by the kind of the objects that they
// create.
type ChildExpect struct {
	Kind   string
	Expect Expect
}
