package rules

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// The texts are those of ObjectReflectDiff of Kubernetes 1.14.10, with the names of internal types and one address (ER-07).
func TestReflectDiff(t *testing.T) {
	long := strings.Repeat("x", 100)
	claim := func(labels map[string]string, spec corev1.PersistentVolumeClaimSpec) *corev1.PersistentVolumeClaim {
		return &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: labels}, Spec: spec}
	}
	storage := func(size string) corev1.VolumeResourceRequirements {
		return corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse(size)}}
	}
	old := claim(map[string]string{"a": "b", "c": "d", "l": long + "1"}, corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{"A", "B"}, Resources: storage("1Gi"), VolumeName: "v",
	})
	sent := claim(map[string]string{"a": "c", "e": "d", "l": long + "2"}, corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{"A"}, Resources: storage("2Gi"), StorageClassName: ptr.To("s"),
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"a": "b"}},
	})
	sent.OwnerReferences = []metav1.OwnerReference{{Name: "o", Controller: ptr.To(true)}}
	for _, test := range []struct{ release, want string }{
		{"1.14", `
object.ObjectMeta.Labels[a]:
  a: "b"
  b: "c"
object.ObjectMeta.Labels[c]:
  a: "d"
  b: <nil>
object.ObjectMeta.Labels[e]:
  a: <nil>
  b: "d"
object.ObjectMeta.Labels[l]:
  a: ...` + long[:77] + `1"
  b: ...` + long[:77] + `2"
object.ObjectMeta.OwnerReferences[0]:
  a: <nil>
  b: v1.OwnerReference{APIVersion:"", Kind:"", Name:"o", UID:"", Controller:(*bool)(0...
object.Spec.AccessModes[1]:
  a: "B"
  b: <nil>
object.Spec.Selector:
  a: <nil>
  b: &v1.LabelSelector{MatchLabels:map[string]string{"a":"b"}, MatchExpressions:[]v1....
object.Spec.Resources.Requests[storage]:
  a: ...e:1073741824, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"1Gi\",...
  b: ...e:2147483648, scale:0}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:\"2Gi\",...
object.Spec.VolumeName:
  a: "v"
  b: ""
object.Spec.StorageClassName:
  a: <nil>
  b: (*string)(0xc000000000)`},
		{"1.10", `
object.ObjectMeta.Labels[a]:
  a: "b"
  b: "c"
object.ObjectMeta.Labels[c]:
  a: "d"
  b: <nil>
object.ObjectMeta.Labels[e]:
  a: <nil>
  b: "d"
object.ObjectMeta.Labels[l]:
  a: "` + long[:74] + `
  b: "` + long[:74]},
	} {
		r, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		got := InternalDiff(r, old, sent)
		if test.release == "1.10" { // the rest is the same, cut off elsewhere
			got, _, _ = strings.Cut(got, "\nobject.ObjectMeta.OwnerReferences")
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.release, diff)
		}
	}
}
