// Package variant builds worlds with other webhooks and policies, in order to try what these do: one webhook alone,
// some in another order, those that a selector keeps from a request.
//
// Start with [AsIs], which returns the webhooks of a cluster, and [Variant.In]. Webhooks of static manifests stay static
// in a variant: the server always calls them before the others. [Originally] makes the backends of the
// webhooks answer in such a cluster.
package variant

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Variant is a set of webhooks of a world, each in a configuration of its own whose name determines when it is
// called.
type Variant struct {
	mutating   []mutatingHook
	validating []validatingHook
}

type mutatingHook struct {
	admissionregistrationv1.MutatingWebhook
	origin
}

type validatingHook struct {
	admissionregistrationv1.ValidatingWebhook
	origin
}

// An origin is the configuration that a webhook of a variant is from.
type origin struct {
	configuration, source string
	static                bool
}

// AsIs returns the variant in which nothing is changed.
func AsIs(sim *simulator.Simulator) (v Variant) {
	static := sim.Static()
	for o := range sim.WebhookConfigurations() {
		isStatic := slices.ContainsFunc(static, func(s cluster.Object) bool { return s.Object == o.Object })
		for _, w := range objects.Webhooks(o.Object) {
			from := origin{w.Configuration, o.Source, isStatic}
			if w.Mutating != nil {
				v.mutating = append(v.mutating, mutatingHook{*w.Mutating, from})
			} else {
				v.validating = append(v.validating, validatingHook{w.ValidatingWebhook, from})
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

// In returns the simulator of a cluster with the webhooks of the variant instead of its own. Their backends are those of
// [Originally].
func (v Variant) In(sim *simulator.Simulator) (*simulator.Simulator, error) {
	state, had := sim.State(), sim.Static()
	for o := range objects.WebhookConfigurations(state) {
		state = state.Without(cluster.KeyOf(o.Object))
	}
	static := slices.DeleteFunc(slices.Clone(had), func(o cluster.Object) bool { return objects.IsWebhookConfiguration(o.Object) })
	add := func(configuration runtime.Object, of origin) {
		o := cluster.Object{Object: configuration, Source: of.source}
		if of.static {
			static = append(static, o)
		} else {
			state = state.With(o)
		}
	}
	for i, w := range v.mutating {
		c := &admissionregistrationv1.MutatingWebhookConfiguration{Webhooks: []admissionregistrationv1.MutatingWebhook{w.MutatingWebhook}}
		c.APIVersion, c.Kind = "admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"
		c.Name = fmt.Sprintf(place, i) + w.configuration
		add(c, w.origin)
	}
	for i, w := range v.validating {
		c := &admissionregistrationv1.ValidatingWebhookConfiguration{Webhooks: []admissionregistrationv1.ValidatingWebhook{w.ValidatingWebhook}}
		c.APIVersion, c.Kind = "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"
		c.Name = fmt.Sprintf(place, i) + w.configuration
		add(c, w.origin)
	}
	return in(sim, state, static)
}

// in returns the simulator of a cluster in another state, and with other static webhooks and policies.
func in(sim *simulator.Simulator, state *cluster.State, static []cluster.Object) (*simulator.Simulator, error) {
	sim, err := sim.With(state)
	if err != nil {
		return nil, err
	}
	return sim.WithStatic(static)
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

// Possible reports whether a server may call these mutating webhooks in this order: static ones always come first.
func (v Variant) Possible(order []document.Actor) bool {
	others := false
	for _, name := range order {
		i := slices.IndexFunc(v.mutating, func(w mutatingHook) bool { return w.is(name) })
		switch static := i >= 0 && v.mutating[i].static; {
		case !static:
			others = true
		case others:
			return false
		}
	}
	return true
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
