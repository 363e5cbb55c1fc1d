package objects

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A workload is what the Scale of a built-in kind is made of. Replicas point into the object.
type workload struct {
	wanted   **int32
	running  int32
	selector string
}

// workloadOf returns the parts of obj that its Scale shows.
func workloadOf(obj runtime.Object) (workload, error) {
	switch o := obj.(type) {
	case *appsv1.Deployment:
		return newWorkload(&o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *appsv1.ReplicaSet:
		return newWorkload(&o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *appsv1.StatefulSet:
		return newWorkload(&o.Spec.Replicas, o.Status.Replicas, o.Spec.Selector)
	case *corev1.ReplicationController:
		return workload{&o.Spec.Replicas, o.Status.Replicas, labels.SelectorFromSet(o.Spec.Selector).String()}, nil
	}
	return workload{}, fmt.Errorf("objects: %T has no scale subresource", obj)
}

func newWorkload(wanted **int32, running int32, by *metav1.LabelSelector) (workload, error) {
	selector, err := metav1.LabelSelectorAsSelector(by)
	if err != nil {
		return workload{}, apierrors.NewBadRequest(err.Error())
	}
	return workload{wanted, running, selector.String()}, nil
}

// scale follows scaleFromDeployment in
// kubernetes/kubernetes:pkg/registry/apps/deployment/storage/storage.go, and its like.
func (k *typed) scale(obj runtime.Object) (scale *autoscalingv1.Scale, found bool, err error) {
	hub := k.toHub(obj)
	w, err := workloadOf(hub)
	if err != nil {
		return nil, false, err
	}
	m, err := meta.Accessor(hub)
	if err != nil {
		return nil, false, err
	}
	scale = &autoscalingv1.Scale{
		TypeMeta: metav1.TypeMeta{APIVersion: "autoscaling/v1", Kind: "Scale"},
		ObjectMeta: metav1.ObjectMeta{
			Name:              m.GetName(),
			Namespace:         m.GetNamespace(),
			UID:               m.GetUID(),
			ResourceVersion:   m.GetResourceVersion(),
			CreationTimestamp: m.GetCreationTimestamp(),
		},
		Status: autoscalingv1.ScaleStatus{Replicas: w.running, Selector: w.selector},
	}
	if *w.wanted != nil {
		scale.Spec.Replicas = **w.wanted
	}
	return scale, true, nil
}

// setScale refuses a Scale for its content before its replicas get into the object, which
// is then validated once more by itself.
func (k *typed) setScale(obj runtime.Object, scale *autoscalingv1.Scale) (runtime.Object, error) {
	if errs := validateScale(scale); len(errs) > 0 {
		return nil, apierrors.NewInvalid(schema.GroupKind{Group: autoscalingv1.GroupName, Kind: "Scale"}, scale.Name, Worded(k.types.options.Release, errs))
	}
	hub := k.toHub(obj).DeepCopyObject()
	w, err := workloadOf(hub)
	if err != nil {
		return nil, err
	}
	m, err := meta.Accessor(hub)
	if err != nil {
		return nil, err
	}
	replicas := scale.Spec.Replicas
	*w.wanted = &replicas
	m.SetResourceVersion(scale.ResourceVersion)
	return k.fromHub(hub), nil
}

func validateScale(scale *autoscalingv1.Scale) field.ErrorList {
	errs := validation.ValidateObjectMeta(&scale.ObjectMeta, true, dnsSubdomain, metadataPath)
	if n := scale.Spec.Replicas; n < 0 {
		errs = append(errs, field.Invalid(field.NewPath("spec", "replicas"), n, "must be greater than or equal to 0"))
	}
	return errs
}
