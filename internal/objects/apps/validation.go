package apps

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// What the kinds say follows kubernetes/kubernetes:pkg/apis/apps/validation/validation.go,
// down to whom it calls a deployment.

func validateDeployment(d *appsv1.Deployment, r rules.Request) field.ErrorList {
	at := field.NewPath("spec")
	errs := rules.NotNegativePointer(d.Spec.Replicas, at.Child("replicas"))
	errs = append(errs, ownPods(d.Spec.Selector, &d.Spec.Template, at, r)...)
	errs = append(errs, deploymentStrategy(&d.Spec.Strategy, at.Child("strategy"))...)
	errs = append(errs, rules.NotNegative(d.Spec.MinReadySeconds, at.Child("minReadySeconds"))...)
	errs = append(errs, rules.NotNegativePointer(d.Spec.RevisionHistoryLimit, at.Child("revisionHistoryLimit"))...)
	errs = append(errs, rules.NotNegativePointer(d.Spec.ProgressDeadlineSeconds, at.Child("progressDeadlineSeconds"))...)
	if n := d.Spec.ProgressDeadlineSeconds; n != nil && *n <= d.Spec.MinReadySeconds {
		errs = append(errs, field.Invalid(at.Child("progressDeadlineSeconds"), *n, "must be greater than minReadySeconds"))
	}
	return errs
}

func validateReplicaSet(s *appsv1.ReplicaSet, r rules.Request) field.ErrorList {
	at := field.NewPath("spec")
	errs := rules.NotNegativePointer(s.Spec.Replicas, at.Child("replicas"))
	errs = append(errs, rules.NotNegative(s.Spec.MinReadySeconds, at.Child("minReadySeconds"))...)
	return append(errs, ownPods(s.Spec.Selector, &s.Spec.Template, at, r)...)
}

// ownPods checks the selector of a deployment or replica set and the template of its pods.
func ownPods(s *metav1.LabelSelector, t *corev1.PodTemplateSpec, at *field.Path, r rules.Request) field.ErrorList {
	errs := ownSelector(s, at.Child("selector"), "empty selector is invalid for deployment")
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return append(errs, field.Invalid(at.Child("selector"), s, "invalid label selector"))
	}
	at = at.Child("template")
	errs = append(errs, selectsTemplate(selector, t, at)...)
	errs = append(errs, pod.ValidateTemplate(t, at, r)...)
	return append(errs, runsForever(t, at, "activeDeadlineSeconds in ReplicaSet is not Supported")...)
}

func ownSelector(s *metav1.LabelSelector, at *field.Path, empty string) field.ErrorList {
	if s == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	errs := rules.LabelSelector(s, at)
	if len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
		errs = append(errs, field.Invalid(at, s, empty))
	}
	return errs
}

// selectsTemplate asks that pods of the template will be found. A selector of everything
// is wrong for another reason.
func selectsTemplate(s labels.Selector, t *corev1.PodTemplateSpec, at *field.Path) field.ErrorList {
	return rules.Unless(s.Empty() || s.Matches(labels.Set(t.Labels)), at.Child("metadata", "labels"), t.Labels, "`selector` does not match template `labels`")
}

// runsForever asks that the pods of a template are started again whenever they end. An
// unknown policy is wrong for another reason besides.
func runsForever(t *corev1.PodTemplateSpec, at *field.Path, noDeadline string) field.ErrorList {
	var errs field.ErrorList
	if t.Spec.RestartPolicy != corev1.RestartPolicyAlways {
		errs = append(errs, field.NotSupported(at.Child("spec", "restartPolicy"), t.Spec.RestartPolicy, []corev1.RestartPolicy{corev1.RestartPolicyAlways}))
	}
	if t.Spec.ActiveDeadlineSeconds != nil {
		errs = append(errs, field.Forbidden(at.Child("spec", "activeDeadlineSeconds"), noDeadline))
	}
	return errs
}

// A shownStrategy is a strategy as messages show it: by the names that its Go fields have.
type shownStrategy struct {
	Type          string
	RollingUpdate any
	of            any
}

func (s shownStrategy) InGo() any { return s.of }

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
	errs := share(unavailable, rolling.Child("maxUnavailable"))
	errs = append(errs, share(surge, rolling.Child("maxSurge"))...)
	if shareOf(unavailable) == 0 && shareOf(surge) == 0 {
		errs = append(errs, field.Invalid(rolling.Child("maxUnavailable"), unavailable, "may not be 0 when `maxSurge` is 0"))
	}
	return append(errs, notOverAll(unavailable, rolling.Child("maxUnavailable"))...)
}

// share checks a number of pods or a percentage of them.
func share(n intstr.IntOrString, at *field.Path) field.ErrorList {
	if n.Type == intstr.String {
		return rules.Faults(at, n, utilvalidation.IsValidPercent(n.StrVal))
	}
	return rules.NotNegative(n.IntVal, at)
}

func notOverAll(n intstr.IntOrString, at *field.Path) field.ErrorList {
	return rules.Unless(n.Type == intstr.Int || len(utilvalidation.IsValidPercent(n.StrVal)) > 0 || shareOf(n) <= 100, at, n, "must not be greater than 100%")
}

// shareOf is the number or percentage; what is neither counts as none.
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
	var errs field.ErrorList
	if s := d.Spec.Selector; s != nil {
		errs = append(errs, ownSelector(s, at.Child("selector"), "empty selector is invalid for daemonset")...)
	}
	template := at.Child("template")
	if selector, err := metav1.LabelSelectorAsSelector(d.Spec.Selector); err == nil {
		errs = append(errs, selectsTemplate(selector, &d.Spec.Template, template)...)
	}
	errs = append(errs, pod.ValidateTemplate(&d.Spec.Template, template, r)...)
	errs = append(errs, runsForever(&d.Spec.Template, template, "activeDeadlineSeconds in DaemonSet is not Supported")...)
	errs = append(errs, rules.NotNegative(d.Spec.MinReadySeconds, at.Child("minReadySeconds"))...)
	errs = append(errs, daemonSetStrategy(&d.Spec.UpdateStrategy, at.Child("updateStrategy"))...)
	return append(errs, rules.NotNegativePointer(d.Spec.RevisionHistoryLimit, at.Child("revisionHistoryLimit"))...)
}

func daemonSetStrategy(s *appsv1.DaemonSetUpdateStrategy, at *field.Path) field.ErrorList {
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
	errs := share(unavailable, rolling.Child("maxUnavailable"))
	errs = append(errs, notOverAll(unavailable, rolling.Child("maxUnavailable"))...)
	errs = append(errs, share(surge, rolling.Child("maxSurge"))...)
	errs = append(errs, notOverAll(surge, rolling.Child("maxSurge"))...)
	switch {
	case shareOf(unavailable) != 0 && shareOf(surge) != 0:
		errs = append(errs, field.Invalid(rolling.Child("maxSurge"), surge, "may not be set when maxUnavailable is non-zero"))
	case shareOf(unavailable) == 0 && shareOf(surge) == 0:
		errs = append(errs, field.Required(rolling.Child("maxUnavailable"), "cannot be 0 when maxSurge is 0"))
	}
	return errs
}

// validateStatefulSet excuses the pods of a set that was wrong before the update, too. Names of
// services are checked since 1.33.
func validateStatefulSet(s *appsv1.StatefulSet, r rules.Request) field.ErrorList {
	old := rules.Was[*appsv1.StatefulSet](r)
	return statefulSetSpec(s, r, old == nil || len(statefulSetSpec(old, r, true)) == 0)
}

func statefulSetSpec(s *appsv1.StatefulSet, r rules.Request, pods bool) field.ErrorList {
	at := field.NewPath("spec")
	var errs field.ErrorList
	switch s.Spec.PodManagementPolicy {
	case appsv1.OrderedReadyPodManagement, appsv1.ParallelPodManagement:
	default:
		errs = append(errs, field.Invalid(at.Child("podManagementPolicy"), s.Spec.PodManagementPolicy, "must be 'OrderedReady' or 'Parallel'"))
	}
	errs = append(errs, statefulSetStrategy(&s.Spec.UpdateStrategy, at.Child("updateStrategy"))...)
	if p := s.Spec.PersistentVolumeClaimRetentionPolicy; p != nil {
		at := at.Child("persistentVolumeClaimRetentionPolicy")
		errs = append(errs, retention(p.WhenDeleted, at.Child("whenDeleted"))...)
		errs = append(errs, retention(p.WhenScaled, at.Child("whenScaled"))...)
	}
	errs = append(errs, rules.NotNegativePointer(s.Spec.Replicas, at.Child("replicas"))...)
	errs = append(errs, rules.NotNegative(s.Spec.MinReadySeconds, at.Child("minReadySeconds"))...)
	if o := s.Spec.Ordinals; o != nil {
		errs = append(errs, rules.NotNegative(o.Start, at.Child("ordinals", "start"))...)
	}
	for i, c := range s.Spec.VolumeClaimTemplates {
		if r.Old == nil && r.Release.Has(kubeversion.StatefulSetPodsChecked) { // they cannot change, right or wrong
			errs = append(errs, pod.ClaimSpec(&c.Spec, at.Child("volumeClaimTemplates").Index(i).Child("spec"), pod.LenientClaim{})...)
		}
	}
	if name := s.Spec.ServiceName; name != "" && r.Old == nil && r.Release.Has(kubeversion.StatefulSetServiceNameChecked) {
		errs = append(errs, rules.Faults(at.Child("serviceName"), name, rules.DNSLabel(name, false))...)
	}
	errs = append(errs, ownSelector(s.Spec.Selector, at.Child("selector"), "empty selector is invalid for statefulset")...)
	return append(errs, statefulPods(s, at, r, pods)...)
}

// statefulPods checks the template. Its pods can mount what the claims give them, and its
// metadata is checked twice.
func statefulPods(s *appsv1.StatefulSet, at *field.Path, r rules.Request, pods bool) field.ErrorList {
	selector, err := metav1.LabelSelectorAsSelector(s.Spec.Selector)
	if err != nil {
		return field.ErrorList{field.Invalid(at.Child("selector"), s.Spec.Selector, "")}
	}
	t, at := &s.Spec.Template, at.Child("template")
	errs := selectsTemplate(selector, t, at)
	errs = append(errs, pod.TemplateMetadata(t, at)...)
	if pods && r.Release.Has(kubeversion.StatefulSetPodsChecked) {
		errs = append(errs, pod.ValidateTemplate(withClaims(s), at, r)...)
	}
	return append(errs, runsForever(t, at, "activeDeadlineSeconds in StatefulSet is not Supported")...)
}

// withClaims is the template with what the controller puts into the pods made of it.
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

func statefulSetStrategy(s *appsv1.StatefulSetUpdateStrategy, at *field.Path) field.ErrorList {
	u, rolling := s.RollingUpdate, at.Child("rollingUpdate")
	var shown any
	if u != nil {
		partition := int32(0)
		if u.Partition != nil {
			partition = *u.Partition
		}
		shown = struct {
			Partition      int32
			MaxUnavailable *intstr.IntOrString
		}{partition, u.MaxUnavailable}
	}
	switch s.Type {
	case appsv1.OnDeleteStatefulSetStrategyType:
		return rules.Unless(u == nil, rolling, shown, fmt.Sprintf("only allowed for updateStrategy '%s'", appsv1.RollingUpdateStatefulSetStrategyType))
	case appsv1.RollingUpdateStatefulSetStrategyType:
		if u == nil {
			return nil
		}
		errs := rules.NotNegativePointer(u.Partition, rolling.Child("partition"))
		if n := u.MaxUnavailable; n != nil {
			errs = append(errs, share(*n, rolling.Child("maxUnavailable"))...)
			errs = append(errs, rules.Unless(shareOf(*n) != 0, rolling.Child("maxUnavailable"), *n, "cannot be 0")...)
			errs = append(errs, notOverAll(*n, rolling.Child("maxUnavailable"))...)
		}
		return errs
	}
	return field.ErrorList{field.Invalid(at, shownStrategy{string(s.Type), shown, *s}, "must be 'RollingUpdate' or 'OnDelete'")}
}

func retention(p appsv1.PersistentVolumeClaimRetentionPolicyType, at *field.Path) field.ErrorList {
	return rules.Choice(p, at, appsv1.RetainPersistentVolumeClaimRetentionPolicyType, appsv1.DeletePersistentVolumeClaimRetentionPolicyType)
}

// validateStatefulSetUpdate asks that only those fields change that a set in use can follow.
func validateStatefulSetUpdate(s, old *appsv1.StatefulSet, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return statefulSetStatus(s, old)
	}
	may, was := s.Spec, old.Spec
	may.Replicas, may.Ordinals, may.Template, may.UpdateStrategy = was.Replicas, was.Ordinals, was.Template, was.UpdateStrategy
	may.MinReadySeconds = was.MinReadySeconds
	may.PersistentVolumeClaimRetentionPolicy = was.PersistentVolumeClaimRetentionPolicy
	if r.Release.Has(kubeversion.StatefulSetHistoryLimitMutable) {
		may.RevisionHistoryLimit = was.RevisionHistoryLimit
	}
	if semantic.DeepEqual(may, was) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec"),
		"updates to statefulset spec for fields other than "+changeableOfSet(r.Release)+" are forbidden")}
}

// changeableOfSet names the fields that an update may change, as that release words it.
func changeableOfSet(r *kubeversion.Release) string {
	switch {
	case r.Has(kubeversion.StatefulSetHistoryLimitMutable):
		return "'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"
	case r.Has(kubeversion.StatefulSetOrdinalsMutable):
		return "'replicas', 'ordinals', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"
	case r.Has(kubeversion.StatefulSetClaimRetentionMutable):
		return "'replicas', 'template', 'updateStrategy', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds'"
	case r.Has(kubeversion.StatefulSetMinReadySecondsMutable):
		return "'replicas', 'template', 'updateStrategy' and 'minReadySeconds'"
	}
	return "'replicas', 'template', and 'updateStrategy'"
}

// keepsSelector asks that a selector stays, since pods would be orphaned otherwise.
func keepsSelector(s, old *metav1.LabelSelector) field.ErrorList {
	return validation.ValidateImmutableField(s, old, field.NewPath("spec", "selector"))
}

func validateReplicationController(c *corev1.ReplicationController, r rules.Request) field.ErrorList {
	at := field.NewPath("spec")
	errs := rules.NotNegative(c.Spec.MinReadySeconds, at.Child("minReadySeconds"))
	if len(c.Spec.Selector) == 0 {
		errs = append(errs, field.Required(at.Child("selector"), ""))
	}
	errs = append(errs, rules.NotNegativePointer(c.Spec.Replicas, at.Child("replicas"))...)
	t, at := c.Spec.Template, at.Child("template")
	if t == nil {
		return append(errs, field.Required(at, ""))
	}
	errs = append(errs, selectsTemplate(labels.SelectorFromSet(c.Spec.Selector), t, at)...)
	errs = append(errs, pod.ValidateTemplate(t, at, r)...)
	return append(errs, runsForever(t, at, "activeDeadlineSeconds in ReplicationController is not Supported")...)
}

func validateRevision(c *appsv1.ControllerRevision, r rules.Request) field.ErrorList {
	errs := rules.Unless(c.Revision >= 0, field.NewPath("revision"), c.Revision, "must be greater than or equal to 0")
	if rules.Was[*appsv1.ControllerRevision](r) != nil {
		return errs // the data stays
	}
	at, data := field.NewPath("data"), c.Data.Raw
	var v any
	if len(data) > 0 {
		if err := json.Unmarshal(data, &v); err != nil {
			return append(errs, field.Invalid(at, "<value omitted>", fmt.Sprintf("error parsing data: %v", err)))
		}
	}
	if v == nil {
		return append(errs, field.Required(at, "data is mandatory"))
	}
	if _, isObject := v.(map[string]any); !isObject {
		return append(errs, field.Required(at, "data must be a valid JSON object"))
	}
	return errs
}

func validateRevisionUpdate(c, old *appsv1.ControllerRevision, _ rules.Request) field.ErrorList {
	if semantic.DeepEqual(c.Data, old.Data) {
		return nil
	}
	return validation.ValidateImmutableField(c.Data, old.Data, field.NewPath("data"))
}
