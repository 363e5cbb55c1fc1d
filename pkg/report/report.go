// Package report has the types of a [Result]: the answer to one request and how it came about, as admsim run -o json
// prints it and package admsimtest returns it. docs/output.md describes it.
//
// The package only has the types. The packages that create and write results are internal.
package report

import (
	"encoding/json"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/apiversion"
)

// APIVersion is the apiVersion of everything that is printed.
const APIVersion = apiversion.Written

// The kinds of the documents.
const (
	ResultKind      = "Result"
	ExplanationKind = "Explanation"
)

// A TypeMeta says what a document is.
type TypeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

// A Result is the answer to one request, and how it came about.
type Result struct {
	TypeMeta

	Request Request `json:"request"`

	Allowed  bool     `json:"allowed"`
	Code     int      `json:"code"`
	DeniedBy *Decider `json:"deniedBy,omitempty"`
	Hint     string   `json:"hint,omitempty"` // what can be done about a denial, or about unknown fields, each in a line

	// Authorization is the answer of the server's authorizers before admission. If requests are not authorized, it is
	// only set when they would have refused this one.
	Authorization *Authorization `json:"authorization,omitempty"`

	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	Elapsed          metav1.Duration   `json:"elapsed"` // as the server would have taken

	Admissions []Admission `json:"admissions"`

	// Undetermined explains why the server may give one of Alternatives instead: neither the request nor the cluster
	// determines it. Without it, the server always answers like this.
	Undetermined string        `json:"undetermined,omitempty"`
	Alternatives []Alternative `json:"alternatives,omitempty"`

	// Undecided explains why admsim cannot tell what the server would answer. The client of a served cluster then got an
	// internal error, which is the rest of the result.
	Undecided string `json:"undecided,omitempty"`

	// One of the three is the body of the answer.
	Object json.RawMessage `json:"object,omitempty"`
	Text   string          `json:"text,omitempty"`
	Status *metav1.Status  `json:"status,omitempty"` // always that of a denial
}

// An Alternative is another possible answer.
type Alternative struct {
	Code     int            `json:"code"`
	DeniedBy *Decider       `json:"deniedBy,omitempty"`
	Status   *metav1.Status `json:"status,omitempty"` // of a denial

	// Changes lead from the object of the result to that of the alternative. If the result is a denial, they lead from
	// the object of the first alternative that has one.
	Changes    []Change `json:"changes,omitempty"`
	Admissions int      `json:"admissions"` // number of admissions

	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
}

// An Authorization is the answer of the server's authorizers to a request.
type Authorization struct {
	Allowed  bool   `json:"allowed"`
	Enforced bool   `json:"enforced"`          // whether a request that is not allowed ends here
	By       string `json:"by,omitempty"`      // the authorizer that decided; empty if all had no opinion
	Reason   string `json:"reason,omitempty"`  // for example the binding that allows the request
	Message  string `json:"message,omitempty"` // of the refusal

	Asked    []string `json:"asked,omitempty"`    // the webhooks that were called, and their answers
	NotAsked []string `json:"notAsked,omitempty"` // the webhooks that were skipped, and why
}

// A Request is the request that was answered.
type Request struct {
	Label  string `json:"label,omitempty"`  // the name that its author gave it
	Source string `json:"source,omitempty"` // file and line

	Verb        string                      `json:"verb"`
	Resource    metav1.GroupVersionResource `json:"resource"`
	Subresource string                      `json:"subresource,omitempty"`
	Namespace   string                      `json:"namespace,omitempty"`
	Name        string                      `json:"name,omitempty"`
	DryRun      bool                        `json:"dryRun,omitempty"`
	User        authenticationv1.UserInfo   `json:"user"`
}

// A Decider is what ended a request: a webhook or policy of a plugin, a plugin itself, an injected fault, or, if none of
// them is set, the API server outside of admission, with the CRD whose rules it applied.
type Decider struct {
	Plugin        string `json:"plugin,omitempty"`
	Configuration string `json:"configuration,omitempty"`
	Name          string `json:"name,omitempty"`
	Fault         string `json:"fault,omitempty"` // the kind of the fault that was injected; source says where it is defined
	Source        string `json:"source,omitempty"`
}

// An Admission is one run of the chain. Most requests cause one; a deletecollection causes one per object, and a
// request that the server refuses before admission causes none.
type Admission struct {
	Operation string                  `json:"operation"`
	Kind      metav1.GroupVersionKind `json:"kind"`
	Namespace string                  `json:"namespace,omitempty"`
	Name      string                  `json:"name,omitempty"` // of the request, or else of its object
	Elapsed   metav1.Duration         `json:"elapsed"`
	Steps     []Step                  `json:"steps"`
}

// A Step is what one plugin, or the server itself, did in one phase and round.
type Step struct {
	Phase   string `json:"phase"`
	Round   int    `json:"round"`
	Plugin  string `json:"plugin"`
	Outcome string `json:"outcome"`
	Because string `json:"because,omitempty"`
	Source  string `json:"source,omitempty"`
	Hint    string `json:"hint,omitempty"`

	// Changes are the changes that the step made to the object. If its hooks made them, the hooks have them.
	Changes []Change `json:"changes,omitempty"`
	Writes  []Write  `json:"writes,omitempty"`
	Hooks   []Hook   `json:"hooks,omitempty"`

	Status           *metav1.Status  `json:"status,omitempty"` // of the denial
	Warnings         []string        `json:"warnings,omitempty"`
	AuditAnnotations []Annotation    `json:"auditAnnotations,omitempty"`
	AsksForMore      bool            `json:"asksForSecondRound,omitempty"`
	Start            metav1.Duration `json:"start"`
	Duration         metav1.Duration `json:"duration"`
}

// A Hook is what one webhook, or one policy with one binding, did in a step. In the step in which the API server
// validates the object, it is a rule of the CRD that refuses the object.
type Hook struct {
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
	Source        string `json:"source,omitempty"`
	Index         int    `json:"index"` // among all hooks of the plugin

	Outcome string `json:"outcome"`
	Because string `json:"because,omitempty"`
	Matched string `json:"matched,omitempty"` // why it applies

	// Criterion is the field that decided whether the hook applies, such as rules[0], objectSelector,
	// matchConditions[name] or binding.namespaceSelector. It is empty if the reason was not a field of the hook, but
	// for example its round.
	Criterion string `json:"criterion,omitempty"`

	// Resource and Kind are those that the hook got, if it was called.
	Resource *metav1.GroupVersionResource `json:"resource,omitempty"`
	Kind     *metav1.GroupVersionKind     `json:"kind,omitempty"`

	// Param is the param of a policy, as kind and name. Expressions are the results of the policy's expressions, or of
	// the match conditions of a webhook, in order of evaluation; Costs are their costs, grouped by budget.
	Param       string       `json:"param,omitempty"`
	Expressions []Expression `json:"expressions,omitempty"`
	Costs       []Cost       `json:"costs,omitempty"`

	Reinvocable bool            `json:"reinvocable,omitempty"`
	Calls       []Call          `json:"calls,omitempty"`
	Patch       json.RawMessage `json:"patch,omitempty"` // as the webhook sent it
	Changes     []Change        `json:"changes,omitempty"`
	PatchNotes  []string        `json:"patchNotes,omitempty"` // what happened to the patch, if changes do not show it

	Status           *metav1.Status  `json:"status,omitempty"`
	Warnings         []string        `json:"warnings,omitempty"`
	WarningNotes     []string        `json:"warningNotes,omitempty"` // which of Warnings are not sent, and why
	AuditAnnotations []Annotation    `json:"auditAnnotations,omitempty"`
	Start            metav1.Duration `json:"start"`
	Duration         metav1.Duration `json:"duration"`
}

// An Expression is the result of one expression of a policy, or of one rule of a CRD.
type Expression struct {
	Field      string `json:"field"`          // the field of the expression in the spec of the policy, or of the rule in its part of the schema
	Name       string `json:"name,omitempty"` // of the match condition, variable or audit annotation, or the field that a rule is about
	Expression string `json:"expression,omitempty"`

	Value   json.RawMessage `json:"value,omitempty"`   // for a mutation, the change that it asks for
	Message string          `json:"message,omitempty"` // of a failed validation
	Error   string          `json:"error,omitempty"`

	Cost   int64 `json:"cost"`   // as the API server counts it, including the variables that it was the first to use
	Budget int64 `json:"budget"` // what was left before the evaluation; for a rule, both are 0
}

// A Cost is the total cost of expressions that share a budget.
type Cost struct {
	Of     string `json:"of"` // what they are in the spec, such as validations, or mutations[0]
	Cost   int64  `json:"cost"`
	Budget int64  `json:"budget"`
}

// A Call is one review that was sent, and what came back.
type Call struct {
	URL      string          `json:"url"`
	Status   int             `json:"status,omitempty"` // HTTP status; omitted if no answer came
	Error    string          `json:"error,omitempty"`
	Duration metav1.Duration `json:"duration"`

	Answered string          `json:"answered,omitempty"` // the beginning of a reply that could not be used
	Assumed  string          `json:"assumed,omitempty"`  // why it is not known whether the real answer is the same
	Review   json.RawMessage `json:"review,omitempty"`
	Reply    string          `json:"reply,omitempty"`
}

// A Change is one operation on the way from the object before to the object after.
type Change struct {
	Op    string          `json:"op"` // add, replace or remove
	Path  string          `json:"path"`
	Old   json.RawMessage `json:"old,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// An Annotation is one entry of the audit event.
type Annotation struct {
	Key   string `json:"key"`
	Value string `json:"value"`
}

// A Write is an object that a plugin wrote into the cluster.
type Write struct {
	TypeMeta
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name"`
}

// String returns who decided, in a few words.
func (d Decider) String() string {
	switch {
	case d.Name != "":
		return d.Plugin + ": " + d.Configuration + "/" + d.Name
	case d.Plugin != "":
		return d.Plugin
	case d.Fault != "":
		return "an injected fault"
	case d.Configuration != "":
		return "the API server: CustomResourceDefinition " + d.Configuration
	}
	return "the API server"
}
