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
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/unset"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Unset fields are written as older servers wrote them (W-138).
func TestWrite(t *testing.T) {
	set := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	allocated := resourcev1beta1.ResourceClaim{Status: resourcev1beta1.ResourceClaimStatus{
		Allocation: &resourcev1beta1.AllocationResult{Devices: resourcev1beta1.DeviceAllocationResult{Results: []resourcev1beta1.DeviceRequestAllocationResult{{}, {AdminAccess: new(true)}}}},
		Devices:    []resourcev1beta1.AllocatedDeviceStatus{{}, {Data: &runtime.RawExtension{Raw: []byte("{}")}}},
	}}
	const spec = `"spec":{"devices":{"requests":null}}`
	for _, tt := range []struct {
		reason, release string
		object          any
		want            string
	}{
		{"an object", "1.33", &corev1.ConfigMap{}, `{"metadata":{"creationTimestamp":null}}`},
		{"an object of a newer release", "1.34", &corev1.ConfigMap{}, `{"metadata":{}}`},
		{"a time that is set", "1.33", &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: set}}, `{"metadata":{"creationTimestamp":"2026-01-01T00:00:00Z"}}`},
		{"a list", "1.33", &corev1.ConfigMapList{Items: make([]corev1.ConfigMap, 1)}, `{"items":[{"metadata":{"creationTimestamp":null}}],"metadata":{}}`},
		{"a template", "1.33", &corev1.PodTemplate{}, `{"metadata":{"creationTimestamp":null},"template":{"metadata":{"creationTimestamp":null},"spec":{"containers":null}}}`},
		{"a slice without devices", "1.34", &resourcev1.ResourceSlice{}, `{"metadata":{},"spec":{"devices":null,"driver":"","pool":{"generation":0,"name":"","resourceSliceCount":0}}}`},
		{"a slice of a newer release", "1.35", &resourcev1.ResourceSlice{}, `{"metadata":{},"spec":{"driver":"","pool":{"generation":0,"name":"","resourceSliceCount":0}}}`},
		{"no device", "1.34", &resourcev1beta1.ResourceSlice{Spec: resourcev1beta1.ResourceSliceSpec{Devices: []resourcev1beta1.Device{}}}, `{"metadata":{},"spec":{"devices":[],"driver":"","pool":{"generation":0,"name":"","resourceSliceCount":0}}}`},
		{"a device", "1.34", &resourcev1beta2.ResourceSlice{Spec: resourcev1beta2.ResourceSliceSpec{Devices: make([]resourcev1beta2.Device, 1)}}, `{"metadata":{},"spec":{"devices":[{"name":""}],"driver":"","pool":{"generation":0,"name":"","resourceSliceCount":0}}}`},
		{"allocated devices", "1.32", &allocated, `{"metadata":{"creationTimestamp":null},` + spec + `,"status":{` +
			`"allocation":{"devices":{"results":[{"adminAccess":null,"device":"","driver":"","pool":"","request":""},{"adminAccess":true,"device":"","driver":"","pool":"","request":""}]}},` +
			`"devices":[{"conditions":null,"data":null,"device":"","driver":"","pool":""},{"conditions":null,"data":{},"device":"","driver":"","pool":""}]}}`},
		{"allocated devices whose data is a pointer", "1.33", &resourcev1beta1.ResourceClaim{Status: resourcev1beta1.ResourceClaimStatus{Devices: allocated.Status.Devices[:1]}},
			`{"metadata":{"creationTimestamp":null},` + spec + `,"status":{"devices":[{"conditions":null,"device":"","driver":"","pool":""}]}}`},
		{"results before adminAccess", "1.31", &resourcev1beta1.DeviceAllocationResult{Results: make([]resourcev1beta1.DeviceRequestAllocationResult, 1)}, `{"results":[{"device":"","driver":"","pool":"","request":""}]}`},
		{"results of v1beta2", "1.33", &resourcev1beta2.DeviceAllocationResult{Results: make([]resourcev1beta2.DeviceRequestAllocationResult, 1)}, `{"results":[{"adminAccess":null,"device":"","driver":"","pool":"","request":""}]}`},
		{"results of a newer release", "1.34", &resourcev1beta2.DeviceAllocationResult{Results: make([]resourcev1beta2.DeviceRequestAllocationResult, 1)}, `{"results":[{"device":"","driver":"","pool":"","request":""}]}`},
		{"a policy with a status", "1.27", &networkingv1.NetworkPolicy{}, `{"metadata":{"creationTimestamp":null},"spec":{"podSelector":{}},"status":{}}`},
		{"a policy without one", "1.23", &networkingv1.NetworkPolicy{}, `{"metadata":{"creationTimestamp":null},"spec":{"podSelector":{}}}`},
		{"a set in 1.22", "1.22", &appsv1.StatefulSetStatus{}, `{"replicas":0}`},
		{"a set with available pods", "1.22", &appsv1.StatefulSetStatus{AvailableReplicas: 1}, `{"availableReplicas":1,"replicas":0}`},
		{"a set in 1.23", "1.23", &appsv1.StatefulSetStatus{}, `{"availableReplicas":0,"replicas":0}`},
		{"a local service of an API", "1.10", &builtin.APIServiceSpec{}, `{"caBundle":null,"groupPriorityMinimum":0,"service":null,"versionPriority":0}`},
		{"nothing", "1.33", (*corev1.Pod)(nil), `null`},
	} {
		if got := written(t, tt.release, tt.object); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}

// Only objects that may have such a field are written again.
func TestMayBeIn(t *testing.T) {
	for _, tt := range []struct {
		release string
		object  any
		want    bool
	}{
		{"1.33", &corev1.Pod{}, true},
		{"1.33", &corev1.PodList{}, true},
		{"1.33", &metav1.Status{}, false},
		{"1.34", &corev1.Pod{}, false},
		{"1.34", &resourcev1beta1.ResourceClaim{}, false},
		{"1.34", &resourcev1beta1.ResourceSlice{}, true},
		{"1.35", &resourcev1beta1.ResourceSlice{}, false},
	} {
		if got := fieldsOf(t, tt.release).MayBeIn(tt.object); got != tt.want {
			t.Errorf("%s: MayBeIn(%T) = %t, want %t", tt.release, tt.object, got, tt.want)
		}
	}
}

func fieldsOf(t *testing.T, release string) *unset.Fields {
	t.Helper()
	r, err := kubeversion.Parse(release)
	if err != nil {
		t.Fatal(err)
	}
	return unset.New(r.Unset()...)
}

func written(t *testing.T, release string, object any) string {
	t.Helper()
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	var tree any
	if err := json.Unmarshal(data, &tree); err != nil {
		t.Fatal(err)
	}
	fieldsOf(t, release).Write(object, tree)
	if data, err = json.Marshal(tree); err != nil {
		t.Fatal(err)
	}
	return string(data)
}
