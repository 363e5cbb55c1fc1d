package document

import (
	"fmt"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/plugins/webhook"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
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
	Denied         *Denial `json:"denied,omitempty"`
	beforeWebhooks bool    // are called, it is denied

	// Note is what the reader should know of the cluster where nobody denies the request for it.
	Note string `json:"note,omitempty"`
}

// Early reports whether the request is refused before any webhook is called.
func (e *Explanation) Early() bool { return e.beforeWebhooks }

// A WebhookExplanation is about one webhook.
type WebhookExplanation struct {
	Configuration string `json:"configuration"`
	Name          string `json:"name"`
	Source        string `json:"source,omitempty"`
	Index         int    `json:"index"`

	Called  string `json:"called"` // yes, no, or depends on an object that is not known
	Because string `json:"because"`

	Resource *metav1.GroupVersionResource `json:"resource,omitempty"`
	Kind     *metav1.GroupVersionKind     `json:"kind,omitempty"`

	TimeoutSeconds int32  `json:"timeoutSeconds,omitempty"`
	FailurePolicy  string `json:"failurePolicy"`
	SideEffects    string `json:"sideEffects,omitempty"`
	Reinvocable    bool   `json:"reinvocable,omitempty"`
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

// NewExplanations returns what is known about what was asked in the form that is shown: an
// explanation an object; without secrets, unless there is no redactor.
func NewExplanations(asked world.Asked, explained []simulator.Explanation, redactor *redact.Redactor) (_ []*Explanation, err error) {
	defer bug.Catch(&err)
	authorization, err := authorizationOf(asked)
	if err != nil {
		return nil, err
	}
	all := make([]*Explanation, len(explained))
	for i, one := range explained {
		all[i] = newExplanation(RequestOf(asked), one)
		if len(explained) > 1 {
			all[i].Request.Name = one.Request.Name
		}
		all[i].Authorization = authorization
		all[i].Note = all[i].aboutNamespace(asked.Simulator.State())
		all[i] = all[i].withoutSecrets(redactor, asked, one)
	}
	return all, nil
}

func newExplanation(q report.Request, explained simulator.Explanation) *Explanation {
	e := &Explanation{
		TypeMeta:           typeMeta(report.ExplanationKind),
		Request:            q,
		MutatingPolicies:   policies(explained.MutatingPolicies),
		Mutating:           webhooks(explained.Mutating),
		ValidatingPolicies: policies(explained.ValidatingPolicies),
		Validating:         webhooks(explained.Validating),
	}
	e.Request.DryRun = q.DryRun || explained.Request.DryRun
	limit := explained.Request.Timeout
	e.Timeouts.Request.Duration = limit
	for _, w := range e.Mutating {
		e.Timeouts.Mutating.Duration += w.timeout(limit)
	}
	for _, w := range e.Validating {
		e.Timeouts.Validating.Duration = max(e.Timeouts.Validating.Duration, w.timeout(limit))
	}
	if explained.Refusal != nil {
		e.Denied = denial(explained.Refusal, explained.Refused)
		e.beforeWebhooks = beforeWebhooks(explained.Refused)
	}
	if !e.beforeWebhooks {
		e.Hanging = hanging(e.Mutating, e.Validating, limit)
	}
	return e
}

// beforeWebhooks tells of the step that refuses a request, nil if it does not come to
// admission, whether no webhook is called before it.
func beforeWebhooks(refused *trace.Step) bool {
	return refused == nil || refused.Phase == trace.Mutating && refused.Round == 0 && refused.Plugin != MutatingWebhooks
}

// aboutNamespace notes that the namespace of the request is not there, which nobody denies a
// request for that creates nothing: it would be answered before, as there is nothing in it.
func (e *Explanation) aboutNamespace(s *cluster.State) string {
	name := e.Request.Namespace
	if e.Denied != nil || name == "" {
		return ""
	}
	if _, there := s.Find(cluster.Key{GroupKind: corev1.SchemeGroupVersion.WithKind("Namespace").GroupKind(), Name: name}); there {
		return ""
	}
	return fmt.Sprintf("the cluster has no namespace %q, and so nothing in it; add the Namespace to the manifests", name)
}

// hanging is what becomes of the request should all webhooks that may be called hang.
func hanging(mutating, validating []WebhookExplanation, limit time.Duration) *Hanging {
	spent, last := time.Duration(0), time.Duration(0)
	over := func() bool { return limit > 0 && spent >= limit }
	for _, w := range mutating {
		spent += w.timeout(limit)
		switch {
		case over():
			return &Hanging{After: metav1.Duration{Duration: limit}, Refused: true}
		case w.fails():
			return &Hanging{After: metav1.Duration{Duration: spent}, Refused: true, By: w.decider(MutatingWebhooks)}
		}
	}
	var by *report.Decider
	for _, w := range validating {
		last = max(last, w.timeout(limit))
		if by == nil && w.fails() {
			by = w.decider(ValidatingWebhooks)
		}
	}
	spent += last
	switch {
	case spent == 0:
		return nil
	case over():
		return &Hanging{After: metav1.Duration{Duration: limit}, Refused: true}
	}
	return &Hanging{After: metav1.Duration{Duration: spent}, Refused: by != nil, By: by}
}

// fails reports whether the webhook refuses the request when it may be called and hangs.
func (w WebhookExplanation) fails() bool {
	return w.Called != string(webhook.No) && w.FailurePolicy == string(admissionregistrationv1.Fail)
}

func (w WebhookExplanation) decider(plugin string) *report.Decider {
	return &report.Decider{Plugin: plugin, Configuration: w.Configuration, Name: w.Name, Source: w.Source}
}

// denial says that the request is refused without any webhook: by a step, or where that is
// nil before admission.
func denial(status *metav1.Status, by *trace.Step) *Denial {
	d := &Denial{Status: status}
	if by == nil {
		return d
	}
	d.Hint, d.By = by.Hint, *deciderOf(by)
	return d
}

func webhooks(list []webhook.Explanation) []WebhookExplanation {
	all := make([]WebhookExplanation, len(list))
	for i, w := range list {
		all[i] = WebhookExplanation{
			Configuration:  w.Configuration,
			Name:           w.Name,
			Source:         w.Source,
			Index:          w.Index,
			Called:         string(w.Called),
			Because:        w.Because,
			TimeoutSeconds: w.TimeoutSeconds,
			FailurePolicy:  string(w.FailurePolicy),
			SideEffects:    string(w.SideEffects),
			Reinvocable:    w.Reinvocable,
		}
		if w.Called == webhook.Yes {
			all[i].Resource, all[i].Kind = new(metav1.GroupVersionResource(w.Resource)), new(metav1.GroupVersionKind(w.Kind))
		}
	}
	return all
}

// timeout is how long the webhook may take, if it may be called at all.
func (w WebhookExplanation) timeout(limit time.Duration) time.Duration {
	switch {
	case w.Called == string(webhook.No):
		return 0
	case w.TimeoutSeconds == 0:
		return limit
	}
	return time.Duration(w.TimeoutSeconds) * time.Second
}
