// kubernetes/kubernetes:pkg/apis/scheduling/validation/validation.go
// kubernetes/kubernetes:pkg/apis/scheduling/v1beta1/defaults.go
// kubernetes/kubernetes:pkg/registry/scheduling/podgroup/strategy.go
// kubernetes/kubernetes:pkg/registry/scheduling/compositepodgroup/strategy.go
// kubernetes/kubernetes:pkg/registry/scheduling/workload/strategy.go

package scheduling

import (
	"fmt"

	schedulingv1alpha3 "k8s.io/api/scheduling/v1alpha3"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// podGroup is a group of pods that are scheduled together.
var podGroup = rules.Of[*schedulingv1beta1.PodGroup]{
	Name:        rules.DNSSubdomain,
	Declared:    true,
	Status:      func(g *schedulingv1beta1.PodGroup) any { return &g.Status },
	StatusAlone: true,
	Defaults: func(g *schedulingv1beta1.PodGroup) {
		rules.SetDefault(&g.Spec.DisruptionMode, schedulingv1beta1.DisruptionMode{Single: &schedulingv1beta1.SingleDisruptionMode{}})
	},
	DefaultsIn: func(g *schedulingv1beta1.PodGroup, o rules.Options) {
		if o.Release.Enabled("PodGroupPreemptionPolicy") {
			rules.SetDefault(&g.Spec.PreemptionPolicy, schedulingv1beta1.PreemptLowerPriority)
		}
	},
	Validate: func(g *schedulingv1beta1.PodGroup, r rules.Request) field.ErrorList {
		if r.Old == nil && g.Spec.ParentCompositePodGroupName != nil && g.Spec.WorkloadRef == nil {
			return field.ErrorList{field.Required(rules.SpecPath.Child("workloadRef"), "must be set when parentCompositePodGroupName is set")}
		}
		return nil
	},
	OnUpdate: rules.CheckChange,
	ValidateUpdate: func(g, _ *schedulingv1beta1.PodGroup, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return nil
		}
		at := field.NewPath("status")
		var errs rules.Errors
		errs.Add(rules.Conditions(r.Release, g.Status.Conditions, at.Child("conditions")))
		for i, s := range g.Status.ResourceClaimStatuses {
			errs.Add(rules.Unless(claims(g, s.Name), at.Child("resourceClaimStatuses").Index(i).Child("name"), s.Name, "must match the name of an entry in `spec.resourceClaims`"))
		}
		return errs.List()
	},
}

func claims(g *schedulingv1beta1.PodGroup, name string) bool {
	for _, c := range g.Spec.ResourceClaims {
		if c.Name == name {
			return true
		}
	}
	return false
}

// compositePodGroup is a set of groups of pods that are scheduled together.
var compositePodGroup = rules.Of[*schedulingv1alpha3.CompositePodGroup]{
	Name:        rules.DNSSubdomain,
	Declared:    true,
	Status:      func(g *schedulingv1alpha3.CompositePodGroup) any { return &g.Status },
	StatusAlone: true,
	Defaults: func(g *schedulingv1alpha3.CompositePodGroup) {
		rules.SetDefault(&g.Spec.DisruptionMode, schedulingv1alpha3.CompositeDisruptionMode{Single: &schedulingv1alpha3.SingleCompositeDisruptionMode{}})
	},
	DefaultsIn: func(g *schedulingv1alpha3.CompositePodGroup, o rules.Options) {
		if o.Release.Enabled("PodGroupPreemptionPolicy") {
			rules.SetDefault(&g.Spec.PreemptionPolicy, schedulingv1alpha3.PreemptLowerPriority)
		}
	},
	OnUpdate: rules.CheckChange,
	ValidateUpdate: func(g, _ *schedulingv1alpha3.CompositePodGroup, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return nil
		}
		return rules.Conditions(r.Release, g.Status.Conditions, field.NewPath("status", "conditions"))
	},
}

// workload has the templates from which groups of pods are created.
var workload = rules.Of[*schedulingv1beta1.Workload]{
	Name:     rules.DNSSubdomain,
	Declared: true,
	Validate: func(w *schedulingv1beta1.Workload, _ rules.Request) field.ErrorList { return workloadSpec(&w.Spec) },
	OnUpdate: rules.CheckChange,
	ValidateUpdate: func(w, _ *schedulingv1beta1.Workload, _ rules.Request) field.ErrorList {
		return workloadSpec(&w.Spec)
	},
}

const (
	compositeTemplates = "compositePodGroupTemplates"
	maxTemplateDepth   = 4
)

func workloadSpec(s *schedulingv1beta1.WorkloadSpec) field.ErrorList {
	names := map[string]bool{}
	for _, g := range s.PodGroupTemplates {
		names[g.Name] = true
	}
	var errs rules.Errors
	errs.Add(templateNames(s.CompositePodGroupTemplates, rules.SpecPath, names))
	at := rules.SpecPath.Child(compositeTemplates)
	for i, t := range s.CompositePodGroupTemplates {
		errs.Add(rules.Unless(depthOf(&t) <= maxTemplateDepth, at.Index(i), rules.AsInternal(t.CompositePodGroupTemplates), fmt.Sprintf("maximum template hierarchy depth is %d", maxTemplateDepth)))
	}
	errs.Add(onePriority(s))
	for i := range s.CompositePodGroupTemplates {
		errs.Add(hasChildren(&s.CompositePodGroupTemplates[i], at.Index(i)))
	}
	return errs.List()
}

// templateNames requires that no template has the same name as one in another list. Within one list, declared rules
// check this.
func templateNames(list []schedulingv1beta1.CompositePodGroupTemplate, at *field.Path, names map[string]bool) field.ErrorList {
	at = at.Child(compositeTemplates)
	var errs rules.Errors
	for i, t := range list {
		if names[t.Name] {
			errs.Duplicate(at.Index(i).Child("name"), t.Name)
		}
	}
	for _, t := range list {
		names[t.Name] = true
	}
	for i, t := range list {
		at := at.Index(i)
		for j, g := range t.PodGroupTemplates {
			if names[g.Name] {
				errs.Duplicate(at.Child("podGroupTemplates").Index(j).Child("name"), g.Name)
			}
		}
		for _, g := range t.PodGroupTemplates {
			names[g.Name] = true
		}
		errs.Add(templateNames(t.CompositePodGroupTemplates, at, names))
	}
	return errs.List()
}

// depthOf returns the depth of nested composite templates, including the groups at the end.
func depthOf(t *schedulingv1beta1.CompositePodGroupTemplate) int {
	deepest := 1
	for i := range t.CompositePodGroupTemplates {
		deepest = max(deepest, depthOf(&t.CompositePodGroupTemplates[i]))
	}
	return deepest + 1
}

// A shownPriority is the priority that all templates of a workload must have in common.
type shownPriority struct {
	class    string
	priority int32
	given    bool
}

func priorityOf(class string, priority *int32) shownPriority {
	if priority == nil {
		return shownPriority{class: class}
	}
	return shownPriority{class, *priority, true}
}

func onePriority(s *schedulingv1beta1.WorkloadSpec) field.ErrorList {
	var first *shownPriority
	differs := func(class string, priority *int32) bool {
		p := priorityOf(class, priority)
		if first == nil {
			first = &p
		}
		return p != *first
	}
	for _, g := range s.PodGroupTemplates {
		if differs(g.PriorityClassName, g.Priority) {
			return field.ErrorList{field.Invalid(rules.SpecPath, nil, "detected multiple priority configurations")}
		}
	}
	var anyDiffers func(t *schedulingv1beta1.CompositePodGroupTemplate) bool
	anyDiffers = func(t *schedulingv1beta1.CompositePodGroupTemplate) bool {
		if differs(t.PriorityClassName, t.Priority) {
			return true
		}
		for i := range t.CompositePodGroupTemplates {
			if anyDiffers(&t.CompositePodGroupTemplates[i]) {
				return true
			}
		}
		for _, g := range t.PodGroupTemplates {
			if differs(g.PriorityClassName, g.Priority) {
				return true
			}
		}
		return false
	}
	for i := range s.CompositePodGroupTemplates {
		if anyDiffers(&s.CompositePodGroupTemplates[i]) {
			return field.ErrorList{field.Invalid(rules.SpecPath, nil, "all priority and priorityClassName values must be identical, detected multiple values")}
		}
	}
	return nil
}

func hasChildren(t *schedulingv1beta1.CompositePodGroupTemplate, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Unless(len(t.PodGroupTemplates)+len(t.CompositePodGroupTemplates) > 0, at, t.Name, "must have at least one child PodGroupTemplate or CompositePodGroupTemplate"))
	for i := range t.CompositePodGroupTemplates {
		errs.Add(hasChildren(&t.CompositePodGroupTemplates[i], at.Child(compositeTemplates).Index(i)))
	}
	return errs.List()
}
