package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

func TestShallowCopy(t *testing.T) {
	for _, object := range []runtime.Object{
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web", Labels: map[string]string{"app": "web"}}, Spec: corev1.PodSpec{NodeName: "one"}},
		&unstructured.Unstructured{Object: map[string]any{
			"metadata": map[string]any{"name": "web", "labels": map[string]any{"app": "web"}},
			"spec":     map[string]any{"size": int64(1)},
		}},
		&unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{}}},
	} {
		before := object.DeepCopyObject()
		copied := ShallowCopy(object)
		if diff := cmp.Diff(object, copied); diff != "" {
			t.Errorf("the copy differs: %s", diff)
		}
		m, err := meta.Accessor(copied)
		if err != nil {
			t.Fatal(err)
		}
		m.SetName("other")
		m.SetUID("1")
		m.SetLabels(map[string]string{"app": "other"})
		m.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "tester", Operation: "Update"}})
		m.SetOwnerReferences([]metav1.OwnerReference{{Name: "owner"}})
		if diff := cmp.Diff(before, object); diff != "" {
			t.Errorf("setting metadata of the copy changed the object: %s", diff)
		}
		if m.GetName() != "other" || m.GetLabels()["app"] != "other" || len(m.GetManagedFields()) != 1 {
			t.Errorf("the copy does not keep the fields that were set: %v", copied)
		}
	}
}
