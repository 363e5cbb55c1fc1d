package security

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	podsecurityapi "k8s.io/pod-security-admission/api"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// namespace checks the labels of a namespace, and warns about pods in it that violate the newly enforced level (PS-12
// to PS-15).
func (p PodSecurity) namespace(s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	if req.Subresource != "" {
		return plugin.Skip(step, "a subresource of the namespace"), nil
	}
	ns, err := plugin.ObjectOf[*corev1.Namespace](req)
	if err != nil {
		return step, err
	}
	now := p.levelsIn(ns.Labels)
	if req.Operation == admissionv1.Create {
		if len(now.errs) > 0 {
			return badLabels(req, now, step), nil
		}
		return p.warnExempt(ns, now, plugin.Allow(step, "the labels are valid")), nil
	}

	old, err := plugin.OldObjectOf[*corev1.Namespace](req)
	if err != nil {
		return step, err
	}
	before := p.levelsIn(old.Labels)
	if len(now.errs) > 0 && !reflect.DeepEqual(now.errs, before.errs) { // PS-14
		return badLabels(req, now, step), nil
	}
	if !stricter(now.Enforce, before.Enforce) {
		return plugin.Allow(step, "the namespace does not get stricter"), nil
	}
	if slices.Contains(p.exempt.Namespaces, ns.Name) {
		return p.warnExempt(ns, now, plugin.Allow(step, "the namespace is exempt")), nil
	}
	step.Warn(p.violators(s, ns.Name, now.Enforce)...)
	return plugin.Allow(step, "the pods there are were checked against "+now.Enforce.String()), nil
}

// badLabels refuses a namespace with invalid level labels (PS-12).
func badLabels(req admission.Request, l levels, step trace.Step) trace.Step {
	status := apierrors.NewInvalid(req.Kind.GroupKind(), req.Name, l.errs)
	return plugin.Deny(step, "the labels of the namespace are not valid", admission.StatusOf(status))
}

// stricter reports whether pods that were allowed may now be refused (PS-15). Different versions of a level are not
// compared: they always count as stricter.
func stricter(now, before podsecurityapi.LevelVersion) bool {
	if now == before || now.Level == podsecurityapi.LevelPrivileged {
		return false
	}
	return now.Version != before.Version || podsecurityapi.CompareLevels(now.Level, before.Level) > 0
}

// warnExempt warns about level labels on an exempt namespace, which have no effect (PS-13).
func (p PodSecurity) warnExempt(ns *corev1.Namespace, l levels, step trace.Step) trace.Step {
	if !slices.Contains(p.exempt.Namespaces, ns.Name) || l.FullyPrivileged() || l.Equivalent(&p.defaults) {
		return step
	}
	var parts []string
	for _, mode := range []struct {
		name, label, versionLabel string
		level                     podsecurityapi.LevelVersion
	}{
		{"enforce", podsecurityapi.EnforceLevelLabel, podsecurityapi.EnforceVersionLabel, l.Enforce},
		{"audit", podsecurityapi.AuditLevelLabel, podsecurityapi.AuditVersionLabel, l.Audit},
		{"warn", podsecurityapi.WarnLevelLabel, podsecurityapi.WarnVersionLabel, l.Warn},
	} {
		_, hasLevel := ns.Labels[mode.label]
		_, hasVersion := ns.Labels[mode.versionLabel]
		if mode.level.Level != podsecurityapi.LevelPrivileged && (hasLevel || hasVersion) {
			parts = append(parts, mode.name+"="+mode.level.String())
		}
	}
	step.Warn(fmt.Sprintf("namespace %q is exempt from Pod Security, and the policy (%s) will be ignored", ns.Name, strings.Join(parts, ", ")))
	return step
}

// mostPodsChecked limits the work for one update. The server also stops after a second.
const mostPodsChecked = 3000

// violators returns the warnings about pods that violate the newly enforced level of their namespace (PS-16).
func (p PodSecurity) violators(s *cluster.State, namespace string, enforce podsecurityapi.LevelVersion) []string {
	pods := p.podsByImportance(s, namespace)
	var warnings []string
	if len(pods) > mostPodsChecked {
		warnings = append(warnings, fmt.Sprintf("new PodSecurity enforce level only checked against the first %d of %d existing pods", mostPodsChecked, len(pods)))
		pods = pods[:mostPodsChecked]
	}
	byReason := map[string][]string{}
	for _, pod := range pods {
		if result := p.check(enforce, &pod.ObjectMeta, &pod.Spec); !result.Allowed {
			reason := result.ForbiddenReason()
			byReason[reason] = append(byReason[reason], pod.Name)
		}
	}
	if len(byReason) == 0 {
		return warnings
	}
	warnings = append(warnings, fmt.Sprintf("existing pods in namespace %q violate the new PodSecurity enforce level %q", namespace, enforce.String()))
	var lines []string
	for reason, names := range byReason {
		lines = append(lines, firstOf(names)+": "+reason)
	}
	slices.Sort(lines)
	return append(warnings, lines...)
}

// firstOf names the first pod and counts the others.
func firstOf(pods []string) string {
	first := slices.Min(pods)
	switch others := len(pods) - 1; others {
	case 0:
		return first
	case 1:
		return first + " (and 1 other pod)"
	default:
		return fmt.Sprintf("%s (and %d other pods)", first, others)
	}
}

// podsByImportance returns the pods of a namespace. Pods with the same controller as an earlier pod come last.
func (p PodSecurity) podsByImportance(s *cluster.State, namespace string) []*corev1.Pod {
	var pods, replicas []*corev1.Pod
	seen := map[types.UID]bool{}
	for o := range s.List(plugin.PodKind, namespace) {
		pod, ok := o.Object.(*corev1.Pod)
		if !ok || p.exemptClass(&pod.Spec) {
			continue
		}
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner != nil && seen[owner.UID] {
			replicas = append(replicas, pod)
			continue
		}
		if owner != nil {
			seen[owner.UID] = true
		}
		pods = append(pods, pod)
	}
	return append(pods, replicas...)
}
