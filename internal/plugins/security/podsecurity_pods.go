package security

import (
	"errors"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podsecurityapi "k8s.io/pod-security-admission/api"

	podrules "github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// withoutSpec holds the subresources of pods that do not change the spec (PS-20).
var withoutSpec = map[string]bool{
	"exec": true, "attach": true, "portforward": true, "proxy": true, "log": true,
	"binding": true, "eviction": true, "status": true,
}

// pod checks a pod against the enforced level of its namespace (PS-20 to PS-29).
func (p PodSecurity) pod(s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if withoutSpec[req.Subresource] {
		return plugin.Skip(step, "the request leaves the pod's spec alone"), nil
	}
	if step, is := p.exempted(req, step); is {
		return step, nil
	}
	levels, step, err := p.levelsOf(s, req, step)
	if err != nil { // PS-22
		failure := apierrors.NewInternalError(fmt.Errorf("failed to lookup namespace %q", req.Namespace))
		step = audited(step, "error", failure.ErrStatus.Message+": "+err.Error())
		return plugin.Deny(plugin.Lacking(step, "Namespace", "", req.Namespace), "the namespace does not exist", admission.StatusOf(failure)), nil
	}
	if len(levels.errs) == 0 && levels.FullyPrivileged() { // PS-23
		privileged := podsecurityapi.LevelVersion{Level: podsecurityapi.LevelPrivileged, Version: podsecurityapi.LatestVersion()}
		return audited(plugin.Allow(step, "all levels of the namespace are privileged"), podsecurityapi.EnforcedPolicyAnnotationKey, privileged.String()), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	if req.Operation == admissionv1.Update {
		old, err := plugin.OldObjectOf[*corev1.Pod](req)
		if err != nil {
			return step, err
		}
		if !runsOther(&pod.Spec, &old.Spec) {
			return plugin.Skip(step, "neither the number of containers nor an image changes"), nil // PS-24
		}
	}
	return p.evaluate(req, levels, &pod.ObjectMeta, &pod.Spec, true, step), nil
}

// madeOfPods holds the resources whose objects have a pod template.
var madeOfPods = map[schema.GroupResource]bool{
	{Resource: "replicationcontrollers"}:                true,
	{Resource: "podtemplates"}:                          true,
	{Group: appsv1.GroupName, Resource: "replicasets"}:  true,
	{Group: appsv1.GroupName, Resource: "deployments"}:  true,
	{Group: appsv1.GroupName, Resource: "statefulsets"}: true,
	{Group: appsv1.GroupName, Resource: "daemonsets"}:   true,
	{Group: batchv1.GroupName, Resource: "jobs"}:        true,
	{Group: batchv1.GroupName, Resource: "cronjobs"}:    true,
}

// controller checks a pod template. It only warns and audits: pods created from the template will be denied (PS-40 to
// PS-42).
func (p PodSecurity) controller(s *cluster.State, req admission.Request) trace.Step {
	step := plugin.Begin(req)
	if req.Subresource != "" {
		return plugin.Skip(step, "subresources have no template for pods")
	}
	if step, is := p.exempted(req, step); is {
		return step
	}
	levels, step, err := p.levelsOf(s, req, step)
	if err != nil {
		return audited(plugin.Allow(step, "the namespace does not exist"), "error", fmt.Sprintf("failed to lookup namespace %q: %v", req.Namespace, err))
	}
	if len(levels.errs) == 0 && levels.Audit.Level == podsecurityapi.LevelPrivileged && levels.Warn.Level == podsecurityapi.LevelPrivileged {
		return plugin.Allow(step, "the levels to audit and to warn of are privileged")
	}
	template := podrules.TemplateOf(req.Object)
	if template == nil {
		return plugin.Skip(step, "there is no template for pods")
	}
	return p.evaluate(req, levels, &template.ObjectMeta, &template.Spec, false, step)
}

// levels holds the levels of a namespace and the errors in its labels.
type levels struct {
	podsecurityapi.Policy
	errs field.ErrorList
}

// levelsOf reads the levels of the request's namespace (PS-10, PS-11) and records the namespace in the step.
func (p PodSecurity) levelsOf(s *cluster.State, req admission.Request, step trace.Step) (levels, trace.Step, error) {
	found, _ := s.Find(cluster.Key{GroupKind: plugin.NamespaceKind, Name: req.Namespace})
	ns, ok := found.Object.(*corev1.Namespace)
	if !ok {
		step.LookUp(req.Elapsed, plugin.Namespaces, "", req.Namespace, false)
		return levels{}, step, apierrors.NewNotFound(corev1.Resource("namespaces"), req.Namespace)
	}
	return p.levelsIn(ns.Labels), plugin.DecidedBy(step, found), nil
}

// LevelErrors returns what is wrong with the labels for Pod Security of a namespace (PS-12).
func LevelErrors(labels map[string]string) field.ErrorList {
	_, errs := podsecurityapi.PolicyToEvaluate(labels, podsecurityapi.Policy{})
	return errs
}

func (p PodSecurity) levelsIn(labels map[string]string) levels {
	of, errs := podsecurityapi.PolicyToEvaluate(labels, p.defaults)
	return levels{of, errs}
}

// runsOther reports whether an update changes what the pod runs (PS-24).
func runsOther(pod, old *corev1.PodSpec) bool {
	if otherImages(pod.Containers, old.Containers) || otherImages(pod.InitContainers, old.InitContainers) {
		return true
	}
	before := map[string]string{}
	for _, c := range old.EphemeralContainers {
		before[c.Name] = c.Image
	}
	for _, c := range pod.EphemeralContainers {
		if image, ok := before[c.Name]; !ok || image != c.Image {
			return true
		}
	}
	return false
}

func otherImages(containers, old []corev1.Container) bool {
	if len(containers) != len(old) {
		return true
	}
	for i := range containers {
		if containers[i].Image != old[i].Image {
			return true
		}
	}
	return false
}

// evaluate checks a pod or a template against the levels of the namespace. Nothing is enforced for a template (PS-25 to
// PS-29).
func (p PodSecurity) evaluate(req admission.Request, l levels, m *metav1.ObjectMeta, spec *corev1.PodSpec, enforce bool, step trace.Step) trace.Step {
	if p.exemptClass(spec) {
		return audited(plugin.Skip(step, "the runtime class is exempt"), podsecurityapi.ExemptionReasonAnnotationKey, "runtimeClass")
	}
	if len(l.errs) > 0 {
		step = audited(step, "error", fmt.Sprintf("Failed to parse policy: %v", l.errs.ToAggregate()))
	}
	results := map[podsecurityapi.LevelVersion]string{}
	against := func(level podsecurityapi.LevelVersion) string {
		if _, known := results[level]; !known {
			results[level] = p.violation(level, m, spec)
		}
		return results[level]
	}
	step = plugin.Allow(step, "nothing to enforce on a template")
	if enforce {
		enforced := l.Enforce.String()
		step = audited(step, podsecurityapi.EnforcedPolicyAnnotationKey, enforced)
		step = plugin.Allow(step, "the namespace enforces "+enforced)
		if text := against(l.Enforce); text != "" {
			text = "violates " + text
			status := apierrors.NewForbidden(req.Resource.GroupResource(), req.Name, errors.New(text))
			step = plugin.Deny(step, text, admission.StatusOf(status))
		}
	}
	if text := against(l.Audit); text != "" {
		step = audited(step, podsecurityapi.AuditViolationsAnnotationKey, "would violate "+text)
	}
	if text := against(l.Warn); text != "" && step.Outcome != trace.Denied { // PS-29
		step.Warn("would violate " + text)
	}
	return step
}

// violation describes how a pod violates a level, "" if it does not (PS-30).
func (p PodSecurity) violation(level podsecurityapi.LevelVersion, m *metav1.ObjectMeta, spec *corev1.PodSpec) string {
	result := p.check(level, m, spec)
	if result.Allowed {
		return ""
	}
	return fmt.Sprintf("PodSecurity %q: %s", level.String(), result.ForbiddenDetail())
}
