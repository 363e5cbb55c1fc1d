package survey

import (
	"slices"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/simulator"
)

// A conversion is the conversion of a custom resource by a webhook. Requests in a version other than the stored one
// need it.
type conversion struct {
	resource schema.GroupResource // also the name of its definition
	stored   string               // the stored version
	backend  string               // the server that the webhook is called at
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
		if !slices.Contains(all, one) { // every version has the same conversion
			all = append(all, one)
		}
	}
	return all
}

// name returns the name by which the webhook can be named: its definition counts as its configuration.
func (c *conversion) name() string { return c.resource.String() + "/conversion" }

func (c *conversion) matches(pattern string) bool {
	return matches(pattern, c.resource.String(), c.name()) || servedBy(pattern, c.backend)
}

// about reports whether an endpoint belongs to the resource.
func (c *conversion) about(e *space.Endpoint) bool { return e.Resource.GroupResource() == c.resource }

// needed reports whether requests to an endpoint need the conversion, whatever hooks are asked about them.
func (c *conversion) needed(e *space.Endpoint) bool {
	return c.about(e) && e.Resource.Version != c.stored
}

// failing returns the requests that fail without some conversions: those in a version other than the stored one, and
// those about which a webhook or policy is asked in another version than that of the request. A webhook whose objects
// cannot be converted refuses the request whatever its failurePolicy is; a policy that ignores failures ignores this
// one, too.
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
			if matching := s.Where(r, c.about); !matching.IsEmpty() {
				all = append(all, matching)
			}
		}
	}
	return all
}
