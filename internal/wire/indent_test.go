package wire_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	jsoniter "github.com/json-iterator/go"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/wire"
)

// Up to 1.22, JSON is indented as json-iterator does it: kubernetes/apimachinery@v0.22.17:pkg/runtime/serializer/json/json.go,
// CaseSensitiveJSONIterator.
func TestIndentIterated(t *testing.T) {
	iterator := jsoniter.Config{EscapeHTML: true, SortMapKeys: true, ValidateJsonRawMessage: true, CaseSensitive: true}.Froze()
	two := resource.MustParse("2")
	for _, object := range []runtime.Object{
		&metav1.Status{Status: "Failure", Message: `a "quoted" \ {text}, <b>:`, Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Field: "[a]"}, {}}}},
		&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "p", Labels: map[string]string{"a": "b", "c": ""}, ManagedFields: []metav1.ManagedFieldsEntry{{FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:a":{},"f:b":[]}`)}}}},
			Spec: corev1.PodSpec{
				Volumes:    []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}},
				Containers: []corev1.Container{{Args: []string{"", "}"}, Resources: corev1.ResourceRequirements{Limits: corev1.ResourceList{"cpu": two, "a\nb": two}}}, {}},
			},
		},
		&networkingv1.NetworkPolicy{Spec: networkingv1.NetworkPolicySpec{Ingress: []networkingv1.NetworkPolicyIngressRule{{}, {}}}},
		&corev1.PodList{},
		&corev1.PodList{Items: []corev1.Pod{{}, {}}},
		&corev1.SecretList{Items: []corev1.Secret{{Data: map[string][]byte{}}, {Data: map[string][]byte{"a": []byte("b")}}}},
		// Structs in a map begin in the first column.
		&resourcev1.ResourceSlice{Spec: resourcev1.ResourceSliceSpec{Devices: []resourcev1.Device{{Name: "d", Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{
			"a": {}, "b": {BoolValue: new(bool)},
		}}}}},
		&metav1.Table{Rows: []metav1.TableRow{
			{Cells: []any{"a", 1, nil, true, map[string]any{"a": map[string]any{}, "b": []any{1, map[string]any{}}}}, Object: runtime.RawExtension{Raw: []byte(`{"a":{"b":[]}}`)}}, {},
		}},
		&unstructured.Unstructured{Object: map[string]any{"apiVersion": "a.example/v1", "kind": "Shop", "spec": map[string]any{}}},
	} {
		data, err := iterator.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		want, err := iterator.MarshalIndent(object, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		got, err := wire.Media{Format: wire.JSON, Pretty: true, Iterated: true}.Encode(released{text: data}, object)
		if diff := cmp.Diff(string(want), string(got)); diff != "" || err != nil {
			t.Errorf("%T (-json-iterator +got), %v:\n%s", object, err, diff)
		}
	}
}
