package rest

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
)

// bind places a pod on a node (PL-22). The update of the pod is not admitted (W-039):
// kubernetes/kubernetes:pkg/registry/core/pod/storage/storage.go, BindingREST.
func bind(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	binding, err := bodyOf[*corev1.Binding](a)
	if err != nil {
		return nil, err
	}
	if x.req.Subresource != "" && binding.Name != x.req.Name {
		return nil, badRequest("name in URL does not match name in Binding object")
	}
	if errs := validateBinding(binding); len(errs) > 0 {
		return nil, refuse(errs.ToAggregate()) // no status: a plain 500
	}
	if err := x.validateAs(ctx, a, binding); err != nil {
		return nil, err
	}
	return success(), x.place(binding)
}

func validateBinding(b *corev1.Binding) field.ErrorList {
	var errs field.ErrorList
	target := field.NewPath("target")
	if kind := b.Target.Kind; kind != "" && kind != "Node" {
		errs = append(errs, field.NotSupported(target.Child("kind"), kind, []string{"Node", "<empty>"}))
	}
	if b.Target.Name == "" {
		errs = append(errs, field.Required(target.Child("name"), ""))
	}
	return errs
}

// place writes into the pod where it runs, with what the binding says about it.
func (x *exchange) place(b *corev1.Binding) error {
	kept, pod, err := x.podToWrite(b.Name)
	if err != nil {
		return err
	}
	if err := x.meant(pod, metav1.Preconditions{UID: &b.UID, ResourceVersion: &b.ResourceVersion}); err != nil {
		return err
	}
	if why := unbindable(pod); why != nil {
		return refuse(apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, pod.Name, why))
	}
	pod.Spec.NodeName = b.Target.Name
	pod.Status.NominatedNodeName = ""
	pod.Annotations = with(pod.Annotations, b.Annotations)
	if x.server.release().Enabled("PodTopologyLabelsAdmission") {
		pod.Labels = with(pod.Labels, b.Labels)
	}
	x.setCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	return x.keepPod(pod, kept)
}

func unbindable(pod *corev1.Pod) error {
	switch {
	case pod.DeletionTimestamp != nil:
		return fmt.Errorf("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return fmt.Errorf("pod %s is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	case len(pod.Spec.SchedulingGates) > 0:
		return fmt.Errorf("pod %s has non-empty .spec.schedulingGates", pod.Name)
	}
	return nil
}

// meant refuses an object that is not the one that a write wants, in the words of the
// store. What is empty is not asked for.
func (x *exchange) meant(m metav1.Object, p metav1.Preconditions) error {
	why := ""
	switch {
	case p.UID != nil && *p.UID != "" && *p.UID != m.GetUID():
		why = fmt.Sprintf("UID in precondition: %v, UID in object meta: %v", *p.UID, m.GetUID())
	case p.ResourceVersion != nil && *p.ResourceVersion != "" && *p.ResourceVersion != m.GetResourceVersion():
		why = fmt.Sprintf("ResourceVersion in precondition: %v, ResourceVersion in object meta: %v", *p.ResourceVersion, m.GetResourceVersion())
	default:
		return nil
	}
	resource := x.req.Resource.GroupResource()
	if resource.Resource == "bindings" {
		resource.Resource = "pods"
	}
	return refuse(apierrors.NewConflict(resource, m.GetName(), fmt.Errorf(
		"StorageError: invalid object, Code: 4, Key: %s, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: %s",
		x.storageKey(resource.Resource, m.GetName()), why)))
}

// podToWrite returns the stored pod of that name, and a copy to change.
func (x *exchange) podToWrite(name string) (cluster.Object, *corev1.Pod, error) {
	kept, ok := x.state.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Pod"}, Namespace: x.req.Namespace, Name: name})
	pod, isPod := kept.Object.(*corev1.Pod)
	if !ok || !isPod {
		return kept, nil, refuse(apierrors.NewNotFound(corev1.Resource("pods"), name))
	}
	return kept, pod.DeepCopy(), nil
}

// keepPod writes a pod that the server itself changed.
func (x *exchange) keepPod(pod *corev1.Pod, kept cluster.Object) error {
	if x.dryRun() {
		return nil
	}
	pod.ResourceVersion = nextVersion(pod.ResourceVersion, x.state)
	x.state = x.state.With(cluster.Object{Object: pod, Source: kept.Source})
	return nil
}

// setCondition writes one condition of a pod, whose time changes with its status only.
func (x *exchange) setCondition(pod *corev1.Pod, c corev1.PodCondition) {
	c.LastTransitionTime = metav1.NewTime(x.server.Now())
	for i, old := range pod.Status.Conditions {
		if old.Type != c.Type {
			continue
		}
		if old.Status == c.Status {
			c.LastTransitionTime = old.LastTransitionTime
		}
		pod.Status.Conditions[i] = c
		return
	}
	pod.Status.Conditions = append(pod.Status.Conditions, c)
}

// with adds entries to a map, of which there may be none.
func with(m, more map[string]string) map[string]string {
	if m == nil && len(more) > 0 {
		m = make(map[string]string, len(more))
	}
	for k, v := range more {
		m[k] = v
	}
	return m
}

// success is the answer of a virtual create that has nothing to say.
func success() *metav1.Status {
	return &metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"},
		Status:   metav1.StatusSuccess,
		Code:     201,
	}
}
