package managedfields

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/admsim/admsim/internal/moved"
)

// Direct tracking agrees with the library for every pair of successive objects of one kind in the recordings.
func TestTrackDirectlyMatchesLibrary(t *testing.T) {
	last := map[schema.GroupVersionKind]runtime.Object{}
	direct, all := 0, 0
	managers := []string{"one", "two", "three"}
	old := builtInOf(Differences{
		MovedIn: func(schema.GroupKind) moved.Fields { return moved.Fields{} },
		Absent:  func(string) []string { return nil },
		Former:  func(string) []string { return nil },
		Merged: func(name string) []Merging {
			if name == "io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector" {
				return []Merging{{How: "granular"}}
			}
			return nil
		},
		Times: true,
	})
	for _, object := range recordedObjects(t) {
		kind := object.GetObjectKind().GroupVersionKind()
		before := last[kind]
		last[kind] = object
		if before == nil {
			before, _ = (creator{}).New(kind)
		}
		for _, target := range []Target{
			{Kind: kind, Schema: builtIn()},
			{Kind: kind, Schema: builtIn(), Reset: [][]string{{"status"}}},
			{Kind: kind, Schema: builtIn(), Subresource: "status", Reset: [][]string{{"spec"}}},
			{Kind: kind, Schema: old, Reset: [][]string{{"status"}}},
		} {
			target := resolve(target)
			for _, live := range []runtime.Object{before, nil} {
				all++
				writer := Writer{Manager: managers[all%len(managers)], Now: at(1 + all%7)}
				got, ok := target.trackDirectly(live, object, writer)
				if !ok {
					continue
				}
				direct++
				if live == nil {
					live = mustCreate(t, kind)
				}
				want := target.trackByLibrary(live, object, writer)
				if diff := cmp.Diff(encodeObject(t, want), encodeObject(t, got)); diff != "" {
					t.Fatalf("%s, %+v: (-library +direct)\n%s", kind, target, diff)
				}
				last[kind] = got
			}
		}
	}
	if direct < all*9/10 {
		t.Errorf("%d of %d were tracked directly", direct, all)
	}
	t.Logf("%d of %d were tracked directly", direct, all)
}

func mustCreate(t *testing.T, kind schema.GroupVersionKind) runtime.Object {
	t.Helper()
	object, err := (creator{}).New(kind)
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// recordedObjects returns all objects of built-in kinds in the recordings, without duplicates; in a short run only
// those of every tenth recording.
func recordedObjects(t *testing.T) (objects []runtime.Object) {
	t.Helper()
	files, err := filepath.Glob("../../testdata/recorded/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no recordings: %v", err)
	}
	seen := map[string]bool{}
	var collect func(any)
	collect = func(node any) {
		switch node := node.(type) {
		case []any:
			for _, n := range node {
				collect(n)
			}
		case map[string]any:
			u := unstructured.Unstructured{Object: node}
			if kind := u.GroupVersionKind(); scheme.Scheme.Recognizes(kind) && node["metadata"] != nil {
				object := mustCreate(t, kind)
				text, _ := json.Marshal(node)
				if !seen[string(text)] && json.Unmarshal(text, object) == nil {
					seen[string(text)] = true
					if _, err := meta.Accessor(object); err == nil {
						objects = append(objects, object)
					}
				}
			}
			for _, n := range node {
				collect(n)
			}
		}
	}
	for i, file := range files {
		if testing.Short() && i%10 != 0 {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var node any
		if err := json.Unmarshal(text, &node); err != nil {
			t.Fatal(err)
		}
		collect(node)
	}
	return objects
}
