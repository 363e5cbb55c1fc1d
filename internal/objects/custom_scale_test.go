package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

func scaledWidgets(t *testing.T) *apiextensionsv1.CustomResourceDefinition {
	crd := parseCRD(t, widgets)
	selector := ".status.selector"
	crd.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{
		Scale: &apiextensionsv1.CustomResourceSubresourceScale{
			SpecReplicasPath: ".spec.size", StatusReplicasPath: ".status.replicas", LabelSelectorPath: &selector,
		},
	}
	return crd
}

func TestScale(t *testing.T) {
	types := kinds.New(serving(scaledWidgets(t)), objects.Options{})
	u := widget(t, widgetV1, map[string]any{"color": "red"})
	u.SetResourceVersion("7")
	u.Object["status"] = map[string]any{"replicas": int64(2), "selector": "a=b"}

	got, found, err := types.Scale(u)
	if err != nil || found {
		t.Fatalf("Scale without replicas = found %v, error %v", found, err)
	}
	want := &autoscalingv1.Scale{
		TypeMeta:   metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{Name: "w", Namespace: "shop", ResourceVersion: "7"},
		Status:     autoscalingv1.ScaleStatus{Replicas: 2, Selector: "a=b"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Scale (-want +got):\n%s", diff)
	}

	got.Spec.Replicas = objects.NoReplicas
	if _, err := types.SetScale(u, got, schema.GroupKind{}); err == nil || err.Error() != `the spec replicas field ".spec.size" cannot be empty` {
		t.Errorf("an update without replicas returns %v", err)
	}

	got.Spec.Replicas, got.ResourceVersion = 4, "8"
	out, err := types.SetScale(u, got, schema.GroupKind{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]any{"color": "red", "size": int64(4)}, contents(out)); diff != "" {
		t.Errorf("SetScale (-want +got):\n%s", diff)
	}
	after, found, err := types.Scale(out)
	if err != nil || !found || after.Spec.Replicas != 4 || after.ResourceVersion != "8" {
		t.Errorf("Scale after SetScale = %v, found %v, error %v", after, found, err)
	}
	if _, ok := contents(u)["size"]; ok {
		t.Error("SetScale changed its argument")
	}

	if _, _, err := types.Scale(widget(t, widgetV1beta1, nil)); err == nil {
		t.Error("a version without the subresource has a Scale")
	}
	pod := &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	if _, _, err := types.Scale(pod); err == nil {
		t.Error("a Pod has a Scale")
	}
}

// The paths of a Scale are checked even if the schema does not have them.
func TestValidateScale(t *testing.T) {
	crd := scaledWidgets(t)
	types := kinds.New(serving(crd), objects.Options{})
	for _, test := range []struct {
		spec, status map[string]any
		want         string
	}{
		{spec: map[string]any{"size": int64(1)}},
		{spec: map[string]any{"size": int64(-1)}, want: ".spec.size: Invalid value: -1: should be a non-negative integer"},
		{spec: map[string]any{"size": int64(1) << 31}, want: ".spec.size: Invalid value: 2147483648: should be less than or equal to 2147483647"},
		{status: map[string]any{"replicas": "x"}, want: ".status.replicas: Invalid value: 0: .status.replicas accessor error: x is of the type string, expected int64"},
		{status: map[string]any{"selector": int64(1)}, want: `.status.selector: Invalid value: "": .status.selector accessor error: 1 is of the type int64, expected string`},
	} {
		u := widget(t, widgetV1, test.spec)
		if test.status != nil {
			u.Object["status"] = test.status
		}
		got := ""
		if errs := types.Validate(u, objects.Write{Kind: widgetV1}); len(errs) > 0 {
			got = errs.ToAggregate().Error()
		}
		if got != test.want {
			t.Errorf("Validate(spec %v, status %v) says\n%s\nwant\n%s", test.spec, test.status, got, test.want)
		}
	}
}
