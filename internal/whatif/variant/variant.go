// Package variant builds worlds with other webhooks and policies, in order to try what these do: one webhook alone,
// some in another order, those that a selector keeps from a request.
//
// Start with [AsIs], which returns the webhooks of a cluster, and [Variant.In]. [Originally] makes the backends of the
// webhooks answer in such a cluster.
package variant

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
)

// A Variant is a set of webhooks of a world, each in a configuration of its own whose name determines when it is
// called.
type Variant struct {
	mutating   []mutatingHook
	validating []validatingHook
}

type mutatingHook struct {
	admissionregistrationv1.MutatingWebhook
	configuration, source string
}

type validatingHook struct {
	admissionregistrationv1.ValidatingWebhook
	configuration, source string
}

// AsIs returns the variant in which nothing is changed.
func AsIs(s *cluster.State) (v Variant) {
	for o := range objects.WebhookConfigurations(s) {
		for _, w := range objects.Webhooks(o.Object) {
			if w.Mutating != nil {
				v.mutating = append(v.mutating, mutatingHook{*w.Mutating, w.Configuration, o.Source})
			} else {
				v.validating = append(v.validating, validatingHook{w.ValidatingWebhook, w.Configuration, o.Source})
			}
		}
	}
	return v
}

// place is the beginning of the name of a configuration in a variant.
const place = "admsim-%05d."

// Originally makes the backends of a variant those of the configurations that it was made from.
func Originally(resolver world.Resolver) world.Resolver {
	return func(configuration, webhook string) dispatch.Backend {
		return resolver(Original(configuration), webhook)
	}
}

// Original returns the name of the configuration that a configuration of a variant was made from.
func Original(configuration string) string {
	if rest, ok := strings.CutPrefix(configuration, "admsim-"); ok {
		if number, name, ok := strings.Cut(rest, "."); ok && len(number) == 5 {
			return name
		}
	}
	return configuration
}

// In returns the cluster of state with the webhooks of the variant. Their backends are those of [Originally].
func (v Variant) In(state *cluster.State) *cluster.State {
	for o := range objects.WebhookConfigurations(state) {
		state = state.Without(cluster.KeyOf(o.Object))
	}
	for i, w := range v.mutating {
		c := &admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{w.MutatingWebhook}}
		c.APIVersion, c.Kind = "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"
		c.Name = fmt.Sprintf(place, i) + w.configuration
		state = state.With(cluster.Object{Object: c, Source: w.source})
	}
	for i, w := range v.validating {
		c := &admissionregistrationv1.ValidatingWebhookConfiguration{Webhooks: []admissionregistrationv1.ValidatingWebhook{w.ValidatingWebhook}}
		c.APIVersion, c.Kind = "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"
		c.Name = fmt.Sprintf(place, i) + w.configuration
		state = state.With(cluster.Object{Object: c, Source: w.source})
	}
	return state
}

func (w mutatingHook) is(name document.Actor) bool {
	return w.configuration == name.Configuration && w.Name == name.Name
}

// Without returns the variant without the mutating webhooks named.
func (v Variant) Without(names ...document.Actor) Variant {
	v.mutating = slices.DeleteFunc(slices.Clone(v.mutating), func(w mutatingHook) bool { return slices.ContainsFunc(names, w.is) })
	return v
}

// Only returns the variant with the mutating webhooks named, in that order, and no others.
func (v Variant) Only(names ...document.Actor) (o Variant) {
	for _, name := range names {
		for _, w := range v.mutating {
			if w.is(name) {
				o.mutating = append(o.mutating, w)
				break
			}
		}
	}
	return o
}

// IfNeeded returns the variant with only its mutating webhooks, all of which are called again if the object changes
// after them.
func (v Variant) IfNeeded() (o Variant) {
	policy := admissionregistrationv1.IfNeededReinvocationPolicy
	o.mutating = slices.Clone(v.mutating)
	for i := range o.mutating {
		o.mutating[i].ReinvocationPolicy = &policy
	}
	return o
}

// Unselected returns the variant with only the webhooks named, without selectors and conditions.
func (v Variant) Unselected(names ...document.Actor) (o Variant) {
	is := func(plugin, configuration, name string) bool {
		return slices.ContainsFunc(names, func(by document.Actor) bool {
			return by.Plugin == plugin && by.Configuration == configuration && by.Name == name
		})
	}
	for _, w := range v.mutating {
		if is(whatif.MutatingWebhooks, w.configuration, w.Name) {
			w.NamespaceSelector, w.ObjectSelector, w.MatchConditions = &metav1.LabelSelector{}, &metav1.LabelSelector{}, nil
			o.mutating = append(o.mutating, w)
		}
	}
	for _, w := range v.validating {
		if is(whatif.ValidatingWebhooks, w.configuration, w.Name) {
			w.NamespaceSelector, w.ObjectSelector, w.MatchConditions = &metav1.LabelSelector{}, &metav1.LabelSelector{}, nil
			o.validating = append(o.validating, w)
		}
	}
	return o
}

// Mutates reports whether the variant has mutating webhooks.
func (v Variant) Mutates() bool { return len(v.mutating) > 0 }
