package simulator

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/plugins"
)

// A Webhook is what [Options.Backends] can be asked for.
type Webhook struct{ Configuration, Name string }

// String is the name with that of the configuration, where there is one.
func (w Webhook) String() string {
	if w.Configuration == "" {
		return w.Name
	}
	return w.Configuration + "/" + w.Name
}

// Webhooks are those of the cluster that requests find: of admission, of the conversion of custom
// resources, and the one of ImagePolicyWebhook where that plugin runs.
func (s *Simulator) Webhooks() (all []Webhook) {
	kinds := append(kindsOf(admissionregistrationv1.GroupName, "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"),
		schema.GroupKind{Group: apiextensionsv1.GroupName, Kind: "CustomResourceDefinition"})
	for _, kind := range kinds {
		for o := range s.state.List(kind, "") {
			all = append(all, webhooksOf(o)...)
		}
	}
	if _, runs := s.parts.builtIn["ImagePolicyWebhook"]; runs {
		all = append(all, Webhook{Name: plugins.ImagePolicyBackend})
	}
	return all
}

func webhooksOf(o cluster.Object) (all []Webhook) {
	switch c := o.Object.(type) {
	case *admissionregistrationv1.MutatingWebhookConfiguration:
		for _, w := range c.Webhooks {
			all = append(all, Webhook{c.Name, w.Name})
		}
	case *admissionregistrationv1.ValidatingWebhookConfiguration:
		for _, w := range c.Webhooks {
			all = append(all, Webhook{c.Name, w.Name})
		}
	case *apiextensionsv1.CustomResourceDefinition:
		if c.Spec.Conversion != nil && c.Spec.Conversion.Webhook != nil {
			all = append(all, Webhook{c.Name, conversionWebhook})
		}
	}
	return all
}
