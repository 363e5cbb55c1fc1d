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
	Hint     string   `json:"hint,omitempty"` // what can be done about a denial

	// Authorization is what the server's authorizers said before admission; where requests are not
	// authorized, that they would have refused this one. In all other cases there is none.
	Authorization *Authorization `json:"authorization,omitempty"`

	Warnings         []string          `json:"warnings,omitempty"`
	AuditAnnotations map[string]string `json:"auditAnnotations,omitempty"`
	Elapsed          metav1.Duration   `json:"elapsed"` // as the server would have taken

	Admissions []Admission `json:"admissions"`

	// Undetermined says why the server may give one of Alternatives instead: neither the request nor the cluster
	// decides. Without it, the server always answers like this.
	Undetermined string        `json:"undetermined,omitempty"`
	Alternatives []Alternative `json:"alternatives,omitempty"`

	// One of the three is the body of the answer.
	Object json.RawMessage `json:"object,omitempty"`
	Text   string          `json:"text,omitempty"`
	Status *metav1.Status  `json:"status,omitempty"` // always that of a denial
}

// An Alternative is another answer that is possible. Its warnings and audit annotations are not shown.
type Alternative struct {
	Code       int            `json:"code"`
	DeniedBy   *Decider       `json:"deniedBy,omitempty"`
	Status     *metav1.Status `json:"status,omitempty"`  // of a denial
	Changes    []Change       `json:"changes,omitempty"` // what leads from the object of the result to that of the alternative
	Admissions int            `json:"admissions"`        // how many there are
}

// An Authorization is an answer of the server's authorizers to a request.
type Authorization struct {
	Allowed  bool   `json:"allowed"`
	Enforced bool   `json:"enforced"`          // that it is not allowed ends the request
	By       string `json:"by,omitempty"`      // the authorizer that decided; none if all had no opinion
	Reason   string `json:"reason,omitempty"`  // such as the binding that allows it
	Message  string `json:"message,omitempty"` // of the refusal

	Asked    []string `json:"asked,omitempty"`    // the webhooks that were asked, and what they said
	NotAsked []string `json:"notAsked,omitempty"` // those that were passed over, and why
}

// A Request is what was asked.
type Request struct {
	Label  string `json:"label,omitempty"`  // what its author calls it
	Source string `json:"source,omitempty"` // file and line

	Verb        string                      `json:"verb"`
	Resource    metav1.GroupVersionResource `json:"resource"`
	Subresource string                      `json:"subresource,omitempty"`
	Namespace   string                      `json:"namespace,omitempty"`
	Name        string                      `json:"name,omitempty"`
	DryRun      bool                        `json:"dryRun,omitempty"`
	User        authenticationv1.UserInfo   `json:"user"`
}

// A Decider is who ended a request: a webhook or policy of a plugin, a plugin by itself, or
// with neither set the API server outside of admission, with the CRD whose rules it applied.
type Decider struct {
	Plugin        string `json:"plugin,omitempty"`
	Configuration string `json:"configuration,omitempty"`
	Name          string `json:"name,omitempty"`
	Source        string `json:"source,omitempty"`
}

// An Admission is one run of the chain. A request mostly causes one; a deletecollection one
// an object, and what the server refuses before admission none.
type Admission struct {
	Operation string                  `json:"operation"`
	Kind      metav1.GroupVersionKind `json:"kind"`
	Namespace string                  `json:"namespace,omitempty"`
	Name      string                  `json:"name,omitempty"` // of the request, else of its object
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

	// Changes are what the step did to the object. Where its hooks did it, they have them.
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

// A Hook is what one webhook, or one policy with one binding, did in a step; in the one in which
// the API server validates the object, a rule of its CRD that refuses it.
type Hook struct {
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
	Source        string `json:"source,omitempty"`
	Index         int    `json:"index"` // among all hooks of the plugin

	Outcome string `json:"outcome"`
	Because string `json:"because,omitempty"`
	Matched string `json:"matched,omitempty"` // why it applies

	// Criterion is the field that decided whether it applies, as in rules[0], objectSelector,
	// matchConditions[name] or binding.namespaceSelector. There is none where it was not about the
	// hook, but its round for instance.
	Criterion string `json:"criterion,omitempty"`

	// Resource and Kind are what the hook was shown, where it was called.
	Resource *metav1.GroupVersionResource `json:"resource,omitempty"`
	Kind     *metav1.GroupVersionKind     `json:"kind,omitempty"`

	// Param is what the params of a policy are here, as kind and name. Expressions are what
	// its expressions, or the match conditions of a webhook, said, in the order asked; Costs what they cost, by what shares a budget.
	Param       string       `json:"param,omitempty"`
	Expressions []Expression `json:"expressions,omitempty"`
	Costs       []Cost       `json:"costs,omitempty"`

	Reinvocable bool            `json:"reinvocable,omitempty"`
	Calls       []Call          `json:"calls,omitempty"`
	Patch       json.RawMessage `json:"patch,omitempty"` // as the webhook sent it
	Changes     []Change        `json:"changes,omitempty"`
	PatchNotes  []string        `json:"patchNotes,omitempty"` // what became of the patch, as far as changes do not show it

	Status           *metav1.Status  `json:"status,omitempty"`
	Warnings         []string        `json:"warnings,omitempty"`
	AuditAnnotations []Annotation    `json:"auditAnnotations,omitempty"`
	Start            metav1.Duration `json:"start"`
	Duration         metav1.Duration `json:"duration"`
}

// An Expression is what one expression of a policy, or one rule of a CRD, said of the request.
type Expression struct {
	Field      string `json:"field"`          // where in the spec of the policy, or in its part of the schema, it stands
	Name       string `json:"name,omitempty"` // of the match condition, variable or audit annotation, or the field that a rule is about
	Expression string `json:"expression,omitempty"`

	Value   json.RawMessage `json:"value,omitempty"`   // of a mutation the change that it asks for
	Message string          `json:"message,omitempty"` // of a validation that does not hold
	Error   string          `json:"error,omitempty"`

	Cost   int64 `json:"cost"`   // as the API server counts it, with the variables that it was the first to use
	Budget int64 `json:"budget"` // that was left before it; of a rule, both are 0
}

// A Cost is what expressions with one budget cost together.
type Cost struct {
	Of     string `json:"of"` // what they are in the spec, such as validations, or mutations[0]
	Cost   int64  `json:"cost"`
	Budget int64  `json:"budget"`
}

// A Call is one review sent, and what came back.
type Call struct {
	URL      string          `json:"url"`
	Status   int             `json:"status,omitempty"` // of HTTP; none where no answer came
	Error    string          `json:"error,omitempty"`
	Duration metav1.Duration `json:"duration"`

	Answered string          `json:"answered,omitempty"` // the beginning of a reply that was of no use
	Assumed  string          `json:"assumed,omitempty"`  // why nobody knows whether the answer is this one
	Review   json.RawMessage `json:"review,omitempty"`
	Reply    string          `json:"reply,omitempty"`
}

// A Change is one operation that leads from the object before to the one after.
type Change struct {
	Op    string          `json:"op"` // add, replace or remove
	Path  string          `json:"path"`
	Old   json.RawMessage `json:"old,omitempty"`
	Value json.RawMessage `json:"value,omitempty"`
}

// An Annotation is one entry meant for the audit event.
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
	case d.Configuration != "":
		return "the API server: CustomResourceDefinition " + d.Configuration
	}
	return "the API server"
}
