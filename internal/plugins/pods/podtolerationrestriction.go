package pods

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// PodTolerationRestriction adds the tolerations of the namespace, or else of the configuration, to pods, and refuses
// tolerations that their whitelist does not allow (PTR-01 to PTR-08).
type PodTolerationRestriction struct {
	defaults, whitelist []corev1.Toleration
	release             *kubeversion.Release
}

const (
	defaultTolerationsAnnotation = "scheduler.alpha.kubernetes.io/defaultTolerations"
	tolerationsListAnnotation    = "scheduler.alpha.kubernetes.io/tolerationsWhitelist"
)

func (p PodTolerationRestriction) Mutate(ctx context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	var extra []corev1.Toleration
	if isIncomplete(req) {
		var own bool
		if step, extra, own = tolerationsOf(step, s, req, defaultTolerationsAnnotation); step.Outcome.Ends() {
			return step, nil
		}
		if !own {
			extra = p.defaults
		}
	}
	var pressure []corev1.Toleration
	if podresources.QOSOf(pod, p.release) != corev1.PodQOSBestEffort { // PTR-03
		pressure = []corev1.Toleration{{
			Key: corev1.TaintNodeMemoryPressure, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoSchedule,
		}}
	}
	merged := pod.Spec.Tolerations
	if more := append(extra[:len(extra):len(extra)], pressure...); p.release.Has(kubeversion.TolerationsInclude) {
		if len(more) > 0 {
			merged = mergedTolerations(merged, more)
		}
	} else {
		if conflict := conflicting(extra, merged); conflict != nil { // PTR-08
			err := errors.New("namespace tolerations and pod tolerations conflict")
			return plugin.Deny(step, "the pod tolerates the taint of "+formatToleration(*conflict)+" otherwise", admission.StatusOf(err)), nil
		}
		merged = p.overridden(extra, merged, pressure, admission.CourseOf(ctx))
	}
	from := step.Source
	if step = p.check(step, s, req, merged); step.Outcome.Ends() { // PTR-05
		return step, nil
	}
	if semantic.DeepEqual(merged, pod.Spec.Tolerations) {
		return plugin.Allow(step, "the pod tolerates what its namespace does"), nil
	}
	pod = pod.DeepCopy()
	pod.Spec.Tolerations = merged
	step.Source = from
	return plugin.Change(step, pod, "the pod gets the tolerations of its namespace and of its quality of service"), nil
}

func (p PodTolerationRestriction) Validate(_ context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if !plugin.Concerns(req, "", "pods") {
		return plugin.Skip(step, "not a pod"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	return p.check(step, s, req, pod.Spec.Tolerations), nil
}

// check refuses tolerations that are not in the whitelist of the namespace, or else of the configuration (PTR-06).
func (p PodTolerationRestriction) check(step trace.Step, s *cluster.State, req admission.Request, tolerations []corev1.Toleration) trace.Step {
	if len(tolerations) == 0 {
		return plugin.Skip(step, "the pod has no tolerations")
	}
	step, list, own := tolerationsOf(step, s, req, tolerationsListAnnotation)
	if step.Outcome.Ends() {
		return step
	}
	whose := "namespace"
	if !own {
		list, whose = p.whitelist, "cluster"
		step.Hint = "the whitelist is that of the plugin's configuration; a namespace may have its own in annotation " + tolerationsListAnnotation
	}
	if !p.release.Has(kubeversion.TolerationsInclude) {
		tolerations = lastOfKeys(tolerations)
	}
	for _, t := range tolerations {
		if len(list) > 0 && !p.allowedBy(list, t) {
			if !p.release.Has(kubeversion.WhitelistScopes) {
				whose = "namespace"
			}
			err := fmt.Errorf("pod tolerations (possibly merged with namespace default tolerations) conflict with its %s whitelist", whose)
			return plugin.Deny(step, fmt.Sprintf("the %s whitelist does not have %s", whose, formatToleration(t)), admission.StatusOf(err))
		}
	}
	step.Hint = ""
	return plugin.Allow(step, "the tolerations are allowed")
}

// allowedBy reports whether a whitelist covers a toleration. Earlier releases require the identical toleration
// (PTR-06).
func (p PodTolerationRestriction) allowedBy(list []corev1.Toleration, t corev1.Toleration) bool {
	if p.release.Has(kubeversion.TolerationsInclude) {
		return toleratedBy(list, t)
	}
	return slices.ContainsFunc(lastOfKeys(list), func(other corev1.Toleration) bool { return semantic.DeepEqual(t, other) })
}

// overridden returns the tolerations of a pod as releases before 1.16 merge them (PTR-08).
func (p PodTolerationRestriction) overridden(defaults, own, pressure []corev1.Toleration, course *admission.Course) []corev1.Toleration {
	merged := mergedByTaint
	if !p.release.Has(kubeversion.TolerationsOverridden) {
		merged = func(first, second []corev1.Toleration) []corev1.Toleration {
			return mergedInAnyOrder(first, second, course)
		}
	}
	all := own
	switch {
	case len(defaults) > 0 && len(own) > 0:
		all = merged(defaults, own)
	case len(defaults) > 0:
		all = defaults
	}
	if pressure != nil {
		all = merged(all, pressure)
	}
	if p.release.Has(kubeversion.TolerationsOverridden) {
		all = mergedByTaint(all, nil)
	}
	return all
}

// inShort formats a toleration for messages.
func formatToleration(t corev1.Toleration) string {
	text, err := json.Marshal(t)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// tolerationsOf reads an annotation of the request's namespace. set is false if it does not exist. The step is final if
// it cannot be read (PTR-01).
func tolerationsOf(step trace.Step, s *cluster.State, req admission.Request, annotation string) (_ trace.Step, list []corev1.Toleration, set bool) {
	found, _ := s.Live().Find(cluster.Key{GroupKind: plugin.NamespaceKind, Name: req.Namespace})
	namespace, ok := found.Object.(*corev1.Namespace)
	if !ok {
		return plugin.DenyWithoutNamespace(step, req), nil, false
	}
	text, set := namespace.Annotations[annotation]
	if !set {
		return step, nil, false
	}
	step = plugin.DecidedBy(step, found)
	if text == "" {
		return step, nil, true
	}
	if err := json.Unmarshal([]byte(text), &list); err != nil {
		return plugin.Deny(step, annotation+" is no list of tolerations", admission.StatusOf(errors.New(err.Error()))), nil, true
	}
	return step, list, true
}
