package objects

import (
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A workload has the parts of an object of a built-in kind that its Scale shows. wanted points into the object.
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

// Scale follows scaleFromDeployment in kubernetes/kubernetes:pkg/registry/apps/deployment/storage/storage.go, and its
// equivalents for other kinds.
func (k *typed) Scale(obj runtime.Object) (scale *autoscalingv1.Scale, found bool, err error) {
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

// SetScale refuses an invalid Scale before its replicas are copied to the object, which is then validated itself.
func (k *typed) SetScale(obj runtime.Object, scale *autoscalingv1.Scale, named schema.GroupKind) (runtime.Object, error) {
	if errs := validateScale(scale, k.types.options.Release); len(errs) > 0 {
		return nil, apierrors.NewInvalid(named, scale.Name, rules.Worded(k.types.options.Release, errs))
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
	if scale.UID != "" && scale.UID != m.GetUID() && k.types.options.Release.Has(kubeversion.ScalesWrittenWhole) {
		return nil, apierrors.NewConflict(scaledResource(hub), m.GetName(), fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", scale.UID, m.GetUID()))
	}
	replicas := scale.Spec.Replicas
	*w.wanted = &replicas
	m.SetResourceVersion(scale.ResourceVersion)
	return k.fromHub(hub), nil
}

// scaledResource returns the resource of an update of a Scale.
func scaledResource(hub runtime.Object) schema.GroupResource {
	kind := hub.GetObjectKind().GroupVersionKind()
	return schema.GroupResource{Group: kind.Group, Resource: strings.ToLower(kind.Kind) + "s/scale"}
}

func validateScale(scale *autoscalingv1.Scale, r *kubeversion.Release) field.ErrorList {
	var errs rules.Errors
	if r.Has(kubeversion.ScaleMetadataIgnored) {
		errs.Add(metav1validation.ValidateManagedFields(scale.ManagedFields, rules.MetadataPath.Child("managedFields")))
	} else {
		errs.Add(validation.ValidateObjectMeta(&scale.ObjectMeta, true, rules.DNSSubdomain, rules.MetadataPath))
		errs.Add(rules.ValidateFinalizers(scale))
	}
	if n := scale.Spec.Replicas; n < 0 {
		errs.Invalid(field.NewPath("spec", "replicas"), n, "must be greater than or equal to 0")
	}
	return errs.List()
}

// A scaled kind has a scale subresource, in some of its versions at least.
type scaled interface {
	Scale(obj runtime.Object) (scale *autoscalingv1.Scale, found bool, err error)
	SetScale(obj runtime.Object, scale *autoscalingv1.Scale, named schema.GroupKind) (runtime.Object, error)
}

// Scale returns obj as its scale subresource shows it, and whether obj specifies its number of replicas. If it does
// not, the server answers a GET with an error, and an update starts with [rules.NoReplicas].
func (t *Types) Scale(obj runtime.Object) (scale *autoscalingv1.Scale, found bool, err error) {
	k, err := t.scaled(obj)
	if err != nil {
		return nil, false, err
	}
	return k.Scale(obj)
}

// SetScale returns obj with the replicas of scale, and with its resourceVersion if it has one. If the server has an
// answer to an error, it is a status error; the error about an invalid scale names the given kind.
func (t *Types) SetScale(obj runtime.Object, scale *autoscalingv1.Scale, named schema.GroupKind) (runtime.Object, error) {
	k, err := t.scaled(obj)
	if err != nil {
		return nil, err
	}
	return k.SetScale(obj, scale, named)
}

func (t *Types) scaled(obj runtime.Object) (scaled, error) {
	gvk := obj.GetObjectKind().GroupVersionKind()
	k, err := t.kind(gvk)
	if err != nil {
		return nil, err
	}
	if s, ok := k.(scaled); ok {
		return s, nil
	}
	return nil, fmt.Errorf("objects: %v has no scale subresource", gvk)
}
