package audit

import (
	"cmp"
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Hold says which objects the cluster had when the log began. What the log shows of an object replaces it.
func (f *Fixtures) Hold(objects []manifest.Manifest) {
	w := &f.world
	w.begin()
	kinds := definedKinds(objects)
	for range 2 { // policies determine which params are wanted
		for _, m := range objects {
			if key, ok := keyOf(m, kinds); ok && w.wants(key, m.JSON) {
				w.objects[key] = m.JSON
			}
		}
	}
}

// A definedKind is a kind of a CustomResourceDefinition.
type definedKind struct {
	resource   string
	namespaced bool
}

func definedKinds(objects []manifest.Manifest) map[schema.GroupKind]definedKind {
	kinds := map[schema.GroupKind]definedKind{}
	for _, m := range objects {
		if m.Kind != "CustomResourceDefinition" {
			continue
		}
		var definition struct {
			Spec struct {
				Group, Scope string
				Names        struct{ Plural, Kind string }
			}
		}
		if json.Unmarshal(m.JSON, &definition) == nil {
			s := definition.Spec
			kinds[schema.GroupKind{Group: s.Group, Kind: s.Names.Kind}] = definedKind{s.Names.Plural, s.Scope == "Namespaced"}
		}
	}
	return kinds
}

// keyOf returns the key of an object, if its kind is known.
func keyOf(m manifest.Manifest, defined map[schema.GroupKind]definedKind) (recording.Key, bool) {
	kind, ok := defined[m.GroupKind()]
	if !ok {
		builtIn, known := kubeversion.Default().ForKind(m.GroupVersionKind)
		if !known {
			return recording.Key{}, false
		}
		kind = definedKind{builtIn.Resource, builtIn.Namespaced}
	}
	key := recording.Key{Group: m.Group, Resource: kind.resource, Name: m.Name}
	if kind.namespaced {
		key.Namespace = cmp.Or(m.Namespace, metav1.NamespaceDefault)
	}
	return key, true
}
