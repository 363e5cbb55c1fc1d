package rules

import (
	"encoding/json"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/moved"
)

// Former returns a field that the release has and the types do not ([moved.Kept]), given the annotations of its object.
// It is the zero value if the object does not have the field.
func Former[T any](annotations map[string]string, path string) (value T) {
	if text := moved.Kept(annotations, path); text != "" {
		_ = json.Unmarshal([]byte(text), &value) // cannot fail: the codec makes the annotation
	}
	return value
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

func isStatus(path string) bool { return path == "status" || strings.HasPrefix(path, "status.") }

func isSpec(path string) bool { return !isStatus(path) }

func annotationsOf(obj runtime.Object) map[string]string {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	return m.GetAnnotations()
}
