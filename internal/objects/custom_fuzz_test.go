package objects_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// FuzzCustom checks that an object made to fit a schema fits it: pruning, defaulting and storing it again does not
// change it, and arguments are never changed.
func FuzzCustom(f *testing.F) {
	archive, err := txtar.ParseFile("testdata/custom/gizmos.txtar")
	if err != nil {
		f.Fatal(err)
	}
	gizmos := parseCRD(f, string(archive.Files[0].Data))
	for _, file := range archive.Files {
		if strings.HasPrefix(file.Name, "create Gizmo.") {
			f.Add(file.Data)
		}
	}
	f.Add([]byte(`{"apiVersion":"crd.example.com/v1","kind":"Gizmo","metadata":null,"spec":{"deep":null,"map":{"a":null},"list":[null],"embedded":{"metadata":7}}}`))
	gvk := schema.GroupVersionKind{Group: "crd.example.com", Version: "v1", Kind: "Gizmo"}
	other := gvk.GroupKind().WithVersion("v1alpha1")
	types := kinds.New(serving(gizmos), objects.Options{})

	f.Fuzz(func(t *testing.T, body []byte) {
		obj, _, err := types.Decode(body, gvk, objects.Warn)
		if err != nil {
			return
		}
		u := obj.(*unstructured.Unstructured)
		before := u.DeepCopy()
		same := func(what string, got any) {
			t.Helper()
			if diff := cmp.Diff(before.Object, got.(*unstructured.Unstructured).Object); diff != "" {
				t.Errorf("%s (-want +got):\n%s", what, diff)
			}
		}
		same("defaulted again", types.Default(u))

		text, err := json.Marshal(u)
		if err != nil {
			t.Fatalf("it does not encode: %v", err)
		}
		again, _, err := types.Decode(text, gvk, objects.Strict)
		if err != nil {
			t.Fatalf("read again: %v", err)
		}
		same("read again", again)

		types.Validate(u, objects.Write{Kind: gvk})
		types.ValidateUpdate(u, u, objects.Write{Kind: gvk})
		types.ValidateUpdate(u, u, objects.Write{Kind: gvk, Subresource: "status"})
		types.PrepareForUpdate(u, before, objects.Write{Kind: gvk})
		if u.GetKind() != gvk.Kind {
			return // validation refuses it later
		}
		stored, _, err := types.Stored(u)
		if err != nil {
			t.Fatalf("storing it: %v", err)
		}
		served, err := types.Served(stored, gvk)
		if err != nil {
			t.Fatalf("serving it: %v", err)
		}
		if diff := cmp.Diff(stored, served); diff != "" {
			t.Errorf("stored and served again (-want +got):\n%s", diff)
		}
		if _, err := types.Served(stored, other); err != nil {
			t.Errorf("serving it in another version: %v", err)
		}
		same("an argument changed", u)
	})
}
