package simulator_test

import (
	"context"
	"errors"
	"testing"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// waits is a webhook that answers when the caller has stopped waiting.
type waits struct{ asked chan struct{} }

func (w waits) Call(ctx context.Context, _ dispatch.Call) dispatch.Reply {
	close(w.asked)
	<-ctx.Done()
	return dispatch.Reply{Err: ctx.Err()}
}

// gadgets returns a definition with a webhook that converts reviews of a version.
func gadgets(reviews string) *apiextensionsv1.CustomResourceDefinition {
	schemaOfAny := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "gadgets.shop.example"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "shop.example",
			Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "gadgets", Kind: "Gadget", ListKind: "GadgetList"},
			Conversion: &apiextensionsv1.CustomResourceConversion{
				Strategy: apiextensionsv1.WebhookConverter,
				Webhook: &apiextensionsv1.WebhookConversion{
					ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: new("https://gadgets.shop.example/")},
					ConversionReviewVersions: []string{reviews},
				},
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Name: "v1", Served: true, Storage: true, Schema: schemaOfAny},
				{Name: "v2", Served: true, Schema: schemaOfAny},
			},
		},
	}
}

// A request ends with its context, even while a conversion webhook is being called.
func TestCancelledConversion(t *testing.T) {
	w := waits{make(chan struct{})}
	sim, err := simulator.New(simulator.Options{
		State:    cluster.New().With(cluster.Object{Object: gadgets("v1")}),
		Backends: func(_, _ string) dispatch.Backend { return w },
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-w.asked
		cancel()
	}()
	began := time.Now()
	_, err = sim.Do(ctx, rest.Request{
		Verb:     rest.Create,
		Resource: schema.GroupVersionResource{Group: "shop.example", Version: "v2", Resource: "gadgets"},
		Body:     []byte(`{"apiVersion": "shop.example/v2", "kind": "Gadget", "metadata": {"name": "g"}}`),
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that of the context", err)
	}
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("the request ended after %v", took)
	}
}

type answers string

func (a answers) Call(context.Context, dispatch.Call) dispatch.Reply {
	return dispatch.Reply{Body: []byte(a)}
}

// An answer that cannot be read is an error in the words of the release (CV-11c).
func TestUnreadableConversion(t *testing.T) {
	for _, tt := range []struct{ release, reviews, want string }{
		{"1.23", "v1", "json: cannot unmarshal array into Go struct field ConversionReview.response of type v1.ConversionResponse"},
		{"1.22", "v1", `v1.ConversionReview.Response: readObjectStart: expect { or n, but found [, error found in #10 byte of ...|esponse":[]}|..., bigger context ...|.k8s.io/v1","kind":"ConversionReview","response":[]}|...`},
		{"1.22", "v1beta1", `v1beta1.ConversionReview.Response: readObjectStart: expect { or n, but found [, error found in #10 byte of ...|esponse":[]}|..., bigger context ...|io/v1beta1","kind":"ConversionReview","response":[]}|...`},
	} {
		r, err := kubeversion.Parse(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		sim, err := simulator.New(simulator.Options{
			Release: r,
			State:   cluster.New().With(cluster.Object{Object: gadgets(tt.reviews)}),
			Backends: func(_, _ string) dispatch.Backend {
				return answers(`{"apiVersion":"apiextensions.k8s.io/` + tt.reviews + `","kind":"ConversionReview","response":[]}`)
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		response, err := sim.Do(t.Context(), rest.Request{
			Verb:     rest.Create,
			Resource: schema.GroupVersionResource{Group: "shop.example", Version: "v2", Resource: "gadgets"},
			Body:     []byte(`{"apiVersion": "shop.example/v2", "kind": "Gadget", "metadata": {"name": "g"}}`),
		})
		if err != nil {
			t.Fatal(err)
		}
		want := "conversion webhook for shop.example/v2, Kind=Gadget failed: " + tt.want
		if status := response.Status(); status == nil || status.Message != want {
			t.Errorf("%s with reviews of %s answers %v, want %s", tt.release, tt.reviews, status, want)
		}
	}
}
