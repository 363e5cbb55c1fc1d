package pods

import (
	"context"
	"fmt"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/scheduling"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var priorityClassKind = schema.GroupKind{Group: schedulingv1.GroupName, Kind: "PriorityClass"}

// Priority sets the priority of pods to the value of their priority class, and allows only one default class (PR-01 to
// PR-10).
type Priority struct {
	groups, composites, policies bool
	release                      *kubeversion.Release
}

func NewPriority(r *kubeversion.Release) Priority {
	groups := r.Enabled("WorkloadAwarePreemption") || r.Has(kubeversion.GroupPriorities) && r.Enabled("GenericWorkload")
	return Priority{groups, r.Enabled("CompositePodGroup"), r.Enabled("PodGroupPreemptionPolicy"), r}
}

func (p Priority) Mutate(_ context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if req.Operation == admissionv1.Create && (p.groups && plugin.Concerns(req, schedulingv1.GroupName, "podgroups") || p.composites && plugin.Concerns(req, schedulingv1.GroupName, "compositepodgroups")) {
		return p.groupPriority(s, req, step)
	}
	if !plugin.Concerns(req, "", "pods") || req.Operation == admissionv1.Delete {
		return plugin.Skip(step, "not a pod that is written"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	if req.Operation == admissionv1.Create {
		return p.priorityOf(s, req, pod, step), nil
	}
	if !p.release.Has(kubeversion.PrioritiesChecked) {
		return plugin.Skip(step, "not a new pod"), nil
	}
	old, err := plugin.OldObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	return keptPriority(pod, old, step), nil
}

// priorityOf handles new pods. In the second round it finds the values that it computed in the first, and refuses the
// pod if the class changed in between (PR-10).
func (p Priority) priorityOf(s *cluster.State, req admission.Request, pod *corev1.Pod, step trace.Step) trace.Step {
	name := pod.Spec.PriorityClassName
	if name == "" && p.isCritical(req.Namespace, pod) { // PR-14
		name = criticalClass
	}
	switch { // PR-11, PR-12
	case !p.release.Has(kubeversion.PrioritiesChecked) && pod.Spec.Priority != nil:
		return plugin.Forbid(step, req, "the integer value of priority must not be provided in pod spec. Priority admission controller populates the value from the given PriorityClass name")
	case !p.release.Enabled("PodPriority") && !p.release.Has(kubeversion.PodPriorities):
		return plugin.Skip(step, "the feature gate PodPriority is off")
	case p.release.Has(kubeversion.PrioritiesChecked) && !p.release.Has(kubeversion.SystemPrioritiesByQuota) && strings.HasPrefix(name, systemClassPrefix) && req.Namespace != metav1.NamespaceSystem:
		return plugin.Forbid(step, req, fmt.Sprintf("pods with %v priorityClass is not permitted in %v namespace", name, req.Namespace))
	}
	class, step := p.classFor(s, req, name, step)
	if step.Outcome.Ends() {
		return step
	}
	named := class.name
	if !p.release.Has(kubeversion.DefaultPrioritiesNamed) {
		named = name
	}
	if !p.release.Has(kubeversion.PreemptionPolicies) {
		class.preemption = nil
	}
	if p := pod.Spec.Priority; p != nil && *p != class.value { // PR-03
		return plugin.Forbid(step, req, fmt.Sprintf("the integer value of priority (%d) must not be provided in pod spec; priority admission controller computed %d from the given PriorityClass name", *p, class.value))
	}
	if p := pod.Spec.PreemptionPolicy; p != nil && class.preemption != nil && *p != *class.preemption { // PR-05
		return plugin.Forbid(step, req, fmt.Sprintf("the string value of PreemptionPolicy (%s) must not be provided in pod spec; priority admission controller computed %s from the given PriorityClass name", *p, *class.preemption))
	}
	if pod.Spec.Priority != nil && pod.Spec.PriorityClassName == named && (pod.Spec.PreemptionPolicy != nil || class.preemption == nil) {
		return plugin.Allow(step, "the pod has "+class.String())
	}
	changed := *pod
	changed.Spec.PriorityClassName = named // PR-04
	changed.Spec.Priority = &class.value
	if class.preemption != nil {
		changed.Spec.PreemptionPolicy = class.preemption
	}
	return plugin.Change(step, &changed, "the pod gets "+class.String())
}

// criticalClass is the class of pods that an annotation marks as critical.
const criticalClass = systemClassPrefix + "cluster-critical"

// isCritical reports whether an annotation of a pod stands for criticalClass.
func (p Priority) isCritical(namespace string, pod *corev1.Pod) bool {
	value, ok := pod.Annotations["scheduler.alpha.kubernetes.io/critical-pod"]
	return ok && value == "" && namespace == metav1.NamespaceSystem && p.release.Enabled("ExperimentalCriticalPodAnnotation")
}

// systemClassPrefix begins the names of the two classes that every cluster has (PR-07), and no other names.
const systemClassPrefix = "system-"

// groupPriority handles pod groups (PR-08).
func (p Priority) groupPriority(s *cluster.State, req admission.Request, step trace.Step) (trace.Step, error) {
	group := req.Object.DeepCopyObject()
	g, ok := groupFields(group)
	if !ok {
		_, err := plugin.ObjectOf[*schedulingv1beta1.PodGroup](req)
		return step, err
	}
	class, step := p.classFor(s, req, *g.class, step)
	if step.Outcome.Ends() {
		return step, nil
	}
	if n := *g.number; n != nil && *n != class.value {
		return plugin.Forbid(step, req, fmt.Sprintf("priority set in the %s (%d) must match the priority computed (%d) based on the priority class set in the spec", g.what, *n, class.value)), nil
	}
	sets := p.policies && class.preemption != nil && g.policy != nil
	if sets && g.policy.get() != "" && g.policy.get() != *class.preemption {
		return plugin.Forbid(step, req, fmt.Sprintf("the string value of PreemptionPolicy (%s) must not be provided in %s spec; priority admission controller computed %s from the given PriorityClass name", g.policy.get(), g.what, *class.preemption)), nil
	}
	if *g.number != nil && *g.class == class.name && (!sets || g.policy.get() != "") {
		return plugin.Allow(step, "the group has "+class.String()), nil
	}
	*g.class, *g.number = class.name, &class.value
	if sets {
		g.policy.set(*class.preemption)
	}
	return plugin.Change(step, group, "the group gets "+class.String()), nil
}

// prioritized holds the fields of a group of any version.
type prioritized struct {
	what   string
	class  *string
	number **int32
	policy policyField // nil: the version has none
}

// A policyField is a preemption policy, whose type differs between versions. It is empty if unset.
type policyField interface {
	get() corev1.PreemptionPolicy
	set(corev1.PreemptionPolicy)
}

type policyAt[P ~string] struct{ at **P }

func (p policyAt[P]) get() corev1.PreemptionPolicy {
	if *p.at == nil {
		return ""
	}
	return corev1.PreemptionPolicy(**p.at)
}

func (p policyAt[P]) set(policy corev1.PreemptionPolicy) {
	own := P(policy)
	*p.at = &own
}

func groupFields(group runtime.Object) (prioritized, bool) {
	switch g := group.(type) {
	case *builtin.PodGroup:
		return prioritized{"pod group", &g.Spec.PriorityClassName, &g.Spec.Priority, nil}, true
	case *schedulingv1alpha3.PodGroup:
		return prioritized{"pod group", &g.Spec.PriorityClassName, &g.Spec.Priority, policyAt[schedulingv1alpha3.PreemptionPolicy]{&g.Spec.PreemptionPolicy}}, true
	case *schedulingv1beta1.PodGroup:
		return prioritized{"pod group", &g.Spec.PriorityClassName, &g.Spec.Priority, policyAt[schedulingv1beta1.PreemptionPolicy]{&g.Spec.PreemptionPolicy}}, true
	case *schedulingv1alpha3.CompositePodGroup:
		return prioritized{"composite pod group", &g.Spec.PriorityClassName, &g.Spec.Priority, policyAt[schedulingv1alpha3.PreemptionPolicy]{&g.Spec.PreemptionPolicy}}, true
	}
	return prioritized{}, false
}

// keptPriority handles updates, which may leave out the fields (PR-06).
func keptPriority(pod, old *corev1.Pod, step trace.Step) trace.Step {
	number, policy := pod.Spec.Priority, pod.Spec.PreemptionPolicy
	if number == nil {
		number = old.Spec.Priority
	}
	if policy == nil {
		policy = old.Spec.PreemptionPolicy
	}
	if number == pod.Spec.Priority && policy == pod.Spec.PreemptionPolicy {
		return plugin.Allow(step, "an update leaves the priority alone")
	}
	changed := *pod
	changed.Spec.Priority, changed.Spec.PreemptionPolicy = number, policy
	return plugin.Change(step, &changed, "an update without a priority keeps the old one")
}

// Validate refuses a second default class (PR-09), and in 1.10 names and values that are the system's (PR-13).
func (p Priority) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, schedulingv1.GroupName, "priorityclasses") || req.Operation == admissionv1.Delete {
		return plugin.Skip(step, "not a priority class that is written"), nil
	}
	class, err := plugin.ObjectOf[*schedulingv1.PriorityClass](req)
	if err != nil {
		return step, err
	}
	if !p.release.Has(kubeversion.CriticalClassesStored) {
		if class.Value > scheduling.HighestUserPriority {
			return plugin.Forbid(step, req, fmt.Sprintf("maximum allowed value of a user defined priority is %v", scheduling.HighestUserPriority)), nil
		}
		if _, system := scheduling.SystemPriority(class.Name); system {
			return plugin.Forbid(step, req, fmt.Sprintf("the name of the priority class is a reserved name for system use only: %v", class.Name)), nil
		}
	}
	if !class.GlobalDefault {
		return plugin.Allow(step, "not meant to be the default class"), nil
	}
	other, ok := globalDefault(s)
	if !ok || req.Operation == admissionv1.Update && other.name == class.Name {
		return plugin.Allow(step, "no other class is the default one"), nil
	}
	return plugin.Forbid(plugin.DecidedBy(step, other.object), req, fmt.Sprintf("PriorityClass %v is already marked as default. Only one default can exist", other.name)), nil
}

// A priorityClass is what a class means for a pod. The name is empty if there is no class.
type priorityClass struct {
	name       string
	value      int32
	preemption *corev1.PreemptionPolicy
	object     cluster.Object
}

func (c priorityClass) String() string {
	if c.name == "" {
		return "priority 0, as no class is the default one"
	}
	return fmt.Sprintf("priority %d of class %s", c.value, c.name)
}

func priorityClassOf(o cluster.Object) (priorityClass, bool) {
	class, ok := o.Object.(*schedulingv1.PriorityClass)
	if !ok {
		return priorityClass{}, false
	}
	return priorityClass{class.Name, class.Value, class.PreemptionPolicy, o}, true
}

// classFor returns the class of that name, and records it in the step. For an empty name it returns the default
// class, or the values that apply if there is none. A missing class is refused (PR-01, PR-02).
func (p Priority) classFor(s *cluster.State, req admission.Request, name string, step trace.Step) (priorityClass, trace.Step) {
	if name == "" {
		class, ok := globalDefault(s)
		if !ok {
			preempt := corev1.PreemptLowerPriority
			class.preemption = &preempt
		}
		return class, plugin.DecidedBy(step, class.object)
	}
	if value, ok := scheduling.SystemPriority(name); ok && !p.release.Has(kubeversion.CriticalClassesStored) { // PR-13
		return priorityClass{name: name, value: value}, step
	}
	o, _ := s.Find(cluster.Key{GroupKind: priorityClassKind, Name: name})
	class, ok := priorityClassOf(o)
	if !ok {
		step = plugin.Lacking(step, "PriorityClass", "", name)
		return class, plugin.Forbid(step, req, fmt.Sprintf("no PriorityClass with name %v was found", name))
	}
	return class, plugin.DecidedBy(step, o)
}

// globalDefault returns the default class. If there are several, the one with the lowest value counts, and among these
// the first by name.
func globalDefault(s *cluster.State) (lowest priorityClass, ok bool) {
	for o := range s.List(priorityClassKind, "") {
		class, is := o.Object.(*schedulingv1.PriorityClass)
		if is && class.GlobalDefault && (!ok || class.Value < lowest.value) {
			lowest, ok = priorityClassOf(o)
		}
	}
	return lowest, ok
}
