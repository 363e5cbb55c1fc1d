package audit

import (
	"cmp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/snapshot"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// hold notes the objects that the cluster had when the log began.
func (w *shownWorld) hold(objects []manifest.Manifest) {
	kinds := snapshot.Definitions(objects)
	for range 2 { // policies determine which params are wanted
		for _, m := range objects {
			if key, ok := keyOf(m, w.release, kinds); ok && w.wants(key, m.JSON) {
				w.objects[key] = m
			}
		}
	}
}

// keyOf returns the key of an object, if its kind is known.
func keyOf(m manifest.Manifest, r *kubeversion.Release, defined map[schema.GroupKind]snapshot.Definition) (recording.Key, bool) {
	kind, ok := defined[m.GroupKind()]
	if !ok {
		builtIn, known := r.ForKind(m.GroupVersionKind)
		if !known {
			return recording.Key{}, false
		}
		kind = snapshot.Definition{Resource: builtIn.Resource, Namespaced: builtIn.Namespaced}
	}
	key := recording.Key{Group: m.Group, Resource: kind.Resource, Name: m.Name}
	if kind.Namespaced {
		key.Namespace = cmp.Or(m.Namespace, metav1.NamespaceDefault)
	}
	return key, true
}
