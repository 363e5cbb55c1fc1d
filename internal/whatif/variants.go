package whatif

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
)

// A variant is a world with other webhooks than it has, each in a configuration of its own
// whose name says at which place it is called.
type variant struct {
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

// asIs is the variant in which nothing is changed.
func asIs(s *cluster.State) (v variant) {
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

// place is what the name of a configuration in a variant begins with.
const place = "admsim-%05d."

// originally has backends of a variant be those of the configurations that it was made of.
func originally(resolver world.Resolver) world.Resolver {
	return func(configuration, webhook string) dispatch.Backend {
		return resolver(original(configuration), webhook)
	}
}

// original is the name of the configuration that one of a variant was made of.
func original(configuration string) string {
	if rest, ok := strings.CutPrefix(configuration, "admsim-"); ok {
		if number, name, ok := strings.Cut(rest, "."); ok && len(number) == 5 {
			return name
		}
	}
	return configuration
}

// in is the cluster of state with the webhooks of the variant. Their backends are those of originally.
func (v variant) in(state *cluster.State) *cluster.State {
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

// without is the variant less the mutating webhooks named.
func (v variant) without(names ...document.Actor) variant {
	v.mutating = slices.DeleteFunc(slices.Clone(v.mutating), func(w mutatingHook) bool { return slices.ContainsFunc(names, w.is) })
	return v
}

// only is the variant with the mutating webhooks named, in that order, and no others.
func (v variant) only(names ...document.Actor) (o variant) {
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
