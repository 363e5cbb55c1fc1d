package rules

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	kubejson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Former returns a field that the release has and the types do not ([moved.Kept]), given the annotations of its object.
// It is the zero value if the object does not have the field.
func Former[T any](annotations map[string]string, path string) (value T) {
	decodeFormer(moved.Kept(annotations, path), &value)
	return value
}

// decodeFormer reads the JSON of a former field, if it has one.
func decodeFormer(text string, into any) {
	if text != "" {
		_ = kubejson.UnmarshalCaseSensitivePreserveInts([]byte(text), into) // cannot fail: the codec makes the annotation
	}
}

// SetFormer gives an object the former field at a path that has these annotations, or drops the field if they have none.
func SetFormer(obj runtime.Object, from map[string]string, path string) {
	setFormer(obj, from, func(other string) bool { return other == path })
}

func setFormer(obj runtime.Object, from map[string]string, is func(path string) bool) {
	m, err := meta.Accessor(obj)
	if err != nil {
		return
	}
	before := m.GetAnnotations()
	if after := moved.WithKept(before, from, is); len(before)+len(after) > 0 {
		m.SetAnnotations(after)
	}
}

// clusterName is a field that metadata had up to 1.24.
const clusterName = "metadata.clusterName"

// DropUnsaved removes the fields of metadata that are not saved, and warns of them (CV-10b):
// kubernetes/apiserver@v0.24.17:pkg/registry/rest/create.go, BeforeCreate.
func DropUnsaved(obj runtime.Object, r *kubeversion.Release, warn func(string)) {
	if !r.HasFormer(metav1.ObjectMeta{}.OpenAPIModelName(), "clusterName") {
		return
	}
	if !r.Enabled("Initializers") {
		dropMetadata(obj, initializers)
	}
	if dropMetadata(obj, clusterName) && warn != nil && r.Has(kubeversion.ClusterNameDeprecated) {
		warn("metadata.clusterName was specified. This field is not preserved and will be removed from the schema in 1.25")
	}
}

// dropMetadata removes a former field from metadata, and reports whether it was there.
func dropMetadata(obj runtime.Object, path string) (had bool) {
	if u, isCustom := obj.(*unstructured.Unstructured); isCustom {
		steps := strings.Split(path, ".")
		_, had, _ = unstructured.NestedFieldNoCopy(u.Object, steps...)
		unstructured.RemoveNestedField(u.Object, steps...)
		return had
	}
	if had = moved.Kept(annotationsOf(obj), path) != ""; had {
		SetFormer(obj, nil, path)
	}
	return had
}

func isStatus(path string) bool { return path == "status" || strings.HasPrefix(path, "status.") }

func isSpec(path string) bool { return !isStatus(path) }

func annotationsOf(obj runtime.Object) map[string]string {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	return m.GetAnnotations()
}
