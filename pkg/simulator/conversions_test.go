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

// A request ends with its context, even while a conversion webhook is being called.
func TestCancelledConversion(t *testing.T) {
	schemaOfAny := &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"}}
	crd := &apiextensionsv1.CustomResourceDefinition{
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
					ConversionReviewVersions: []string{"v1"},
				},
			},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Name: "v1", Served: true, Storage: true, Schema: schemaOfAny},
				{Name: "v2", Served: true, Schema: schemaOfAny},
			},
		},
	}
	w := waits{make(chan struct{})}
	sim, err := simulator.New(simulator.Options{
		State:    cluster.New().With(cluster.Object{Object: crd}),
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
