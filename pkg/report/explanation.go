package report

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/plugins/webhook"
	"github.com/admsim/admsim/pkg/trace"
)

// An Explanation says which webhooks would be called for a request, in the order in which
// they are asked.
type Explanation struct {
	TypeMeta

	Request    Request              `json:"request"`
	Mutating   []WebhookExplanation `json:"mutating"`
	Validating []WebhookExplanation `json:"validating"`

	// Timeouts are how long the webhooks may take: mutating ones one after the other,
	// validating ones side by side, and the limit of the request.
	Timeouts Timeouts `json:"timeouts"`

	// Denied is set where the request is refused even if every webhook allows it.
	Denied *Denial `json:"denied,omitempty"`
}

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

// A Denial is who refuses a request, and why.
type Denial struct {
	By     Decider        `json:"by"`
	Hint   string         `json:"hint,omitempty"`
	Status *metav1.Status `json:"status"`
}

// NewExplanation returns what is known about q in the form that is shown.
func NewExplanation(q Request, asked admission.Request, mutating, validating []webhook.Explanation) *Explanation {
	e := &Explanation{
		TypeMeta:   TypeMeta{APIVersion, ExplanationKind},
		Request:    q,
		Mutating:   webhooks(mutating),
		Validating: webhooks(validating),
	}
	e.Request.DryRun = q.DryRun || asked.DryRun
	limit := asked.Timeout
	e.Timeouts.Request.Duration = limit
	for _, w := range e.Mutating {
		e.Timeouts.Mutating.Duration += w.timeout(limit)
	}
	for _, w := range e.Validating {
		e.Timeouts.Validating.Duration = max(e.Timeouts.Validating.Duration, w.timeout(limit))
	}
	return e
}

// Deny says that the request is refused without any webhook: by a step, or where that is
// nil before admission.
func (e *Explanation) Deny(status *metav1.Status, by *trace.Step) {
	e.Denied = &Denial{Status: status}
	if by == nil {
		return
	}
	e.Denied.Hint, e.Denied.By.Source = by.Hint, by.Source
	if by.Phase != trace.Server {
		e.Denied.By.Plugin = by.Plugin
	}
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
