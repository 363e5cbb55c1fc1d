package objects

import (
	"fmt"
	"strings"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// NoReplicas is what the Scale of a custom resource that has no replicas says before it is
// updated: an update has to say how many. It is never sent to anyone.
const NoReplicas = -1 << 31

// CustomScale returns the Scale of a custom resource as its version's scale subresource
// shows it, and whether the resource says how many replicas it wants; a GET that finds
// none is an error of the server's.
//
// kubernetes/apiextensions-apiserver:pkg/registry/customresource/etcd.go.
func (t *Types) CustomScale(obj runtime.Object) (scale *autoscalingv1.Scale, found bool, err error) {
	u, v, err := t.scaled(obj)
	if err != nil {
		return nil, false, err
	}
	replicas, found, err := unstructured.NestedInt64(u.Object, fieldsOf(v.scale.SpecReplicasPath)...)
	if err != nil {
		return nil, false, err
	}
	running, _, err := unstructured.NestedInt64(u.Object, fieldsOf(v.scale.StatusReplicasPath)...)
	if err != nil {
		return nil, false, err
	}
	var selector string
	if path := v.scale.LabelSelectorPath; path != nil && *path != "" {
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
		Spec:   autoscalingv1.ScaleSpec{Replicas: int32(replicas)},
		Status: autoscalingv1.ScaleStatus{Replicas: int32(running), Selector: selector},
	}, found, nil
}

// SetCustomScale returns the custom resource with the replicas of scale, and with its
// resourceVersion if it has one. The error is a status error.
func (t *Types) SetCustomScale(obj runtime.Object, scale *autoscalingv1.Scale) (runtime.Object, error) {
	u, v, err := t.scaled(obj)
	if err != nil {
		return nil, err
	}
	path := v.scale.SpecReplicasPath
	if scale.Spec.Replicas == NoReplicas {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("the spec replicas field %q cannot be empty", path))
	}
	out := u.DeepCopy()
	if err := unstructured.SetNestedField(out.Object, int64(scale.Spec.Replicas), fieldsOf(path)...); err != nil {
		return nil, err
	}
	if scale.ResourceVersion != "" {
		out.SetResourceVersion(scale.ResourceVersion)
	}
	return out, nil
}

func (t *Types) scaled(obj runtime.Object) (*unstructured.Unstructured, *customVersion, error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	k, err := t.kind(gvk)
	if err != nil {
		return nil, nil, err
	}
	if c, ok := k.(*custom); ok {
		if v := c.versions[gvk.Version]; v != nil && v.scale != nil {
			return obj.(*unstructured.Unstructured), v, nil
		}
	}
	return nil, nil, fmt.Errorf("objects: %v is no custom resource with a scale subresource", gvk)
}

// fieldsOf splits a path like .spec.replicas. The server allows nothing more in them.
func fieldsOf(path string) []string {
	return strings.Split(strings.TrimPrefix(path, "."), ".")
}
