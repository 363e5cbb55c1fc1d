package document

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/report"
)

// An Explanation says which policies would be evaluated for a request and which webhooks called, in order: in each
// phase, policies come first.
type Explanation struct {
	report.TypeMeta

	Request report.Request `json:"request"`

	// Admission and Admissions are set if the server runs the admission chain several times for the object: which of
	// these times this is, and how many there are at most.
	Admission  int `json:"admission,omitempty"`
	Admissions int `json:"admissions,omitempty"`

	// Authorization is the decision of the server's authorizers before admission, as in a Result.
	Authorization *report.Authorization `json:"authorization,omitempty"`

	MutatingPolicies   []PolicyExplanation  `json:"mutatingPolicies"`
	Mutating           []WebhookExplanation `json:"mutating"` // webhooks
	ValidatingPolicies []PolicyExplanation  `json:"validatingPolicies"`
	Validating         []WebhookExplanation `json:"validating"` // webhooks

	// Timeouts is how long the webhooks may take, mutating webhooks one after the other and validating webhooks
	// concurrently, and the time limit of the request.
	Timeouts Timeouts `json:"timeouts"`

	// Hanging says what happens to the request if all webhooks hang. It is not set if none may be called, or if the
	// request is refused before them.
	Hanging *Hanging `json:"hanging,omitempty"`

	// Denied is set if the request is refused even if every webhook allows it.
	Denied *Denial `json:"denied,omitempty"`
	Early  bool    `json:"-"` // it is refused before any webhook is called

	// Note is a remark. It is no reason for a denial.
	Note string `json:"note,omitempty"`

	// Called is set if webhooks that are not called and policies that are not evaluated are left out.
	Called bool `json:"-"`
}

// Whether a webhook would be called, or a policy evaluated.
const (
	Yes     = "yes"
	No      = "no"
	Depends = "depends" // on an object that is unknown
)

// A WebhookExplanation is about one webhook.
type WebhookExplanation struct {
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
	Source        string `json:"source,omitempty"`
	Index         int    `json:"index"`

	Called  string `json:"called"` // yes, no, or depends on an object that is unknown
	Because string `json:"because"`

	// CalledIf is the smallest change with which the webhook would be called, not counting changes of the resource. All
	// of its parts are needed.
	CalledIf []string `json:"calledIf,omitempty"`

	Resource *metav1.GroupVersionResource `json:"resource,omitempty"`
	Kind     *metav1.GroupVersionKind     `json:"kind,omitempty"`

	TimeoutSeconds int32  `json:"timeoutSeconds,omitempty"`
	FailurePolicy  string `json:"failurePolicy"`
	SideEffects    string `json:"sideEffects,omitempty"`
	Reinvocable    bool   `json:"reinvocable,omitempty"`
}

// OnlyCalled leaves out webhooks that are not called and policies that are not evaluated.
func (e *Explanation) OnlyCalled() {
	e.Called = true
	uncalled := func(w WebhookExplanation) bool { return w.Called == No }
	unasked := func(p PolicyExplanation) bool { return p.Asked == No }
	e.Mutating, e.Validating = slices.DeleteFunc(e.Mutating, uncalled), slices.DeleteFunc(e.Validating, uncalled)
	e.MutatingPolicies, e.ValidatingPolicies = slices.DeleteFunc(e.MutatingPolicies, unasked), slices.DeleteFunc(e.ValidatingPolicies, unasked)
}

// Timeouts is the maximum time of the webhooks that may be called.
type Timeouts struct {
	Mutating   metav1.Duration `json:"mutating"`
	Validating metav1.Duration `json:"validating"`
	Request    metav1.Duration `json:"request,omitzero"`
}

// Hanging says how a request ends if all its webhooks hang: with the first mutating webhook whose failurePolicy is
// Fail, or else with the validating webhooks, which are waited for together; and in any case when the request runs out
// of time.
type Hanging struct {
	After   metav1.Duration `json:"after"`
	Refused bool            `json:"refused"`
	// The webhook that refuses it; not set if the request runs out of time, or goes on without the webhooks.
	By *report.Decider `json:"by,omitempty"`
}

// A Denial says who refuses a request, and why.
type Denial struct {
	By     report.Decider `json:"by"`
	Hint   string         `json:"hint,omitempty"`
	Status *metav1.Status `json:"status"`
}
