package view

import (
	"context"
	"errors"
	"fmt"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
)

// ConversionWebhook is what the conversion webhook of a CRD is called: its configuration is
// the name of the CRD, as in widgets.example.com/conversion.
const ConversionWebhook = "conversion"

// conversions has the backends that answer for webhooks answer for the conversion webhooks
// of CRDs, too.
func conversions(backends func(configuration, webhook string) dispatch.Backend) objects.Converter {
	return func(crd *apiextensionsv1.CustomResourceDefinition, review *apiextensionsv1.ConversionReview) (*apiextensionsv1.ConversionReview, error) {
		callback := dispatch.Callback{
			Configuration: crd.Name,
			Name:          ConversionWebhook,
			Client:        conversionClient(crd),
			Backend:       backends(crd.Name, ConversionWebhook),
			Codec:         conversionCodec(),
			Version:       schema.FromAPIVersionAndKind(review.APIVersion, "").Version,
			UID:           review.Request.UID,
			Once:          true,
		}
		answer := &apiextensionsv1.ConversionReview{}
		asked, err := callback.Ask(context.Background(), admission.Request{}, review, answer)
		if nobody := (*dispatch.NoAnswerError)(nil); errors.As(err, &nobody) {
			return nil, fmt.Errorf("%w: %w", objects.ErrNoConverter, err)
		}
		if err == nil {
			err = asked.Failed
		}
		return answer, err
	}
}

// conversionClient is where the webhook of a CRD is, in the words of admission webhooks.
func conversionClient(crd *apiextensionsv1.CustomResourceDefinition) (c admissionregistrationv1.WebhookClientConfig) {
	if crd.Spec.Conversion == nil || crd.Spec.Conversion.Webhook == nil || crd.Spec.Conversion.Webhook.ClientConfig == nil {
		return c
	}
	config := crd.Spec.Conversion.Webhook.ClientConfig
	c.URL, c.CABundle = config.URL, config.CABundle
	if s := config.Service; s != nil {
		c.Service = &admissionregistrationv1.ServiceReference{Namespace: s.Namespace, Name: s.Name, Path: s.Path, Port: s.Port}
	}
	return c
}

// conversionCodec writes and reads reviews of both versions, which have the same fields.
var conversionCodec = sync.OnceValue(func() runtime.Codec {
	s := runtime.NewScheme()
	for _, version := range []string{"v1", "v1beta1"} {
		s.AddKnownTypeWithName(schema.GroupVersionKind{Group: apiextensionsv1.GroupName, Version: version, Kind: "ConversionReview"}, &apiextensionsv1.ConversionReview{})
	}
	return json.NewSerializerWithOptions(json.DefaultMetaFactory, s, s, json.SerializerOptions{})
})
