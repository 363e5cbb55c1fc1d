package document

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/report"
)

// An Explanation says which policies would be asked about a request, and which webhooks
// called, in their order: in each phase policies come first.
type Explanation struct {
	report.TypeMeta

	Request report.Request `json:"request"`

	// Authorization is what the server's authorizers say before admission, as in a Result.
	Authorization *report.Authorization `json:"authorization,omitempty"`

	MutatingPolicies   []PolicyExplanation  `json:"mutatingPolicies"`
	Mutating           []WebhookExplanation `json:"mutating"` // webhooks
	ValidatingPolicies []PolicyExplanation  `json:"validatingPolicies"`
	Validating         []WebhookExplanation `json:"validating"` // webhooks

	// Timeouts are how long the webhooks may take: mutating ones one after the other,
	// validating ones side by side, and the limit of the request.
	Timeouts Timeouts `json:"timeouts"`

	// Hanging is what becomes of the request should all webhooks hang; not set where none
	// may be called, or where the request is refused before them.
	Hanging *Hanging `json:"hanging,omitempty"`

	// Denied is set where the request is refused even if every webhook allows it.
	Denied *Denial `json:"denied,omitempty"`
	Early  bool    `json:"-"` // it is refused before any webhook is called

	// Note is what the reader should know of the cluster where nobody denies the request for it.
	Note string `json:"note,omitempty"`

	// Called: the webhooks that are not called and the policies that are not asked are left out.
	Called bool `json:"-"`
}

// Whether a webhook would be called, or a policy asked.
const (
	Yes     = "yes"
	No      = "no"
	Depends = "depends" // on an object that is not known
)

// A WebhookExplanation is about one webhook.
type WebhookExplanation struct {
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
	Source        string `json:"source,omitempty"`
	Index         int    `json:"index"`

	Called  string `json:"called"` // yes, no, or depends on an object that is not known
	Because string `json:"because"`

	// CalledIf is the smallest change that would have it called, of those that do not ask for another resource: all of it would
	// have to be.
	CalledIf []string `json:"calledIf,omitempty"`

	Resource *metav1.GroupVersionResource `json:"resource,omitempty"`
	Kind     *metav1.GroupVersionKind     `json:"kind,omitempty"`

	TimeoutSeconds int32  `json:"timeoutSeconds,omitempty"`
	FailurePolicy  string `json:"failurePolicy"`
	SideEffects    string `json:"sideEffects,omitempty"`
	Reinvocable    bool   `json:"reinvocable,omitempty"`
}

// OnlyCalled leaves out the webhooks that are not called and the policies that are not asked.
func (e *Explanation) OnlyCalled() {
	e.Called = true
	uncalled := func(w WebhookExplanation) bool { return w.Called == No }
	unasked := func(p PolicyExplanation) bool { return p.Asked == No }
	e.Mutating, e.Validating = slices.DeleteFunc(e.Mutating, uncalled), slices.DeleteFunc(e.Validating, uncalled)
	e.MutatingPolicies, e.ValidatingPolicies = slices.DeleteFunc(e.MutatingPolicies, unasked), slices.DeleteFunc(e.ValidatingPolicies, unasked)
}

// Timeouts are what webhooks that may be called can take at most.
type Timeouts struct {
	Mutating   metav1.Duration `json:"mutating"`
	Validating metav1.Duration `json:"validating"`
	Request    metav1.Duration `json:"request,omitzero"`
}

// A Hanging is how a request ends whose webhooks all hang: with the first mutating webhook
// whose failurePolicy is Fail, else with all validating ones, which are waited for together;
// and in any case when the time of the request is over.
type Hanging struct {
	After   metav1.Duration `json:"after"`
	Refused bool            `json:"refused"`
	By      *report.Decider `json:"by,omitempty"` // the webhook that refuses it; not set where its time is over, or where it goes on without them
}

// The plugins that call webhooks.
const (
	MutatingWebhooks   = "MutatingAdmissionWebhook"
	ValidatingWebhooks = "ValidatingAdmissionWebhook"
)

// A Denial is who refuses a request, and why.
type Denial struct {
	By     report.Decider `json:"by"`
	Hint   string         `json:"hint,omitempty"`
	Status *metav1.Status `json:"status"`
}
