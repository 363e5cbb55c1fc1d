// kubernetes/kubernetes:pkg/apis/lifecycle/validation/validation.go
// kubernetes/kubernetes:pkg/registry/lifecycle/eviction/strategy.go
// kubernetes/kubernetes:pkg/registry/lifecycle/evictionrequest/strategy.go

package policy

import (
	"time"

	lifecyclev1alpha1 "k8s.io/api/lifecycle/v1alpha1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var (
	conditionsPath = field.NewPath("status", "conditions")
	targetsPath    = field.NewPath("status", "targetResponders")
	respondersPath = field.NewPath("status", "responders")
)

// evictionRequest requests the eviction of a pod.
var evictionRequest = rules.Of[*lifecyclev1alpha1.EvictionRequest]{
	Name:         rules.DNSSubdomain,
	DeclaredName: kubeversion.DeclaredNamesChecked,
	Declared:     true,
	Spec:         func(e *lifecyclev1alpha1.EvictionRequest) any { return &e.Spec },
	Status:       func(e *lifecyclev1alpha1.EvictionRequest) any { return &e.Status },
	StatusAlone:  true,
	OnUpdate:     rules.CheckChange,
	Validate: func(e *lifecyclev1alpha1.EvictionRequest, _ rules.Request) field.ErrorList {
		return emptyName(e.Name)
	},
	ValidateUpdate: func(e, _ *lifecyclev1alpha1.EvictionRequest, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return nil
		}
		return metav1validation.ValidateConditions(e.Status.Conditions, conditionsPath)
	},
}

// eviction tracks the requests to evict a pod: its responders act one after the other.
var eviction = rules.Of[*lifecyclev1alpha1.Eviction]{
	Name:         rules.DNSSubdomain,
	DeclaredName: kubeversion.DeclaredNamesChecked,
	Declared:     true,
	Spec:         func(e *lifecyclev1alpha1.Eviction) any { return &e.Spec },
	Status:       func(e *lifecyclev1alpha1.Eviction) any { return &e.Status },
	StatusAlone:  true,
	OnUpdate:     rules.CheckChange,
	Validate: func(e *lifecyclev1alpha1.Eviction, _ rules.Request) field.ErrorList {
		return emptyName(e.Name)
	},
	ValidateUpdate: func(e, old *lifecyclev1alpha1.Eviction, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return nil
		}
		return evictionStatus(&e.Status, &old.Status, r.Now)
	},
}

// emptyName also reports a missing name as an invalid one: unlike other types, these do not declare their name optional.
func emptyName(name string) field.ErrorList {
	if name != "" {
		return nil
	}
	return rules.Subdomain(name, rules.MetadataPath.Child("name"))
}

func evictionStatus(s, old *lifecyclev1alpha1.EvictionStatus, now time.Time) field.ErrorList {
	var errs rules.Errors
	errs.Add(metav1validation.ValidateConditions(s.Conditions, conditionsPath))
	isFinal := false
	for _, one := range []lifecyclev1alpha1.EvictionConditionType{lifecyclev1alpha1.EvictionConditionTargetEvicted, lifecyclev1alpha1.EvictionConditionFailed} {
		isFinal = isFinal || meta.IsStatusConditionTrue(s.Conditions, string(one))
	}
	for _, prev := range old.Conditions {
		if !isEnd(prev.Type) || prev.Status != metav1.ConditionTrue {
			continue
		}
		cur := meta.FindStatusCondition(s.Conditions, prev.Type)
		if cur == nil || cur.Status == metav1.ConditionFalse || cur.Reason != prev.Reason {
			errs.Invalid(conditionsPath, s.Conditions, prev.Type+" condition status cannot be reverted")
			isFinal = true
		}
	}
	errs.Add(targets(s, old, isFinal, now))
	errs.Add(responders(s, old, now))
	return errs.List()
}

func isEnd(condition string) bool {
	return condition == string(lifecyclev1alpha1.EvictionConditionTargetEvicted) || condition == string(lifecyclev1alpha1.EvictionConditionFailed)
}
