package view

import (
	"context"
	"errors"
	"fmt"
	"sync"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"

	"github.com/admsim/admsim/internal/jsonread"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// Conversions records the calls of conversion webhooks during one request.
type Conversions struct {
	ctx context.Context //nolint:containedctx // of the request

	mu    sync.Mutex
	hooks []trace.Hook
}

// NewConversions returns the Conversions of a request with context ctx.
func NewConversions(ctx context.Context) *Conversions { return &Conversions{ctx: ctx} }

// Take returns a hook for each conversion since the last call.
func (c *Conversions) Take() []trace.Hook {
	c.mu.Lock()
	defer c.mu.Unlock()
	hooks := c.hooks
	c.hooks = nil
	return hooks
}

func (c *Conversions) add(crd string, asked dispatch.Exchange, because string, failed error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	h := trace.Hook{
		Configuration: crd, Name: dispatch.ConversionWebhook, Outcome: trace.Allowed, Because: because,
		Called: len(asked.Calls) > 0, Calls: asked.Calls, Duration: asked.Took,
	}
	if failed != nil {
		h.Outcome, h.Because = trace.Failed, failed.Error()
	}
	c.hooks = append(c.hooks, h)
}

// conversions makes the backends of webhooks answer for the conversion webhooks of CRDs, too. The calls are added to
// noted, unless that is nil.
func conversions(backends func(configuration, webhook string) dispatch.Backend, noted *Conversions, r *kubeversion.Release) objects.Converter {
	return func(crd *apiextensionsv1.CustomResourceDefinition, review *apiextensionsv1.ConversionReview, use func(*apiextensionsv1.ConversionReview) error) error {
		callback := dispatch.Callback{
			Configuration: crd.Name,
			Name:          dispatch.ConversionWebhook,
			Client:        conversionClient(crd),
			Backend:       backends(crd.Name, dispatch.ConversionWebhook),
			Codec:         conversionCodec(r),
			Version:       schema.FromAPIVersionAndKind(review.APIVersion, "").Version,
			UID:           review.Request.UID,
			Once:          true,
			Release:       r,
		}
		ctx := context.Background()
		if noted != nil {
			ctx = noted.ctx
		}
		answer := &apiextensionsv1.ConversionReview{}
		asked, err := ask(ctx, callback, review, answer)
		if stopped := ctx.Err(); stopped != nil {
			return fmt.Errorf("%w: %w", objects.ErrNoConverter, stopped)
		}
		if nobody := (*dispatch.NoAnswerError)(nil); errors.As(err, &nobody) {
			return fmt.Errorf("%w: %w", objects.ErrNoConverter, err)
		} else if err != nil {
			return err
		}
		failed := asked.Failed
		if failed == nil {
			failed = use(answer)
		}
		if noted != nil {
			noted.add(crd.Name, asked, "converts to "+review.Request.DesiredAPIVersion, failed)
		}
		return failed
	}
}

// ask sends a review in the version that it names, and reads the reply in the same version into answer.
func ask(ctx context.Context, webhook dispatch.Callback, review, answer *apiextensionsv1.ConversionReview) (dispatch.Exchange, error) {
	if review.APIVersion == apiextensionsv1.SchemeGroupVersion.String() {
		return webhook.Ask(ctx, admission.Request{}, review, answer)
	}
	beta := &apiextensionsv1beta1.ConversionReview{}
	asked, err := webhook.Ask(ctx, admission.Request{}, asBeta(review), beta)
	*answer = *asV1(beta)
	return asked, err
}

// conversionClient returns the location of a CRD's webhook as a client configuration of admission webhooks.
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

// conversionScheme has the types of the versions of reviews that a server of a release reads, and Status.
func conversionScheme(r *kubeversion.Release) *runtime.Scheme {
	if r.Has(kubeversion.ConvertedKindNamed) {
		return conversionReviews()
	}
	return conversionReviewsOfBeta()
}

var (
	conversionReviews       = sync.OnceValue(func() *runtime.Scheme { return reviewScheme(true) })
	conversionReviewsOfBeta = sync.OnceValue(func() *runtime.Scheme { return reviewScheme(false) })
)

func reviewScheme(v1 bool) *runtime.Scheme {
	s := runtime.NewScheme()
	s.AddKnownTypes(apiextensionsv1beta1.SchemeGroupVersion, &apiextensionsv1beta1.ConversionReview{})
	metav1.AddToGroupVersion(s, apiextensionsv1beta1.SchemeGroupVersion)
	if v1 {
		s.AddKnownTypes(apiextensionsv1.SchemeGroupVersion, &apiextensionsv1.ConversionReview{})
		metav1.AddToGroupVersion(s, apiextensionsv1.SchemeGroupVersion)
	}
	return s
}

// conversionCodec reads replies as the webhook client of a release does, with the same error messages:
// kubernetes/apiserver:pkg/util/webhook/client.go.
func conversionCodec(r *kubeversion.Release) jsonread.Codec {
	scheme := conversionScheme(r)
	codec := serializer.NewCodecFactory(scheme).LegacyCodec(apiextensionsv1.SchemeGroupVersion, apiextensionsv1beta1.SchemeGroupVersion)
	return jsonread.Codec{Codec: codec, Scheme: scheme, Release: r}
}

// asBeta returns a review of v1beta1, which has the same fields.
func asBeta(review *apiextensionsv1.ConversionReview) *apiextensionsv1beta1.ConversionReview {
	return &apiextensionsv1beta1.ConversionReview{
		TypeMeta: review.TypeMeta,
		Request:  (*apiextensionsv1beta1.ConversionRequest)(review.Request),
		Response: (*apiextensionsv1beta1.ConversionResponse)(review.Response),
	}
}

// asV1 is the opposite of asBeta.
func asV1(review *apiextensionsv1beta1.ConversionReview) *apiextensionsv1.ConversionReview {
	return &apiextensionsv1.ConversionReview{
		TypeMeta: review.TypeMeta,
		Request:  (*apiextensionsv1.ConversionRequest)(review.Request),
		Response: (*apiextensionsv1.ConversionResponse)(review.Response),
	}
}
