// kubernetes/kubernetes:pkg/apis/resource/validation/validation.go
// kubernetes/kubernetes:pkg/registry/resource/devicetaintrule/strategy.go

package resource

import (
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// deviceTaintRule taints matching devices. The time of its taint is the time at which its effect was set.
var deviceTaintRule = rules.Of[*builtin.DeviceTaintRule]{
	Name:        rules.DNSSubdomain,
	Declared:    true,
	Spec:        func(t *builtin.DeviceTaintRule) any { return &t.Spec },
	Status:      func(t *builtin.DeviceTaintRule) any { return &t.Status },
	StatusAlone: true,
	DefaultsIn: func(t *builtin.DeviceTaintRule, o rules.Options) {
		taint := currentTaint(t.Spec.Taint)
		defaultDeviceTaint(&taint, o)
		t.Spec.Taint.TimeAdded = taint.TimeAdded
	},
	PrepareForUpdate: func(t, old *builtin.DeviceTaintRule, r rules.Request) {
		if r.Subresource == "status" || !r.Release.Has(kubeversion.TaintTimeFollowsEffect) {
			return
		}
		taint, before := &t.Spec.Taint, old.Spec.Taint
		if taint.Effect != before.Effect && taint.TimeAdded.Equal(before.TimeAdded) {
			taint.TimeAdded = &metav1.Time{Time: r.Now.Truncate(time.Second)}
		}
	},
	Validate: func(t *builtin.DeviceTaintRule, r rules.Request) field.ErrorList {
		return taintRuleSpec(&t.Spec, rules.OldOf[*builtin.DeviceTaintRule](r), r)
	},
	OnUpdate: rules.CheckChange,
	ValidateUpdate: func(t, old *builtin.DeviceTaintRule, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return taintRuleSpec(&t.Spec, old, r)
		}
		at := field.NewPath("status", "conditions")
		var errs rules.Errors
		errs.Add(rules.Conditions(r.Release, t.Status.Conditions, at))
		if n := len(t.Status.Conditions); n > resourcev1.DeviceTaintRuleStatusMaxConditions {
			errs.TooMany(at, n, resourcev1.DeviceTaintRuleStatusMaxConditions)
		}
		return errs.List()
	},
}

// taintRuleSpec checks the selected devices and their taint. An unchanged effect is not checked.
func taintRuleSpec(s *builtin.DeviceTaintRuleSpec, old *builtin.DeviceTaintRule, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if s.DeviceSelector != nil {
		var before *builtin.DeviceTaintSelector
		if old != nil {
			before = old.Spec.DeviceSelector
		}
		errs.Add(taintSelector(s.DeviceSelector, before, rules.SpecPath.Child("deviceSelector"), r))
	}
	taint := currentTaint(s.Taint)
	if r.Release.Has(kubeversion.DeviceTaintsKept) && old != nil && old.Spec.Taint.Effect == s.Taint.Effect {
		taint.Effect = resourcev1.DeviceTaintEffectNoExecute
	}
	errs.Add(deviceTaint(taint, r.Release, rules.SpecPath.Child("taint")))
	return errs.List()
}

// taintSelector checks the selected devices. Releases that no longer have the class and the expressions never see them:
// kubernetes/kubernetes@v1.34.2:pkg/apis/resource/validation/validation.go, validateDeviceTaintSelector.
func taintSelector(s, old *builtin.DeviceTaintSelector, at *field.Path, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if s.DeviceClassName != nil {
		errs.Add(rules.Faults(at.Child("deviceClassName"), *s.DeviceClassName, rules.DNS1123Subdomain(*s.DeviceClassName)))
	}
	if s.Driver != nil {
		errs.Add(rules.DriverName(*s.Driver, at.Child("driver")))
	}
	if s.Pool != nil {
		errs.Add(poolName(*s.Pool, r.Release, at.Child("pool")))
	}
	if s.Device != nil {
		errs.Add(rules.Faults(at.Child("device"), *s.Device, rules.DNS1123Label(*s.Device)))
	}
	stored := old != nil && semantic.DeepEqual(s.Selectors, old.Selectors)
	errs.Add(deviceSelectors(currentSelectors(s.Selectors), at.Child("selectors"), stored, r))
	return errs.List()
}

// currentTaint returns a taint as the type of the current version.
func currentTaint(t resourcev1alpha3.DeviceTaint) resourcev1.DeviceTaint {
	return resourcev1.DeviceTaint{Key: t.Key, Value: t.Value, Effect: resourcev1.DeviceTaintEffect(t.Effect), TimeAdded: t.TimeAdded}
}

// currentSelectors returns selectors as the types of the current version.
func currentSelectors(selectors []builtin.DeviceSelector) (current []resourcev1.DeviceSelector) {
	for _, s := range selectors {
		current = append(current, resourcev1.DeviceSelector{CEL: (*resourcev1.CELDeviceSelector)(s.CEL)})
	}
	return current
}
