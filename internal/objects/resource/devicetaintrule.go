// kubernetes/kubernetes:pkg/apis/resource/validation/validation.go
// kubernetes/kubernetes:pkg/registry/resource/devicetaintrule/strategy.go

package resource

import (
	"time"

	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// deviceTaintRule taints matching devices. The time of its taint is the time at which its effect was set.
var deviceTaintRule = rules.Of[*resourcev1.DeviceTaintRule]{
	Name:        rules.DNSSubdomain,
	Declared:    true,
	Spec:        func(t *resourcev1.DeviceTaintRule) any { return &t.Spec },
	Status:      func(t *resourcev1.DeviceTaintRule) any { return &t.Status },
	StatusAlone: true,
	DefaultsIn:  func(t *resourcev1.DeviceTaintRule, o rules.Options) { defaultDeviceTaint(&t.Spec.Taint, o) },
	PrepareForUpdate: func(t, old *resourcev1.DeviceTaintRule, r rules.Request) {
		if r.Subresource == "status" || !r.Release.Has(kubeversion.TaintTimeFollowsEffect) {
			return
		}
		taint, before := &t.Spec.Taint, old.Spec.Taint
		if taint.Effect != before.Effect && taint.TimeAdded.Equal(before.TimeAdded) {
			taint.TimeAdded = &metav1.Time{Time: r.Now.Truncate(time.Second)}
		}
	},
	Validate: func(t *resourcev1.DeviceTaintRule, r rules.Request) field.ErrorList {
		return taintRuleSpec(&t.Spec, rules.OldOf[*resourcev1.DeviceTaintRule](r), r.Release)
	},
	OnUpdate: rules.CheckChange,
	ValidateUpdate: func(t, old *resourcev1.DeviceTaintRule, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return taintRuleSpec(&t.Spec, old, r.Release)
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
func taintRuleSpec(s *resourcev1.DeviceTaintRuleSpec, old *resourcev1.DeviceTaintRule, r *kubeversion.Release) field.ErrorList {
	var errs rules.Errors
	if f, at := s.DeviceSelector, rules.SpecPath.Child("deviceSelector"); f != nil {
		if f.Driver != nil {
			errs.Add(rules.DriverName(*f.Driver, at.Child("driver")))
		}
		if f.Pool != nil {
			errs.Add(poolName(*f.Pool, at.Child("pool")))
		}
		if f.Device != nil {
			errs.Add(rules.Faults(at.Child("device"), *f.Device, rules.DNS1123Label(*f.Device)))
		}
	}
	taint := s.Taint
	if r.Has(kubeversion.DeviceTaintsKept) && old != nil && old.Spec.Taint.Effect == taint.Effect {
		taint.Effect = resourcev1.DeviceTaintEffectNoExecute
	}
	errs.Add(deviceTaint(taint, r, rules.SpecPath.Child("taint")))
	return errs.List()
}
