package explanation

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/simulator"
)

// aboutConversion returns a note that names the webhook which converts the custom resource of a request, and says whether
// the request needs it. It is empty if there is no such webhook.
func aboutConversion(e *document.Explanation, explained simulator.Explanation, sim *simulator.Simulator) string {
	r, known := sim.Resources().Resource(explained.Request.Resource)
	if !known || r.CRD == nil || r.CRD.Spec.Conversion == nil || r.CRD.Spec.Conversion.Strategy != apiextensionsv1.WebhookConverter {
		return ""
	}
	why := "does not need it"
	version := explained.Request.Resource.Version
	for _, asked := range versionsOf(e) {
		if asked != version {
			why = fmt.Sprintf("needs it: a webhook or policy is asked about version %s", asked)
		}
	}
	if version != r.Storage.Version {
		why = fmt.Sprintf("needs it: version %s is stored, not %s", r.Storage.Version, version)
	}
	return fmt.Sprintf("webhook %s/conversion converts objects between versions; this request %s", r.CRD.Name, why)
}

// versionsOf returns the versions of the resource that webhooks and policies are asked about.
func versionsOf(e *document.Explanation) (versions []string) {
	add := func(r *metav1.GroupVersionResource) {
		if r != nil {
			versions = append(versions, r.Version)
		}
	}
	for _, list := range [][]document.WebhookExplanation{e.Mutating, e.Validating} {
		for _, w := range list {
			add(w.Resource)
		}
	}
	for _, list := range [][]document.PolicyExplanation{e.MutatingPolicies, e.ValidatingPolicies} {
		for _, p := range list {
			add(p.Resource)
		}
	}
	return versions
}
