package resources

import (
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
)

// defaultClasses counts the objects that are marked as the default.
func defaultClasses(s *cluster.State, gk schema.GroupKind, annotations ...string) int {
	n := 0
	for class := range s.List(gk, "") {
		if m, err := meta.Accessor(class.Object); err == nil && marked(m, annotations) {
			n++
		}
	}
	return n
}

// defaultClass returns the object of a kind that any of these annotations marks as the default. If there are several,
// the newest counts, and among equally old ones the first by name (DSC-02, DIC-02).
func defaultClass(s *cluster.State, gk schema.GroupKind, annotations ...string) (found cluster.Object, name string, ok bool) {
	var newest metav1.Time
	for class := range s.List(gk, "") {
		m, err := meta.Accessor(class.Object)
		if err != nil || !marked(m, annotations) {
			continue
		}
		if created := m.GetCreationTimestamp(); !ok || created.After(newest.Time) {
			found, name, ok, newest = class, m.GetName(), true, created
		}
	}
	return found, name, ok
}

func marked(m metav1.Object, annotations []string) bool {
	for _, key := range annotations {
		if m.GetAnnotations()[key] == "true" {
			return true
		}
	}
	return false
}
