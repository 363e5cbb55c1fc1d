// kubernetes/kubernetes@v1.31.0:pkg/apis/resource/validation/validation.go
// kubernetes/kubernetes@v1.31.0:pkg/registry/resource/resourceclaim/strategy.go
// kubernetes/kubernetes@v1.31.0:pkg/registry/resource/deviceclass/strategy.go

package resource

import (
	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// While the controller of a driver can allocate devices (VA-29b), claims and classes of v1alpha3 have fields that the hub
// of later releases does not have, and are hubs themselves. Everything else about them is checked in the form of v1.

var deviceClassV1alpha3 = rules.Of[*builtin.DeviceClassV1alpha3]{
	Name: rules.DNSSubdomain,
	Spec: func(c *builtin.DeviceClassV1alpha3) any { return &c.Spec },
	PrepareForCreate: func(c *builtin.DeviceClassV1alpha3, r rules.Request) {
		if !hasControllers(r) {
			c.Spec.SuitableNodes = nil
		}
	},
	PrepareForUpdate: func(c, old *builtin.DeviceClassV1alpha3, r rules.Request) {
		if !hasControllers(r) && old.Spec.SuitableNodes == nil {
			c.Spec.SuitableNodes = nil
		}
	},
	Validate: func(c *builtin.DeviceClassV1alpha3, r rules.Request) field.ErrorList {
		return alphaClassSpec(c, nil, r)
	},

	ValidateUpdate: alphaClassSpec,
}

var resourceClaimV1alpha3 = rules.Of[*builtin.ResourceClaimV1alpha3]{
	Name:        rules.DNSSubdomain,
	StatusAlone: true,
	Status:      func(c *builtin.ResourceClaimV1alpha3) any { return &c.Status },
	DefaultsIn: func(c *builtin.ResourceClaimV1alpha3, o rules.Options) {
		defaultAlphaRequests(&c.Spec.Devices, o.Release)
	},
	PrepareForCreate: func(c *builtin.ResourceClaimV1alpha3, r rules.Request) {
		if !hasControllers(r) {
			c.Spec.Controller = ""
		}
	},
	PrepareForUpdate: func(c, old *builtin.ResourceClaimV1alpha3, r rules.Request) {
		if !hasControllers(r) {
			dropController(c, old)
		}
	},
	Validate: func(c *builtin.ResourceClaimV1alpha3, r rules.Request) field.ErrorList {
		return alphaClaimSpec(&c.Spec, currentClaim(c), rules.SpecPath, false, r)
	},
	ValidateUpdate: func(c, old *builtin.ResourceClaimV1alpha3, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return alphaClaimStatus(c, old, r)
		}
		errs := rules.ImmutableInternal(c.Spec, old.Spec, rules.SpecPath)
		return append(errs, alphaClaimSpec(&c.Spec, currentClaim(c), rules.SpecPath, true, r)...)
	},
}

var resourceClaimTemplateV1alpha3 = rules.Of[*builtin.ResourceClaimTemplateV1alpha3]{
	Name: rules.DNSSubdomain,
	DefaultsIn: func(t *builtin.ResourceClaimTemplateV1alpha3, o rules.Options) {
		defaultAlphaRequests(&t.Spec.Spec.Devices, o.Release)
	},
	Validate: func(t *builtin.ResourceClaimTemplateV1alpha3, r rules.Request) field.ErrorList {
		return alphaTemplateSpec(t, false, r)
	},
	ValidateUpdate: func(t, old *builtin.ResourceClaimTemplateV1alpha3, r rules.Request) field.ErrorList {
		return append(rules.ImmutableInternal(t.Spec, old.Spec, rules.SpecPath), alphaTemplateSpec(t, true, r)...)
	},
}

// hasControllers reports whether the controllers of drivers can allocate devices.
func hasControllers(r rules.Request) bool { return r.Release.Enabled("DRAControlPlaneController") }

// defaultAlphaRequests sets the defaults of requests, in which a missing adminAccess is the same as false.
func defaultAlphaRequests(c *resourcev1beta1.DeviceClaim, r *kubeversion.Release) {
	defaultFlatRequests(c, r)
	for i := range c.Requests {
		if a := c.Requests[i].AdminAccess; a != nil && !*a {
			c.Requests[i].AdminAccess = nil
		}
	}
}

// dropController drops what is about a controller from an updated claim, unless the old claim has one.
func dropController(c, old *builtin.ResourceClaimV1alpha3) {
	if old.Spec.Controller == "" {
		c.Spec.Controller = ""
		if c.Status.Allocation != nil && old.Status.Allocation == nil {
			c.Status.Allocation.Controller = ""
		}
	}
	if !old.Status.DeallocationRequested && (c.Status.Allocation == nil || c.Status.Allocation.Controller == "") {
		c.Status.DeallocationRequested = false
	}
}

// currentClaim returns a claim in the form of v1.
func currentClaim(c *builtin.ResourceClaimV1alpha3) *resourcev1.ResourceClaim {
	return alphaClaim().ToHub(c, &resourcev1.ResourceClaim{}).(*resourcev1.ResourceClaim)
}

func currentClass(c *builtin.DeviceClassV1alpha3) *resourcev1.DeviceClass {
	if c == nil {
		return nil
	}
	return alphaClass().ToHub(c, &resourcev1.DeviceClass{}).(*resourcev1.DeviceClass)
}

// alphaClassSpec checks a class; old is nil if it is checked as a new one.
func alphaClassSpec(c, old *builtin.DeviceClassV1alpha3, r rules.Request) field.ErrorList {
	errs := deviceClassSpec(currentClass(c), currentClass(old), r)
	if n := c.Spec.SuitableNodes; n != nil {
		errs = append(errs, pod.NodeSelector(n, pod.AnyValue, field.NewPath("suitableNodes"))...)
	}
	return errs
}

// alphaClaimSpec checks what a claim requests, which is also given in the form of v1.
func alphaClaimSpec(s *builtin.ClaimSpecV1alpha3, current *resourcev1.ResourceClaim, at *field.Path, stored bool, r rules.Request) field.ErrorList {
	errs := claimedDevices(&current.Spec.Devices, at.Child("devices"), stored, r)
	return append(errs, controllerName(s.Controller, at.Child("controller"))...)
}

func controllerName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return nil
	}
	return rules.DriverName(name, at)
}

func alphaTemplateSpec(t *builtin.ResourceClaimTemplateV1alpha3, stored bool, r rules.Request) field.ErrorList {
	errs := rules.ClaimMetadata(&t.Spec.ObjectMeta, rules.SpecPath.Child("metadata"), r.Release)
	claim := currentClaim(&builtin.ResourceClaimV1alpha3{Spec: t.Spec.Spec})
	return append(errs, alphaClaimSpec(&t.Spec.Spec, claim, rules.SpecPath.Child("spec"), stored, r)...)
}

func alphaClaimStatus(c, old *builtin.ResourceClaimV1alpha3, r rules.Request) field.ErrorList {
	at, s, before := field.NewPath("status"), &c.Status, &old.Status
	current := currentClaim(c)
	allocationAt, reservedAt := at.Child("allocation"), at.Child("reservedFor")
	var errs rules.Errors
	errs.Add(allocation(current.Status.Allocation, requestsOf(&current.Spec.Devices, r.Release), allocationAt, r))
	if s.Allocation != nil {
		errs.Add(controllerName(s.Allocation.Controller, allocationAt.Child("controller")))
	}
	errs.Add(consumers(current.Status.ReservedFor, maxClaimConsumers, reservedAt, r.Release))
	errs.Add(reservation(current, currentClaim(old), c.DeletionTimestamp != nil || s.DeallocationRequested, reservedAt))
	if s.Allocation != nil && before.Allocation != nil {
		errs.Add(rules.ImmutableInternal(s.Allocation, before.Allocation, allocationAt))
	}
	errs.Add(deallocation(s.DeallocationRequested, before.DeallocationRequested, s.Allocation != nil, len(s.ReservedFor) > 0, at))
	return errs.List()
}
