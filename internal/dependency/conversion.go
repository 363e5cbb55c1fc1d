package dependency

import (
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
)

// conversionTimeout is how many seconds the server waits for a conversion:
// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/webhook_converter.go.
const conversionTimeout = int32(30)

// conversionOf returns the webhook that converts the resources of a definition; nil if there is none.
func conversionOf(definition cluster.Object) *Webhook {
	crd, ok := definition.Object.(*apiextensionsv1.CustomResourceDefinition)
	if !ok || crd.Spec.Conversion == nil || crd.Spec.Conversion.Webhook == nil || crd.Spec.Conversion.Webhook.ClientConfig == nil {
		return nil
	}
	config := crd.Spec.Conversion.Webhook.ClientConfig
	w := &Webhook{Configuration: crd.Name, Converts: true, Source: definition.PlaceOf("spec.conversion.webhook")}
	w.Name, w.TimeoutSeconds = dispatch.ConversionWebhook, new(conversionTimeout)
	w.ClientConfig = admissionregistrationv1.WebhookClientConfig{URL: config.URL}
	if s := config.Service; s != nil {
		w.ClientConfig.Service = &admissionregistrationv1.ServiceReference{Namespace: s.Namespace, Name: s.Name, Path: s.Path, Port: s.Port}
	}
	return w
}
