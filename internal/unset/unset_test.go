package unset_test

import (
	"encoding/json"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/unset"
)

// Unset fields are written as older servers wrote them (W-138).
func TestWrite(t *testing.T) {
	set := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	for _, tt := range []struct {
		reason string
		object any
		want   string
	}{
		{"an object", &corev1.ConfigMap{}, `{"metadata":{"creationTimestamp":null}}`},
		{"a time that is set", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: set}}, `{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"}}`},
		{"a list", &corev1.ConfigMapList{Items: make([]corev1.ConfigMap, 1)}, `{"items":[{"metadata":{"creationTimestamp":null}}],"metadata":{}}`},
		{"a slice without devices", &resourcev1.ResourceSlice{}, `{"metadata":{"creationTimestamp":null},"spec":{"devices":null,"driver":"","pool":{"generation":0,"name":"","resourceSliceCount":0}}}`},
		{"no device", &resourcev1beta1.ResourceSlice{Spec: resourcev1beta1.ResourceSliceSpec{Devices: []resourcev1beta1.Device{}}}, `{"metadata":{"creationTimestamp":null},"spec":{"devices":[],"driver":"","pool":{"generation":0,"name":"","resourceSliceCount":0}}}`},
		{"a device", &resourcev1beta2.ResourceSlice{Spec: resourcev1beta2.ResourceSliceSpec{Devices: make([]resourcev1beta2.Device, 1)}}, `{"metadata":{"creationTimestamp":null},"spec":{"devices":[{"name":""}],"driver":"","pool":{"generation":0,"name":"","resourceSliceCount":0}}}`},
		{"a policy", &networkingv1.NetworkPolicy{}, `{"metadata":{"creationTimestamp":null},"spec":{"podSelector":{}},"status":{}}`},
		{"nothing", (*corev1.Pod)(nil), `null`},
	} {
		if got := written(t, tt.object); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
	template := tree(t, &appsv1.Deployment{})["spec"].(map[string]any)["template"].(map[string]any)["metadata"].(map[string]any)
	if value, there := template["creationTimestamp"]; !there || value != nil {
		t.Errorf("the metadata of a template: %v, want a creationTimestamp of null", template)
	}
}

func tree(t *testing.T, object any) (tree map[string]any) {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	unset.Fields{Times: true, Devices: true, Status: true}.Write(object, tree)
	return tree
}

func written(t *testing.T, object any) string {
	t.Helper()
	made := tree(t, object)
	data, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
