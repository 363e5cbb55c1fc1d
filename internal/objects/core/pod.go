// kubernetes/kubernetes:pkg/registry/core/pod/strategy.go
// kubernetes/kubernetes:pkg/registry/core/podtemplate/strategy.go

package core

import (
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var pods = rules.Of[*corev1.Pod]{
	Name: rules.DNSSubdomain,
	Spec: func(p *corev1.Pod) any { return &p.Spec },

	Counted: kubeversion.PodGenerations, StatusDrops: kubeversion.PodStatusDrops,
	Status:   func(p *corev1.Pod) any { return &p.Status },
	Defaults: pod.Default,
	DefaultsIn: func(p *corev1.Pod, o rules.Options) {
		if !o.Release.Has(kubeversion.PodResourcesAfterAdmission) && o.Release.Enabled("PodLevelResources") {
			pod.DefaultResources(&p.Spec)
		}
		if o.Release.Enabled("InPlacePodVerticalScaling") && !o.Release.Has(kubeversion.ResizeInConditions) {
			pod.DefaultResizePolicies(p.Spec.Containers)
		}
		if o.Release.Enabled("H2CContainerProbe") {
			pod.DefaultProtocols(&p.Spec)
		}
	},
	Normalise:        pod.Normalise,
	IsSettled:        pod.IsSettled,
	OwnStatus:        true,
	PrepareForCreate: preparePod,
	SparesDepths:     true,
	PrepareForUpdate: preparePodUpdate,
	ChangeOld:        shareDrops,
	Validate:         validatePod,
	ValidateUpdate:   validatePodUpdate,
	Warnings:         pod.Warnings,
	Behaviour:        rules.Behaviour{Graceful: true},
}

// preparePod sets the initial values of a new pod (PC-02).
func preparePod(p *corev1.Pod, r rules.Request) {
	if p.Spec.Resources != nil && r.Release.Has(kubeversion.PodResourcesAfterAdmission) {
		p.Spec.Resources = p.Spec.Resources.DeepCopy()
		pod.CompleteResources(&p.Spec)
	}
	class := p.Status.QOSClass
	if class == "" || !r.Release.Has(kubeversion.GivenQOSClasses) || r.Release.Has(kubeversion.QOSClassesComputed) {
		class = podresources.QOSClass(&p.Spec, r.Release)
	}
	p.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: class}
	if len(p.Spec.SchedulingGates) > 0 {
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated,
			Message: "Scheduling is blocked due to non-empty scheduling gates",
		}}
		if r.Release.Has(kubeversion.GatedPodTransitionTime) {
			p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(r.Now)
		}
	}
	off := pod.GatedOff(&p.Spec, nil, r)
	if len(off) > 0 || isPreparedInDepth(p) || pod.HasSeccompTwice(r.Release) {
		p.Spec, p.Annotations = *p.Spec.DeepCopy(), maps.Clone(p.Annotations)
		off.Drop(&p.Spec, "spec", r)
		rules.DropInitContainerAnnotations(p.Annotations)
		mergeLabelKeys(p, r)
		if r.Release.Has(kubeversion.AppArmorFields) {
			pod.SyncAppArmor(p, r)
		}
		if pod.HasSeccompTwice(r.Release) {
			pod.SyncSeccomp(p, r)
		}
	}
}

// isPreparedInDepth reports whether a pod has something that preparePod drops, merges or synchronizes. Few pods do.
func isPreparedInDepth(p *corev1.Pod) bool {
	if p.Spec.Affinity != nil || len(p.Spec.TopologySpreadConstraints) > 0 {
		return true
	}
	if rules.HasInitContainerAnnotations(p.Annotations) {
		return true
	}
	for key := range p.Annotations {
		if strings.HasPrefix(key, corev1.DeprecatedAppArmorBetaContainerAnnotationKeyPrefix) {
			return true
		}
	}
	if s := p.Spec.SecurityContext; s != nil && s.AppArmorProfile != nil {
		return true
	}
	return slices.ContainsFunc(pod.Containers(&p.Spec), func(c *corev1.Container) bool {
		return c.SecurityContext != nil && c.SecurityContext.AppArmorProfile != nil
	})
}

func preparePodUpdate(p, old *corev1.Pod, r rules.Request) {
	switch r.Subresource {
	case "":
		keepWhole(&p.Spec, &old.Spec, r)
		if resizesByUpdate(r) {
			proposeResize(p, old)
		}
	case "status":
		p.DeletionTimestamp = nil
		p.OwnerReferences = old.DeepCopy().OwnerReferences
		if r.Release.Has(kubeversion.ObservedGenerationKept) {
			keepObserved(&p.Status, &old.Status)
		}
		if p.Status.QOSClass == "" && r.Release.Has(kubeversion.QOSClassImmutable) {
			p.Status.QOSClass = old.Status.QOSClass
		}
		if r.Release.Has(kubeversion.ClaimStatusesKept) {
			keepClaimStatuses(&p.Status, &old.Status)
		}
	case "ephemeralcontainers":
		containers := p.Spec.EphemeralContainers
		keepPod(p, old)
		p.Spec.EphemeralContainers = containers
	case "resize":
		if !r.Release.Has(kubeversion.ResizeInConditions) {
			resizeByName(p, old)
			break
		}
		if len(p.Spec.Containers) == len(old.Spec.Containers) && len(p.Spec.InitContainers) == len(old.Spec.InitContainers) {
			asked := p.Spec.DeepCopy()
			keepPod(p, old)
			resize(&p.Spec, asked, r)
		}
		keepWhole(&p.Spec, &old.Spec, r)
		if r.Release.Has(kubeversion.PodResourcesAfterAdmission) {
			pod.CompleteResources(&p.Spec)
		}
	}
	pod.GatedOff(&p.Spec, &old.Spec, r).Drop(&p.Spec, "spec", r) // subresources keep most of the old pod before that
	rules.DropInitContainerAnnotations(p.Annotations)
	if r.Subresource != "status" || r.Release.Has(kubeversion.PodStatusDrops) {
		dropStatus(&p.Status, old, r)
	}
}

// keepWhole keeps the pod-level resources for clients that do not know them.
func keepWhole(s, old *corev1.PodSpec, r rules.Request) {
	if s.Resources == nil && old.Resources != nil && r.Release.Has(kubeversion.PodResourcesAfterAdmission) {
		s.Resources = old.Resources.DeepCopy()
	}
}

// keepClaimStatuses keeps the statuses of claims if the new status does not have them. An empty list removes them.
func keepClaimStatuses(s, old *corev1.PodStatus) {
	if s.ResourceClaimStatuses == nil {
		s.ResourceClaimStatuses = old.ResourceClaimStatuses
	}
	if s.ExtendedResourceClaimStatus == nil {
		s.ExtendedResourceClaimStatus = old.ExtendedResourceClaimStatus
	}
	if s.NodeAllocatableResourceClaimStatuses == nil {
		s.NodeAllocatableResourceClaimStatuses = old.NodeAllocatableResourceClaimStatuses
	}
}

// keepObserved keeps the observed generations of a status and its conditions if the new ones do not have them. If
// several conditions have the same type, they are matched in order.
func keepObserved(s, old *corev1.PodStatus) {
	if s.ObservedGeneration == 0 {
		s.ObservedGeneration = old.ObservedGeneration
	}
	known := map[corev1.PodConditionType][]int64{}
	for _, c := range old.Conditions {
		known[c.Type] = append(known[c.Type], c.ObservedGeneration)
	}
	for i := range s.Conditions {
		c := &s.Conditions[i]
		if len(known[c.Type]) == 0 {
			continue
		}
		if c.ObservedGeneration == 0 {
			c.ObservedGeneration = known[c.Type][0]
		}
		known[c.Type] = known[c.Type][1:]
	}
}

// keepPod restores everything of old except the name, and the version that the client refers to.
func keepPod(p, old *corev1.Pod) {
	name, namespace, version := p.Name, p.Namespace, p.ResourceVersion
	old.DeepCopyInto(p)
	p.Name, p.Namespace, p.ResourceVersion = name, namespace, version
}

// resize copies the fields that the subresource resize may change from asked. Containers that the pod does not have are
// kept, to be refused later; everything is kept if the number of containers differs.
func resize(s, asked *corev1.PodSpec, r rules.Request) {
	s.Containers = resizedContainers(s.Containers, asked.Containers)
	s.InitContainers = resizedContainers(s.InitContainers, asked.InitContainers)
	if r.Release.Enabled("InPlacePodLevelResourcesVerticalScaling") {
		s.Resources = asked.Resources
	}
	if r.Release.Enabled(memoryVolumes) {
		s.Volumes = asked.Volumes
	}
}

func resizedContainers(were, asked []corev1.Container) []corev1.Container {
	for i := range asked {
		at := slices.IndexFunc(were, func(c corev1.Container) bool { return c.Name == asked[i].Name })
		if at < 0 {
			continue
		}
		c := *were[at].DeepCopy()
		c.Resources, c.ResizePolicy = asked[i].Resources, asked[i].ResizePolicy
		asked[i] = c
	}
	return asked
}

// mergeLabelKeys adds the pod's values for matchLabelKeys and mismatchLabelKeys to the selectors next to them.
func mergeLabelKeys(p *corev1.Pod, r rules.Request) {
	for _, t := range affinityTerms(p.Spec.Affinity) {
		if t.LabelSelector == nil {
			continue
		}
		selectOwnLabels(t.LabelSelector, t.MatchLabelKeys, metav1.LabelSelectorOpIn, p.Labels)
		selectOwnLabels(t.LabelSelector, t.MismatchLabelKeys, metav1.LabelSelectorOpNotIn, p.Labels)
	}
	if !r.Release.Has(kubeversion.SpreadSelectsOwnLabels) {
		return
	}
	for i := range p.Spec.TopologySpreadConstraints {
		c := &p.Spec.TopologySpreadConstraints[i]
		if c.LabelSelector != nil {
			selectOwnLabels(c.LabelSelector, c.MatchLabelKeys, metav1.LabelSelectorOpIn, p.Labels)
		}
	}
}

func selectOwnLabels(s *metav1.LabelSelector, keys []string, op metav1.LabelSelectorOperator, labels map[string]string) {
	for _, key := range keys {
		if value, ok := labels[key]; ok {
			s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: op, Values: []string{value}})
		}
	}
}

// affinityTerms returns pointers to the terms about other pods.
func affinityTerms(a *corev1.Affinity) []*corev1.PodAffinityTerm {
	if a == nil {
		return nil
	}
	var terms []*corev1.PodAffinityTerm
	collect := func(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm) {
		for i := range required {
			terms = append(terms, &required[i])
		}
		for i := range preferred {
			terms = append(terms, &preferred[i].PodAffinityTerm)
		}
	}
	if p := a.PodAffinity; p != nil {
		collect(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if p := a.PodAntiAffinity; p != nil {
		collect(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	return terms
}

var podTemplate = rules.Of[*corev1.PodTemplate]{
	OnUpdate:  rules.CheckKind,
	Name:      rules.DNSSubdomain,
	Spec:      func(t *corev1.PodTemplate) any { return &t.Template },
	Counted:   kubeversion.JobGenerations,
	Defaults:  func(t *corev1.PodTemplate) { pod.DefaultTemplate(&t.Template) },
	Export:    func(*corev1.PodTemplate, bool, func()) field.ErrorList { return nil },
	Normalise: func(t *corev1.PodTemplate, r *kubeversion.Release) { pod.NormaliseTemplate(&t.Template, r) },
	Validate: func(t *corev1.PodTemplate, r rules.Request) field.ErrorList {
		return pod.ValidateTemplate(&t.Template, field.NewPath("template"), r)
	},
	Warnings: func(t, old *corev1.PodTemplate, r rules.Request) []string {
		if old != nil && t.Generation == old.Generation {
			return nil
		}
		return pod.TemplateWarnings(&t.Template, field.NewPath("template"), r)
	},

	DropGated: pod.DropGatedTemplate,
}

// ephemeralContainers is the kind that pods/ephemeralcontainers had up to 1.21.
var ephemeralContainers = rules.Of[*builtin.EphemeralContainers]{
	Defaults: func(e *builtin.EphemeralContainers) {
		for i := range e.EphemeralContainers {
			pod.DefaultContainer((*corev1.Container)(&e.EphemeralContainers[i].EphemeralContainerCommon))
		}
	},
}
