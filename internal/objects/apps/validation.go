// kubernetes/kubernetes:pkg/apis/apps/validation/validation.go

package apps

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	corev1 "k8s.io/api/core/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The messages are the server's, which sometimes calls other workloads deployments.

func validateDeployment(d *appsv1.Deployment, r rules.Request) field.ErrorList {
	at := field.NewPath("spec")
	var errs rules.Errors
	errs.Add(rules.NotNegativePointer(d.Spec.Replicas, at.Child("replicas")))
	errs.Add(ownPods(d.Spec.Selector, d.Spec.Replicas, &d.Spec.Template, at, r))
	errs.Add(deploymentStrategy(&d.Spec.Strategy, at.Child("strategy")))
	errs.Add(rules.NotNegative(d.Spec.MinReadySeconds, at.Child("minReadySeconds")))
	errs.Add(rules.NotNegativePointer(d.Spec.RevisionHistoryLimit, at.Child("revisionHistoryLimit")))
	if to, err := strconv.ParseInt(d.Annotations[appsv1.DeprecatedRollbackTo], 10, 64); err == nil { // an internal field
		errs.Add(rules.NotNegative(to, at.Child("rollback", "version")))
	}
	errs.Add(rules.NotNegativePointer(d.Spec.ProgressDeadlineSeconds, at.Child("progressDeadlineSeconds")))
	if n := d.Spec.ProgressDeadlineSeconds; n != nil && *n <= d.Spec.MinReadySeconds {
		errs.Invalid(at.Child("progressDeadlineSeconds"), *n, "must be greater than minReadySeconds")
	}
	return errs.List()
}

func validateReplicaSet(s *appsv1.ReplicaSet, r rules.Request) field.ErrorList {
	at := field.NewPath("spec")
	var errs rules.Errors
	errs.Add(rules.NotNegativePointer(s.Spec.Replicas, at.Child("replicas")))
	errs.Add(rules.NotNegative(s.Spec.MinReadySeconds, at.Child("minReadySeconds")))
	errs.Add(ownPods(s.Spec.Selector, s.Spec.Replicas, &s.Spec.Template, at, r))
	return errs.List()
}

// ownPods checks the selector of a deployment or replica set, and its pod template.
func ownPods(s *metav1.LabelSelector, replicas *int32, t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(ownSelector(s, at.Child("selector"), "empty selector is invalid for deployment"))
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		errs.Invalid(at.Child("selector"), s, "invalid label selector")
		return errs.List()
	}
	at = at.Child("template")
	errs.Add(selectsTemplate(selector, t, at))
	errs.Add(pod.ValidateTemplate(t, at, r))
	if *replicas > 1 {
		errs.Add(sharedDisks(t, at, r))
	}
	errs.Add(runsForever(t, at, "activeDeadlineSeconds in ReplicaSet is not Supported"))
	return errs.List()
}

func ownSelector(s *metav1.LabelSelector, at *field.Path, empty string) field.ErrorList {
	if s == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs rules.Errors
	errs.Add(rules.LabelSelector(s, at))
	if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		errs.Invalid(at, s, empty)
	}
	return errs.List()
}

// selectsTemplate requires the selector to match pods of the template. A selector for everything is wrong for another
// reason.
func selectsTemplate(s labels.Selector, t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	return rules.Unless(s.Empty() || s.Matches(labels.Set(t.Labels)), at.Child("metadata", "labels"), t.Labels, selectorMisses)
}

const selectorMisses = "`selector` does not match template `labels`"

// runsForever requires that the pods of a template are always restarted. An unknown policy is also wrong for another
// reason.
func runsForever(t *corev1.PodTemplateSpec, at *field.Path, noDeadline string) field.ErrorList {
	var errs rules.Errors
	if t.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		errs.Append(field.NotSupported(at.Child("spec", "restartPolicy"), t.Spec.RestartPolicy, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if t.Spec.ActiveDeadlineSeconds != nil {
		errs.Forbidden(at.Child("spec", "activeDeadlineSeconds"), noDeadline)
	}
	return errs.List()
}

// A shownStrategy is a strategy as messages show it: with the names of its Go fields.
type shownStrategy struct {
	Type          string
	RollingUpdate any
	of            any
}

func (s shownStrategy) InGo() any { return s.of }

// A shownPartition is the rolling update of a StatefulSet in the same form.
type shownPartition struct {
	Partition      int32
	MaxUnavailable *intstr.IntOrString
	of             appsv1.RollingUpdateStatefulSetStrategy
}

func (s shownPartition) InGo() any { return s.of }

type shownRollingUpdate struct{ MaxUnavailable, MaxSurge intstr.IntOrString }

func countOf(n *intstr.IntOrString) intstr.IntOrString {
	if n == nil {
		return intstr.IntOrString{}
	}
	return *n
}

func deploymentStrategy(s *appsv1.DeploymentStrategy, at *field.Path) field.ErrorList {
	rolling, u := at.Child("rollingUpdate"), s.RollingUpdate
	switch s.Type {
	case appsv1.RecreateDeploymentStrategyType:
		if u != nil {
			return field.ErrorList{field.Forbidden(rolling, "may not be specified when strategy `type` is 'Recreate'")}
		}
		return nil
	case appsv1.RollingUpdateDeploymentStrategyType:
	default:
		shown := shownStrategy{Type: string(s.Type), of: *s}
		if u != nil {
			shown.RollingUpdate = shownRollingUpdate{countOf(u.MaxUnavailable), countOf(u.MaxSurge)}
		}
		return field.ErrorList{field.NotSupported(at, shown, []appsv1.DeploymentStrategyType{appsv1.RecreateDeploymentStrategyType, appsv1.RollingUpdateDeploymentStrategyType})}
	}
	if u == nil {
		return field.ErrorList{field.Required(rolling, "this should be defaulted and never be nil")}
	}
	unavailable, surge := countOf(u.MaxUnavailable), countOf(u.MaxSurge)
	var errs rules.Errors
	errs.Add(share(unavailable, rolling.Child("maxUnavailable")))
	errs.Add(share(surge, rolling.Child("maxSurge")))
	if shareOf(unavailable) == 0 && shareOf(surge) == 0 {
		errs.Invalid(rolling.Child("maxUnavailable"), unavailable, "may not be 0 when `maxSurge` is 0")
	}
	errs.Add(notOverAll(unavailable, rolling.Child("maxUnavailable")))
	return errs.List()
}

// share checks a number or percentage of pods.
func share(n intstr.IntOrString, at *field.Path) field.ErrorList {
	if n.Type == intstr.String {
		return rules.Faults(at, n, utilvalidation.IsValidPercent(n.StrVal))
	}
	return rules.NotNegative(n.IntVal, at)
}

func notOverAll(n intstr.IntOrString, at *field.Path) field.ErrorList {
	return rules.Unless(n.Type == intstr.Int || len(utilvalidation.IsValidPercent(n.StrVal)) > 0 || shareOf(n) <= 100, at, n, "must not be greater than 100%")
}

// shareOf returns the number or percentage, or 0 if it is neither.
func shareOf(n intstr.IntOrString) int {
	if n.Type == intstr.Int {
		return int(n.IntVal)
	}
	if len(utilvalidation.IsValidPercent(n.StrVal)) > 0 {
		number, _ := strconv.Atoi(n.StrVal)
		return number
	}
	percent, _ := strconv.Atoi(strings.TrimSuffix(n.StrVal, "%"))
	return percent
}

func validateDaemonSet(d *appsv1.DaemonSet, r rules.Request) field.ErrorList {
	at := field.NewPath("spec")
	var errs rules.Errors
	template := at.Child("template")
	errs.Add(rules.LabelValues.Selector(d.Spec.Selector, at.Child("selector")))
	if selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector); err == nil {
		errs.Add(rules.Unless(selector.Matches(labels.Set(d.Spec.Template.Labels)), template.Child("metadata", "labels"), d.Spec.Template.Labels, selectorMisses))
	}
	if s := d.Spec.Selector; s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		errs.Invalid(at.Child("selector"), s, "empty selector is invalid for daemonset")
	}
	errs.Add(pod.ValidateTemplate(&d.Spec.Template, template, r))
	errs.Add(sharedDisks(&d.Spec.Template, template, r))
	errs.Add(runsForever(&d.Spec.Template, template, "activeDeadlineSeconds in DaemonSet is not Supported"))
	errs.Add(rules.NotNegative(d.Spec.MinReadySeconds, at.Child("minReadySeconds")))
	errs.Add(rules.NotNegative(templateGenerationOf(d), at.Child("templateGeneration")))
	errs.Add(daemonSetStrategy(&d.Spec.UpdateStrategy, at.Child("updateStrategy"), r.Release))
	errs.Add(rules.NotNegativePointer(d.Spec.RevisionHistoryLimit, at.Child("revisionHistoryLimit")))
	return errs.List()
}

func daemonSetStrategy(s *appsv1.DaemonSetUpdateStrategy, at *field.Path, r *kubeversion.Release) field.ErrorList {
	u, rolling := s.RollingUpdate, at.Child("rollingUpdate")
	switch s.Type {
	case appsv1.OnDeleteDaemonSetStrategyType:
		return nil
	case appsv1.RollingUpdateDaemonSetStrategyType:
	default:
		shown := shownStrategy{Type: string(s.Type), of: *s}
		if u != nil {
			shown.RollingUpdate = shownRollingUpdate{countOf(u.MaxUnavailable), countOf(u.MaxSurge)}
		}
		return field.ErrorList{field.NotSupported(at, shown, []appsv1.DaemonSetUpdateStrategyType{appsv1.RollingUpdateDaemonSetStrategyType, appsv1.OnDeleteDaemonSetStrategyType})}
	}
	if u == nil {
		return field.ErrorList{field.Required(rolling, "")}
	}
	unavailable, surge := countOf(u.MaxUnavailable), countOf(u.MaxSurge)
	var errs rules.Errors
	errs.Add(share(unavailable, rolling.Child("maxUnavailable")))
	errs.Add(notOverAll(unavailable, rolling.Child("maxUnavailable")))
	if !r.Has(kubeversion.DaemonSetSurge) {
		errs.Add(rules.Unless(shareOf(unavailable) != 0, rolling.Child("maxUnavailable"), unavailable, "cannot be 0"))
		return errs.List()
	}
	errs.Add(share(surge, rolling.Child("maxSurge")))
	errs.Add(notOverAll(surge, rolling.Child("maxSurge")))
	switch {
	case shareOf(unavailable) != 0 && shareOf(surge) != 0:
		errs.Invalid(rolling.Child("maxSurge"), surge, "may not be set when maxUnavailable is non-zero")
	case shareOf(unavailable) == 0 && shareOf(surge) == 0:
		errs.Required(rolling.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0")
	}
	return errs.List()
}

// validateStatefulSet also excuses the pods of a set that was wrong before the update. The names of services are
// checked since 1.33.
func validateStatefulSet(s *appsv1.StatefulSet, r rules.Request) field.ErrorList {
	old := rules.OldOf[*appsv1.StatefulSet](r)
	return statefulSetSpec(s, r, old == nil || len(statefulSetSpec(old, r, true)) == 0)
}

func statefulSetSpec(s *appsv1.StatefulSet, r rules.Request, pods bool) field.ErrorList {
	at := field.NewPath("spec")
	var errs rules.Errors
	switch s.Spec.PodManagementPolicy {
	case appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement:
	default:
		errs.Invalid(at.Child("podManagementPolicy"), s.Spec.PodManagementPolicy, "must be 'OrderedReady' or 'Parallel'")
	}
	errs.Add(statefulSetStrategy(&s.Spec.UpdateStrategy, recreates(r), at.Child("updateStrategy")))
	if p := s.Spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		errs.Add(claimRetention(p))
	}
	errs.Add(rules.NotNegativePointer(s.Spec.Replicas, at.Child("replicas")))
	if r.Release.Has(kubeversion.StatefulSetMinReadySeconds) {
		errs.Add(rules.NotNegative(s.Spec.MinReadySeconds, at.Child("minReadySeconds")))
	}
	if o := s.Spec.Ordinals; o != nil {
		errs.Add(rules.NotNegative(o.Start, at.Child("ordinals", "start")))
	}
	for i, c := range s.Spec.VolumeClaimTemplates {
		if r.Old == nil && r.Release.Has(kubeversion.StatefulSetPodsChecked) { // they cannot change, right or wrong
			errs.Add(rules.ClaimTemplate(&c.Spec, at.Child("volumeClaimTemplates").Index(i).Child("spec"), r.Release))
		}
	}
	if name := s.Spec.ServiceName; name != "" && r.Old == nil && r.Release.Has(kubeversion.StatefulSetServiceNameChecked) {
		errs.Add(rules.Faults(at.Child("serviceName"), name, rules.DNSLabel(name, false)))
	}
	errs.Add(ownSelector(s.Spec.Selector, at.Child("selector"), "empty selector is invalid for statefulset"))
	template := at.Child("template")
	if selector, err := metav1.LabelSelectorAsSelector(s.Spec.Selector); err != nil {
		errs.Invalid(at.Child("selector"), s.Spec.Selector, "")
	} else {
		errs.Add(statefulPods(s, selector, template, r, pods))
	}
	errs.Add(runsForever(&s.Spec.Template, template, "activeDeadlineSeconds in StatefulSet is not Supported"))
	return errs.List()
}

// statefulPods checks the template. Its pods can mount the volumes of the claims, and its metadata is checked twice.
func statefulPods(s *appsv1.StatefulSet, selector labels.Selector, at *field.Path, r rules.Request, pods bool) field.ErrorList {
	t := &s.Spec.Template
	var errs rules.Errors
	errs.Add(selectsTemplate(selector, t, at))
	errs.Add(pod.TemplateMetadata(t, at, r))
	if pods && r.Release.Has(kubeversion.StatefulSetPodsChecked) {
		errs.Add(pod.ValidateTemplate(withClaims(s), at, r))
	}
	return errs.List()
}

// withClaims returns the template with what the controller adds to the pods created from it.
func withClaims(s *appsv1.StatefulSet) *corev1.PodTemplateSpec {
	t := s.Spec.Template.DeepCopy()
	t.Spec.Hostname, t.Spec.Subdomain = "", ""
	var volumes []corev1.Volume
	claimed := map[string]bool{}
	for _, c := range s.Spec.VolumeClaimTemplates {
		if claimed[c.Name] {
			continue
		}
		claimed[c.Name] = true
		volumes = append(volumes, corev1.Volume{Name: c.Name, VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: c.Name}}})
	}
	for _, v := range t.Spec.Volumes {
		if !claimed[v.Name] {
			volumes = append(volumes, v)
		}
	}
	t.Spec.Volumes = volumes
	return t
}

// recreates reports whether a set may delete all of its pods before it creates new ones.
func recreates(r rules.Request) bool {
	old := rules.OldOf[*appsv1.StatefulSet](r)
	return r.Release.Enabled("StatefulSetRecreateStrategy") || r.Release.Has(kubeversion.StatefulSetRecreates) && old != nil && old.Spec.UpdateStrategy.Type == appsv1.RecreateStatefulSetStrategyType
}

func statefulSetStrategy(s *appsv1.StatefulSetUpdateStrategy, recreates bool, at *field.Path) field.ErrorList {
	u, rolling := s.RollingUpdate, at.Child("rollingUpdate")
	var shown any
	if u != nil {
		partition := int32(0)
		if u.Partition != nil {
			partition = *u.Partition
		}
		shown = shownPartition{partition, u.MaxUnavailable, *u}
	}
	switch t := s.Type; {
	case t == appsv1.OnDeleteStatefulSetStrategyType, t == appsv1.RecreateStatefulSetStrategyType && recreates:
		return rules.Unless(u == nil, rolling, shown, fmt.Sprintf("only allowed for updateStrategy '%s'", appsv1.RollingUpdateStatefulSetStrategyType))
	case t == appsv1.RollingUpdateStatefulSetStrategyType:
		if u == nil {
			return nil
		}
		var errs rules.Errors
		errs.Add(rules.NotNegativePointer(u.Partition, rolling.Child("partition")))
		if n := u.MaxUnavailable; n != nil {
			errs.Add(share(*n, rolling.Child("maxUnavailable")))
			errs.Add(rules.Unless(shareOf(*n) != 0, rolling.Child("maxUnavailable"), *n, "cannot be 0"))
			errs.Add(notOverAll(*n, rolling.Child("maxUnavailable")))
		}
		return errs.List()
	}
	words := "must be 'RollingUpdate' or 'OnDelete'"
	if recreates {
		words = "must be 'RollingUpdate', 'OnDelete', or 'Recreate'"
	}
	return field.ErrorList{field.Invalid(at, shownStrategy{string(s.Type), shown, *s}, words)}
}

func claimRetention(p *appsv1.StatefulSetPersistentVolumeClaimRetentionPolicy) field.ErrorList {
	at := rules.SpecPath.Child("persistentVolumeClaimRetentionPolicy")
	return append(retention(p.WhenDeleted, at.Child("whenDeleted")), retention(p.WhenScaled, at.Child("whenScaled"))...)
}

func retention(p appsv1.PersistentVolumeClaimRetentionPolicyType, at *field.Path) field.ErrorList {
	return rules.Choice(p, at, appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType)
}

// validateStatefulSetUpdate only allows those fields to change that a set in use can adapt to.
func validateStatefulSetUpdate(s, old *appsv1.StatefulSet, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return statefulSetStatus(s, old, r.Release)
	}
	return append(recheckedSet(s, r), keptSet(s, old, r)...)
}

// recheckedSet returns the errors about a set that earlier releases found once more on an update.
func recheckedSet(s *appsv1.StatefulSet, r rules.Request) field.ErrorList {
	if r.Release.Has(kubeversion.StatefulSetNamesLabels) {
		return nil
	}
	var errs rules.Errors
	errs.Add(rules.ValidateNewMetadata(s, r, rules.DNSSubdomain))
	errs.Add(rules.ValidateFinalizers(s))
	if r.Release.Has(kubeversion.StatefulSetCheckedOnce) {
		return errs.List()
	}
	errs.Add(rules.NotNegativePointer(s.Spec.Replicas, rules.SpecPath.Child("replicas")))
	if r.Release.Has(kubeversion.StatefulSetMinReadySeconds) {
		errs.Add(rules.NotNegative(s.Spec.MinReadySeconds, rules.SpecPath.Child("minReadySeconds")))
	}
	if p := s.Spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		errs.Add(claimRetention(p))
	}
	return errs.List()
}

func keptSet(s, old *appsv1.StatefulSet, r rules.Request) field.ErrorList {
	if r.Release.Has(kubeversion.StatefulSetFieldsNamed) {
		return keptFieldsOfSet(&s.Spec, &old.Spec)
	}
	may, before := s.Spec, old.Spec
	may.Replicas, may.Ordinals, may.Template, may.UpdateStrategy = before.Replicas, before.Ordinals, before.Template, before.UpdateStrategy
	if r.Release.Has(kubeversion.StatefulSetMinReadySeconds) {
		may.MinReadySeconds = before.MinReadySeconds
	}
	may.PersistentVolumeClaimRetentionPolicy = before.PersistentVolumeClaimRetentionPolicy
	if r.Release.Has(kubeversion.StatefulSetHistoryLimitMutable) {
		may.RevisionHistoryLimit = before.RevisionHistoryLimit
	}
	if semantic.DeepEqual(may, before) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec"),
		"updates to statefulset spec for fields other than "+changeableOfSet(r.Release)+" are forbidden")}
}

// keptFieldsOfSet checks the fields of a set that may not change.
func keptFieldsOfSet(s, old *appsv1.StatefulSetSpec) field.ErrorList {
	keep := func(after, before any, name string) field.ErrorList {
		if semantic.DeepEqual(after, before) {
			return nil
		}
		return field.ErrorList{field.Invalid(rules.SpecPath.Child(name), rules.AsInternal(after), validation.FieldImmutableErrorMsg)}
	}
	errs := keep(s.Selector, old.Selector, "selector")
	errs = append(errs, keep(untypedClaims(s), untypedClaims(old), "volumeClaimTemplates")...)
	errs = append(errs, keep(s.ServiceName, old.ServiceName, "serviceName")...)
	return append(errs, keep(s.PodManagementPolicy, old.PodManagementPolicy, "podManagementPolicy")...)
}

// untypedClaims returns the claims of a set as in the internal version, without their kind.
func untypedClaims(s *appsv1.StatefulSetSpec) []corev1.PersistentVolumeClaim {
	claims := slices.Clone(s.VolumeClaimTemplates)
	for i := range claims {
		claims[i].TypeMeta = metav1.TypeMeta{}
	}
	return claims
}

// changeableOfSet lists the fields that an update may change, in the words of the release.
func changeableOfSet(r *kubeversion.Release) string {
	switch {
	case r.Has(kubeversion.StatefulSetHistoryLimitMutable):
		return "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"
	case r.Has(kubeversion.StatefulSetOrdinalsMutable):
		return "'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"
	case r.Has(kubeversion.StatefulSetClaimRetentionMutable) && !r.Has(kubeversion.StatefulSetMinReadySeconds):
		return "'replicas', 'template', 'updateStrategy' and 'persistentVolumeClaimRetentionPolicy'"
	case r.Has(kubeversion.StatefulSetClaimRetentionMutable):
		return "'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"
	case r.Has(kubeversion.StatefulSetMinReadySeconds):
		return "'replicas', 'template', 'minReadySeconds' and 'updateStrategy'"
	case r.Has(kubeversion.StatefulSetMinReadySecondsMutable):
		return "'replicas', 'template', 'updateStrategy' and 'minReadySeconds'"
	}
	return "'replicas', 'template', and 'updateStrategy'"
}

// keepsSelector requires a selector to stay the same, since pods would be orphaned otherwise. The first versions of
// workloads let it change (VA-15).
func keepsSelector(s, old *metav1.LabelSelector, r rules.Request) field.ErrorList {
	switch r.Resource.GroupVersion() {
	case extensionsv1beta1.SchemeGroupVersion, appsv1beta1.SchemeGroupVersion:
		return nil
	}
	return validation.ValidateImmutableField(s, old, field.NewPath("spec", "selector"))
}

// sharedDisks required the disks of GCE of a template for several pods to be read-only (VA-07).
func sharedDisks(t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) field.ErrorList {
	writable := func(v corev1.Volume) bool { return v.GCEPersistentDisk != nil && !v.GCEPersistentDisk.ReadOnly }
	if r.Release.Has(kubeversion.WritableDisksShared) {
		return nil
	}
	if old := pod.TemplateOf(r.Old); old != nil && r.Release.Has(kubeversion.WritableDisksKept) && slices.ContainsFunc(old.Spec.Volumes, writable) {
		return nil
	}
	var errs rules.Errors
	for i, v := range t.Spec.Volumes {
		errs.Add(rules.Unless(!writable(v), at.Child("spec", "volumes").Index(i).Child("gcePersistentDisk", "readOnly"), false,
			"must be true for replicated pods > 1; GCE PD can only be mounted on multiple machines if it is read-only"))
	}
	return errs.List()
}

func validateReplicationController(c *corev1.ReplicationController, r rules.Request) field.ErrorList {
	at := field.NewPath("spec")
	var errs rules.Errors
	errs.Add(rules.NotNegative(c.Spec.MinReadySeconds, at.Child("minReadySeconds")).WithOrigin(rules.Declared))
	selector := labels.SelectorFromSet(c.Spec.Selector)
	if _, err := labels.ValidatedSelectorFromSet(c.Spec.Selector); err != nil && !r.Release.Has(kubeversion.InvalidSelectorsSelect) {
		selector = labels.Everything()
	}
	if selector.Empty() {
		errs.Required(at.Child("selector"), "")
	}
	errs.Add(rules.NotNegativePointer(c.Spec.Replicas, at.Child("replicas")).WithOrigin(rules.Declared))
	t, at := c.Spec.Template, at.Child("template")
	if t == nil {
		errs.Required(at, "")
		return errs.List()
	}
	errs.Add(selectsTemplate(selector, t, at))
	errs.Add(pod.ValidateTemplate(t, at, r))
	if *c.Spec.Replicas > 1 {
		errs.Add(sharedDisks(t, at, r))
	}
	errs.Add(runsForever(t, at, "activeDeadlineSeconds in ReplicationController is not Supported"))
	return errs.List()
}

func validateRevision(c *appsv1.ControllerRevision, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Unless(c.Revision >= 0, field.NewPath("revision"), c.Revision, "must be greater than or equal to 0"))
	if rules.OldOf[*appsv1.ControllerRevision](r) != nil && r.Release.Has(kubeversion.RevisionDataChecked) {
		return errs.List() // the data stays the same
	}
	at, data := field.NewPath("data"), c.Data.Raw
	var v any
	if len(data) > 0 {
		if err := json.Unmarshal(data, &v); err != nil {
			errs.Invalid(at, "<value omitted>", fmt.Sprintf("error parsing data: %v", err))
			return errs.List()
		}
	}
	if v == nil {
		errs.Required(at, "data is mandatory")
		return errs.List()
	}
	if _, isObject := v.(map[string]any); !isObject && r.Release.Has(kubeversion.RevisionDataChecked) {
		errs.Required(at, "data must be a valid JSON object")
		return errs.List()
	}
	return errs.List()
}

func validateRevisionUpdate(c, old *appsv1.ControllerRevision, r rules.Request) field.ErrorList {
	if semantic.DeepEqual(c.Data, old.Data) {
		return nil
	}
	var shown any = c.Data
	if !r.Release.Has(kubeversion.RevisionDataChecked) {
		shown = runtime.Unknown{Raw: c.Data.Raw, ContentType: runtime.ContentTypeJSON}
		if len(c.Data.Raw) == 0 {
			shown = nil
		}
	}
	return field.ErrorList{field.Invalid(field.NewPath("data"), shown, validation.FieldImmutableErrorMsg)}
}
