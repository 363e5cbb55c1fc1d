package rules

import (
	"iter"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/moved"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// PartOf returns a part of an object, to be shown with the former fields that the annotations of the object hold.
func PartOf(annotations map[string]string, value any) any { return part{value, annotations} }

// A part is a value in an object that has these annotations.
type part struct {
	value       any
	annotations map[string]string
}

// asPart returns a value as a part. Objects and templates have their own annotations.
func asPart(value any) part {
	if p, ok := value.(part); ok {
		return p
	}
	return part{value: value}
}

// A formerMember is a field of an internal type that today's type does not have.
type formerMember struct {
	path string // in the object or template that has annotations ([moved.Kept])
	next string // the name in Go of the field after it; empty for the last one
}

var formerMembers = map[reflect.Type][]formerMember{
	reflect.TypeFor[metav1.ObjectMeta]():                  {{initializers, "Finalizers"}, {clusterName, "ManagedFields"}},
	reflect.TypeFor[corev1.PersistentVolumeClaimStatus](): {{"status.resizeStatus", "AllocatedResourceStatuses"}},
	reflect.TypeFor[corev1.PodSpec]():                     {{"spec.workloadRef", ""}},
	reflect.TypeFor[corev1.VolumeResourceRequirements]():  {{"spec.resources.claims", ""}},
}

// formerBefore returns the former fields that the release has before the named field of a type, by their names in Go.
func formerBefore(r *kubeversion.Release, t reflect.Type, next string, annotations map[string]string) iter.Seq2[string, reflect.Value] {
	return func(yield func(string, reflect.Value) bool) {
		for _, f := range formerMembers[t] {
			name := f.path[strings.LastIndex(f.path, ".")+1:]
			model, _ := builtin.OpenAPIName(t)
			if f.next == next && r.HasFormer(model, name) && !yield(formerGoName(r, name), formerValue(builtin.FormerType(model, name), moved.Kept(annotations, f.path))) {
				return
			}
		}
	}
}

// formerValue returns the value of a former field, given its JSON; empty if it is not set.
func formerValue(t reflect.Type, text string) reflect.Value {
	v := reflect.New(t)
	decodeFormer(text, v.Interface())
	return v.Elem()
}

// formerGoName returns the name of a former field in Go.
func formerGoName(r *kubeversion.Release, name string) string {
	if name == "clusterName" && r.Has(kubeversion.ClusterNameDeprecated) {
		return "ZZZ_DeprecatedClusterName"
	}
	return strings.ToUpper(name[:1]) + name[1:]
}

// annotationsWithin returns the annotations that hold the former fields of a value: its own, if it has metadata.
func annotationsWithin(v reflect.Value, outer map[string]string) map[string]string {
	if f := v.FieldByName("ObjectMeta"); f.IsValid() && f.CanInterface() {
		if m, ok := f.Interface().(metav1.ObjectMeta); ok {
			return m.Annotations
		}
	}
	return outer
}

// shownMetadata returns metadata without the annotations that hold former fields.
func shownMetadata(m metav1.ObjectMeta) metav1.ObjectMeta {
	m.Annotations = moved.WithKept(m.Annotations, nil, func(string) bool { return true })
	return m
}
