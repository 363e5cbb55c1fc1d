package simulator

import (
	"context"
	"runtime"
	"testing"
	"weak"

	authenticationv1 "k8s.io/api/authentication/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
)

func widgets() *apiextensionsv1.CustomResourceDefinition {
	preserve := true
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "example.com", Scope: apiextensionsv1.ClusterScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &preserve}},
			}},
		},
	}
}

// What was built for a definition is freed with it, however long requests continue, and what was built for a definition
// that stays is reused.
func TestDefinitionsGo(t *testing.T) {
	sim, err := New(Options{State: Bootstrap()})
	if err != nil {
		t.Fatal(err)
	}
	// with returns the simulator of a cluster with that definition, in which a widget was applied.
	with := func(sim *Simulator, crd *apiextensionsv1.CustomResourceDefinition) *Simulator {
		sim, err := sim.With(sim.State().With(cluster.Object{Object: crd}))
		if err != nil {
			t.Fatal(err)
		}
		result, err := sim.Do(context.Background(), rest.Request{
			Verb: rest.Patch, PatchType: rest.ApplyPatch, Query: map[string][]string{"fieldManager": {"me"}},
			Resource: schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "widgets"}, Name: "w",
			User: authenticationv1.UserInfo{Username: "admin", Groups: []string{"system:masters"}},
			Body: []byte(`{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"}}`),
		})
		if err != nil || result.Code >= 400 {
			t.Fatal(err, result)
		}
		return result.Next
	}
	kept := widgets()
	before := with(sim, kept)
	schemaOf := func(s *Simulator) any {
		made, err := s.parts.view.Types().FieldSchema(schema.GroupVersionKind{Group: "example.com", Version: "v1", Kind: "Widget"})
		if err != nil {
			t.Fatal(err)
		}
		return made
	}
	other := widgets()
	other.Name, other.Spec.Group = "widgets.other.example", "other.example"
	after, err := before.With(before.State().With(cluster.Object{Object: other}))
	if err != nil {
		t.Fatal(err)
	}
	if schemaOf(before) != schemaOf(after) {
		t.Error("the schema of an unchanged definition was built again")
	}

	crd := widgets()
	goes := weak.Make(crd)
	sim = with(sim, crd)
	crd = nil
	sim = with(sim, widgets())
	runtime.GC()
	if goes.Value() != nil {
		t.Error("a definition that was replaced is still known")
	}
	runtime.KeepAlive(sim)
}
