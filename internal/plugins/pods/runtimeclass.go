package pods

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var runtimeClassKind = schema.GroupKind{Group: nodev1.GroupName, Kind: "RuntimeClass"}

// RuntimeClass adds to new pods the overhead of their runtime class and the constraints for the nodes that support it.
type RuntimeClass struct {
	version string // in which a class that is missing is looked up; empty: it is not
}

func NewRuntimeClass(r *kubeversion.Release) RuntimeClass {
	switch {
	case r.Has(kubeversion.RuntimeClassesLookedUpInV1):
		return RuntimeClass{"v1"}
	case r.Has(kubeversion.RuntimeClassesLookedUp):
		return RuntimeClass{"v1beta1"}
	}
	return RuntimeClass{}
}

func (p RuntimeClass) Mutate(_ context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	pod, class, step, err := p.classOf(s, req)
	if err != nil || step.Outcome != trace.Allowed {
		return step, err
	}
	if class == nil {
		return plugin.Skip(step, "the pod names no runtime class"), nil
	}
	changed := *pod
	if class.Overhead != nil {
		if len(pod.Spec.Overhead) > 0 && !sameOverhead(pod, class) { // RC-02
			return plugin.Forbid(step, req, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"), nil
		}
		changed.Spec.Overhead = class.Overhead.PodFixed
	}
	if class.Scheduling != nil { // RC-03
		if conflict := conflictingSelector(pod.Spec.NodeSelector, class.Scheduling.NodeSelector); conflict != "" {
			return plugin.Forbid(step, req, conflict), nil
		}
		changed.Spec.NodeSelector = joined(pod.Spec.NodeSelector, class.Scheduling.NodeSelector)
		changed.Spec.Tolerations = mergedTolerations(pod.Spec.Tolerations, class.Scheduling.Tolerations)
	}
	if semantic.DeepEqual(&changed, pod) {
		return plugin.Allow(step, "the pod is as runtime class "+class.Name+" wants it"), nil
	}
	return plugin.Change(step, &changed, "the pod becomes as runtime class "+class.Name+" wants it"), nil
}

// Validate checks the overhead again, also for pods without a class (RC-04, RC-05).
func (p RuntimeClass) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	pod, class, step, err := p.classOf(s, req)
	if err != nil || step.Outcome != trace.Allowed {
		return step, err
	}
	hasOverhead := class != nil && class.Overhead != nil
	switch {
	case hasOverhead && !sameOverhead(pod, class):
		return plugin.Forbid(step, req, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"), nil
	case !hasOverhead && pod.Spec.Overhead != nil:
		return plugin.Forbid(step, req, "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"), nil
	}
	if !hasOverhead {
		return plugin.Allow(step, "no runtime class has an overhead, nor has the pod"), nil
	}
	return plugin.Allow(step, "the overhead is that of runtime class "+class.Name), nil
}

// classOf returns the pod of the request and its class, nil if it names none. A step that is not Allowed is the
// plugin's answer (RC-01).
func (p RuntimeClass) classOf(s *cluster.State, req admission.Request) (*corev1.Pod, *nodev1.RuntimeClass, trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return nil, nil, plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil || pod.Spec.RuntimeClassName == nil {
		return pod, nil, step, err
	}
	name := *pod.Spec.RuntimeClassName
	found, _ := s.Find(cluster.Key{GroupKind: runtimeClassKind, Name: name})
	class, ok := found.Object.(*nodev1.RuntimeClass)
	if !ok {
		if p.version != "" {
			if err := checkRequestName(name); err != nil {
				return nil, nil, plugin.Deny(step, "nothing can have the name of the runtime class", admission.StatusOf(err)), nil
			}
			step.LookUp(req.Elapsed, schema.GroupVersionResource{Group: nodev1.GroupName, Version: p.version, Resource: "runtimeclasses"}, "", name, false)
		}
		step = plugin.Lacking(step, "RuntimeClass", "", name)
		return nil, nil, plugin.Forbid(step, req, fmt.Sprintf("pod rejected: RuntimeClass %q not found", name)), nil
	}
	return pod, class, plugin.DecidedBy(step, found), nil
}

func sameOverhead(pod *corev1.Pod, class *nodev1.RuntimeClass) bool {
	return semantic.DeepEqual(class.Overhead.PodFixed, pod.Spec.Overhead)
}

// conflictingSelector describes the first key, sorted by name, for which the pod and the class select different nodes.
func conflictingSelector(pod, class map[string]string) string {
	for _, key := range slices.Sorted(maps.Keys(class)) {
		if value, ok := pod[key]; ok && value != class[key] {
			return fmt.Sprintf("conflict: runtimeClass.scheduling.nodeSelector[%s] = %s; pod.spec.nodeSelector[%s] = %s", key, class[key], key, value)
		}
	}
	return ""
}

func joined(a, b map[string]string) map[string]string {
	if len(b) == 0 {
		return a
	}
	all := map[string]string{}
	maps.Copy(all, a)
	maps.Copy(all, b)
	return all
}
