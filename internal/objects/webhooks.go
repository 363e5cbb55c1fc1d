package objects

import (
	"iter"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/cluster"
)

// WebhookConfigurations returns the webhook configurations of a cluster, the mutating ones first, each kind in the
// server's order.
func WebhookConfigurations(s *cluster.State) iter.Seq[cluster.Object] {
	return func(yield func(cluster.Object) bool) {
		for _, kind := range []string{"MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"} {
			for o := range s.List(schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: kind}, "") {
				if !yield(o) {
					return
				}
			}
		}
	}
}

// IsWebhookConfiguration reports whether an object is a configuration of webhooks.
func IsWebhookConfiguration(o runtime.Object) bool {
	switch o.(type) {
	case *admissionregistrationv1.MutatingWebhookConfiguration, *admissionregistrationv1.ValidatingWebhookConfiguration:
		return true
	}
	return false
}

// A Webhook is a webhook of a configuration.
type Webhook struct {
	admissionregistrationv1.ValidatingWebhook // what both kinds have in common
	Configuration                             string

	// Mutating is the whole webhook if it is a mutating one, otherwise nil.
	Mutating *admissionregistrationv1.MutatingWebhook
}

// Reinvocable reports whether the webhook is called again after others changed the object (W-203).
func (w Webhook) Reinvocable() bool {
	return w.Mutating != nil && w.Mutating.ReinvocationPolicy != nil &&
		*w.Mutating.ReinvocationPolicy == admissionregistrationv1.IfNeededReinvocationPolicy
}

// Webhooks returns the webhooks of a configuration with their indices. It is empty for other objects.
func Webhooks(configuration runtime.Object) iter.Seq2[int, Webhook] {
	return func(yield func(int, Webhook) bool) {
		switch c := configuration.(type) {
		case *admissionregistrationv1.MutatingWebhookConfiguration:
			for i := range c.Webhooks {
				w := &c.Webhooks[i]
				if !yield(i, Webhook{rules.ValidatingForm(*w), c.Name, w}) {
					return
				}
			}
		case *admissionregistrationv1.ValidatingWebhookConfiguration:
			for i, w := range c.Webhooks {
				if !yield(i, Webhook{w, c.Name, nil}) {
					return
				}
			}
		}
	}
}
