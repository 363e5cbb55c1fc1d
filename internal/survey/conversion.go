package survey

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/simulator"
)

// A conversion is that of custom resources by a webhook: whoever reads or writes them in another version than the stored one
// needs it.
type conversion struct {
	resource schema.GroupResource // which is also the name of its definition
	stored   string               // the version
	backend  string               // what answers for the webhook
}

func conversionsOf(sim *simulator.Simulator) (all []conversion) {
	for _, r := range sim.Resources().All() {
		if r.CRD == nil || r.CRD.Spec.Conversion == nil || r.CRD.Spec.Conversion.Strategy != apiextensionsv1.WebhookConverter {
			continue
		}
		one := conversion{r.GroupResource(), r.Storage.Version, backendOf(admissionregistrationv1.WebhookClientConfig{})}
		if w := r.CRD.Spec.Conversion.Webhook; w != nil && w.ClientConfig != nil {
			client := admissionregistrationv1.WebhookClientConfig{URL: w.ClientConfig.URL}
			if s := w.ClientConfig.Service; s != nil {
				client.Service = &admissionregistrationv1.ServiceReference{Namespace: s.Namespace, Name: s.Name}
			}
			one.backend = backendOf(client)
		}
		if !slices.Contains(all, one) { // which each version is
			all = append(all, one)
		}
	}
	return all
}

// name is what the webhook is called where it is called: by its definition, which counts as its configuration.
func (c *conversion) name() string { return c.resource.String() + "/conversion" }

func (c *conversion) matches(pattern string) bool {
	return matches(pattern, c.resource.String(), c.name()) || servedBy(pattern, c.backend)
}

// about reports whether an endpoint is of the resource.
func (c *conversion) about(e *space.Endpoint) bool { return e.Resource.GroupResource() == c.resource }

// needed reports whether requests to an endpoint need the conversion, whoever is asked about them.
func (c *conversion) needed(e *space.Endpoint) bool {
	return c.about(e) && e.Resource.Version != c.stored
}

// failing are the requests that fail without some conversions: those in another version than the stored one, and those about
// which a webhook or policy is asked in another version than theirs. A webhook whose objects cannot be converted refuses the
// request whatever its failurePolicy is; a policy that ignores failures ignores this one.
func (w *World) failing(s *space.Space, without []conversion) (all []space.Requests) {
	if len(without) == 0 {
		return nil
	}
	var converted []space.Requests
	for i := range w.hooks {
		if h := &w.hooks[i]; !h.Policy || !h.failsOpen() {
			converted = append(converted, s.Region(0, &h.Hook).Converted)
		}
	}
	for i := range without {
		c := &without[i]
		all = append(all, s.Where(s.Everything(), c.needed))
		for _, r := range converted {
			if here := s.Where(r, c.about); !here.IsEmpty() {
				all = append(all, here)
			}
		}
	}
	return all
}
