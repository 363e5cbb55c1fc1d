package simulator

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/internal/objects"
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
	for o := range objects.WebhookConfigurations(s.state) {
		for _, w := range objects.Webhooks(o.Object) {
			all = append(all, Webhook{w.Configuration, w.Name})
		}
	}
	for o := range s.state.List(apiextensionsv1.Kind("CustomResourceDefinition"), "") {
		if c, ok := o.Object.(*apiextensionsv1.CustomResourceDefinition); ok && c.Spec.Conversion != nil && c.Spec.Conversion.Webhook != nil {
			all = append(all, Webhook{c.Name, conversionWebhook})
		}
	}
	if _, runs := s.parts.builtIn["ImagePolicyWebhook"]; runs {
		all = append(all, Webhook{Name: plugins.ImagePolicyBackend})
	}
	return all
}
