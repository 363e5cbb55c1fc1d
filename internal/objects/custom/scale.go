// kubernetes/apiextensions-apiserver:pkg/registry/customresource/etcd.go

package custom

import (
	"fmt"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Scale reads the paths that the CRD names: kubernetes/apiextensions-apiserver:pkg/registry/customresource/etcd.go.
func (k *Kind) Scale(obj runtime.Object) (scale *autoscalingv1.Scale, found bool, err error) {
	u := obj.(*unstructured.Unstructured)
	paths, err := k.scalePaths(u)
	if err != nil {
		return nil, false, err
	}
	wanted, found, err := unstructured.NestedInt64(u.Object, fieldsOf(paths.SpecReplicasPath)...)
	if err != nil {
		return nil, false, err
	}
	running, _, err := unstructured.NestedInt64(u.Object, fieldsOf(paths.StatusReplicasPath)...)
	if err != nil {
		return nil, false, err
	}
	var selector string
	if path := paths.LabelSelectorPath; path != nil && *path != "" {
		if selector, _, err = unstructured.NestedString(u.Object, fieldsOf(*path)...); err != nil {
			return nil, false, err
		}
	}
	return &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              u.GetName(),
			Namespace:         u.GetNamespace(),
			UID:               u.GetUID(),
			ResourceVersion:   u.GetResourceVersion(),
			CreationTimestamp: u.GetCreationTimestamp(),
		},
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(wanted)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(running), Selector: selector},
	}, found, nil
}

func (k *Kind) SetScale(obj runtime.Object, scale *autoscalingv1.Scale, _ schema.GroupKind) (runtime.Object, error) {
	out := obj.(*unstructured.Unstructured).DeepCopy()
	paths, err := k.scalePaths(out)
	if err != nil {
		return nil, err
	}
	path := paths.SpecReplicasPath
	if scale.Spec.Replicas == rules.NoReplicas {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", path))
	}
	if err := unstructured.SetNestedField(out.Object, int64(scale.Spec.Replicas), fieldsOf(path)...); err != nil {
		return nil, err
	}
	if scale.ResourceVersion != "" {
		out.SetResourceVersion(scale.ResourceVersion)
	}
	return out, nil
}

func (k *Kind) scalePaths(u *unstructured.Unstructured) (*apiextensionsv1.CustomResourceSubresourceScale, error) {
	gvk := u.GroupVersionKind()
	if v := k.versions[gvk.Version]; v != nil && v.scale != nil {
		return v.scale, nil
	}
	return nil, fmt.Errorf("objects: %v has no scale subresource", gvk)
}

// fieldsOf splits a path like .spec.replicas. The server does not allow other forms.
func fieldsOf(path string) []string {
	return strings.Split(strings.TrimPrefix(path, "."), ".")
}
