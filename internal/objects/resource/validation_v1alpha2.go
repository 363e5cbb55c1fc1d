// kubernetes/kubernetes@v1.28.0:pkg/apis/resource/validation/validation.go

package resource

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Claims that are allocated by controllers of drivers, up to 1.30, are checked as in
// kubernetes/kubernetes:pkg/apis/resource/validation of 1.28. The models of 1.30 are in validation_named.go.

var resourceClassV1alpha2 = rules.Of[*builtin.ResourceClassV1alpha2]{
	Name:     rules.DNSSubdomain,
	Validate: func(c *builtin.ResourceClassV1alpha2, _ rules.Request) field.ErrorList { return oldClass(c) },
	ValidateUpdate: func(c, _ *builtin.ResourceClassV1alpha2, _ rules.Request) field.ErrorList {
		return oldClass(c) // once more, as for all kinds that have such an update here (VA-03b)
	},
}

func oldClass(c *builtin.ResourceClassV1alpha2) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.DriverName(c.DriverName, field.NewPath("driverName")))
	errs.Add(classReference(c.ParametersRef, field.NewPath("parametersRef")))
	if c.SuitableNodes != nil {
		errs.Add(pod.NodeSelector(c.SuitableNodes, pod.AnyValue, field.NewPath("suitableNodes")))
	}
	return errs.List()
}

var resourceClaimV1alpha2 = rules.Of[*builtin.ResourceClaimV1alpha2]{
	Name:     rules.DNSSubdomain,
	Status:   func(c *builtin.ResourceClaimV1alpha2) any { return &c.Status },
	Defaults: func(c *builtin.ResourceClaimV1alpha2) { rules.SetZero(&c.Spec.AllocationMode, waitForConsumer) },
	Validate: func(c *builtin.ResourceClaimV1alpha2, _ rules.Request) field.ErrorList {
		return oldClaimSpec(&c.Spec, rules.SpecPath)
	},
	ValidateUpdate: func(c, old *builtin.ResourceClaimV1alpha2, r rules.Request) field.ErrorList {
		if r.Subresource == "status" {
			return oldClaimStatus(c, old, r.Release)
		}
		return append(rules.ImmutableInternal(c.Spec, old.Spec, rules.SpecPath), oldClaimSpec(&c.Spec, rules.SpecPath)...)
	},
}

var resourceClaimTemplateV1alpha2 = rules.Of[*builtin.ResourceClaimTemplateV1alpha2]{
	Name: rules.DNSSubdomain,
	Defaults: func(t *builtin.ResourceClaimTemplateV1alpha2) {
		rules.SetZero(&t.Spec.Spec.AllocationMode, waitForConsumer)
	},
	Validate: oldTemplate,
	ValidateUpdate: func(t, old *builtin.ResourceClaimTemplateV1alpha2, r rules.Request) field.ErrorList {
		return append(rules.ImmutableInternal(t.Spec, old.Spec, rules.SpecPath), oldTemplate(t, r)...)
	},
}

func oldTemplate(t *builtin.ResourceClaimTemplateV1alpha2, r rules.Request) field.ErrorList {
	errs := rules.ClaimMetadata(&t.Spec.ObjectMeta, rules.SpecPath.Child("metadata"), r.Release)
	return append(errs, oldClaimSpec(&t.Spec.Spec, rules.SpecPath.Child("spec"))...)
}

// podSchedulingContext has the rules of v1alpha3, which are the same in the two versions before it.
var podSchedulingContext = rules.Of[*builtin.PodSchedulingContext]{
	Name:     rules.DNSSubdomain,
	Status:   func(c *builtin.PodSchedulingContext) any { return &c.Status },
	Validate: func(c *builtin.PodSchedulingContext, _ rules.Request) field.ErrorList { return schedulingNodes(c) },
	ValidateUpdate: func(c, _ *builtin.PodSchedulingContext, r rules.Request) field.ErrorList {
		if r.Subresource != "status" {
			return schedulingNodes(c)
		}
		name := func(s builtin.ClaimSchedulingStatus) string { return s.Name }
		at := field.NewPath("status", "claims")
		errs := rules.EachOf(c.Status.ResourceClaims, -1, at, func(s builtin.ClaimSchedulingStatus, at *field.Path) field.ErrorList {
			return nodeNames(s.UnsuitableNodes, at.Child("unsuitableNodes"))
		})
		return append(errs, duplicates(c.Status.ResourceClaims, at, name)...)
	},
}

func schedulingNodes(c *builtin.PodSchedulingContext) field.ErrorList {
	return nodeNames(c.Spec.PotentialNodes, rules.SpecPath.Child("potentialNodes"))
}

const (
	waitForConsumer = "WaitForFirstConsumer"

	maxSchedulingNodes = 128
	maxClaimConsumers  = 32
	maxHandles         = 32
	maxHandleData      = 16 * 1024
)

// longer returns the error about a text or list that is too long, in the words of the releases that had these kinds.
func longer(at *field.Path, most int) *field.Error {
	return &field.Error{Type: field.ErrorTypeTooLong, Field: at.String(), BadValue: "", Detail: fmt.Sprintf("may not be longer than %d", most)}
}

func nodeNames(names []string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.EachOf(names, -1, at, func(name string, at *field.Path) field.ErrorList {
		return rules.Faults(at, name, rules.DNSSubdomain(name, false))
	}))
	errs.Add(duplicates(names, at, itself))
	if len(names) > maxSchedulingNodes {
		errs.Append(longer(at, maxSchedulingNodes))
	}
	return errs.List()
}

func classReference(p *builtin.ClassParametersReference, at *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	var errs rules.Errors
	errs.Add(rules.Required(p.Kind, at.Child("kind")))
	errs.Add(rules.Required(p.Name, at.Child("name")))
	if p.Namespace != "" {
		errs.Add(rules.Faults(at.Child("namespace"), p.Namespace, validation.ValidateNamespaceName(p.Namespace, false)))
	}
	return errs.List()
}

func claimReference(p *builtin.ClaimParametersReference, at *field.Path) field.ErrorList {
	if p == nil {
		return nil
	}
	return append(rules.Required(p.Kind, at.Child("kind")), rules.Required(p.Name, at.Child("name"))...)
}

func oldClaimSpec(s *builtin.ClaimSpecV1alpha2, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Faults(at.Child("resourceClassName"), s.ResourceClassName, rules.DNSSubdomain(s.ResourceClassName, false)))
	errs.Add(claimReference(s.ParametersRef, at.Child("parametersRef")))
	errs.Add(rules.OneOf(&s.AllocationMode, []string{"Immediate", waitForConsumer}, at.Child("allocationMode")))
	return errs.List()
}

func oldClaimStatus(c, old *builtin.ResourceClaimV1alpha2, r *kubeversion.Release) field.ErrorList {
	at, after, before := field.NewPath("status"), &c.Status, &old.Status
	var errs rules.Errors
	switch {
	case after.DriverName != "":
		errs.Add(rules.DriverName(after.DriverName, at.Child("driverName")))
	case after.Allocation != nil:
		errs.Required(at.Child("driverName"), "must be specified when `allocation` is set")
	}
	if a := after.Allocation; a != nil {
		errs.Add(oldAllocation(a, at.Child("allocation"), r))
	}
	errs.Add(oldConsumers(c, old, at.Child("reservedFor")))
	if after.Allocation != nil && before.Allocation != nil && r.Has(kubeversion.AllocationsOfDrivers) {
		errs.Add(rules.ImmutableInternal(after.Allocation, before.Allocation, at.Child("allocation")))
	}
	errs.Add(deallocation(after.DeallocationRequested, before.DeallocationRequested, after.Allocation != nil, len(after.ReservedFor) > 0, at))
	return errs.List()
}

// deallocation checks whether a driver can be asked to deallocate a claim, now and before.
func deallocation(now, before, allocated, reserved bool, at *field.Path) field.ErrorList {
	requested := at.Child("deallocationRequested")
	var errs rules.Errors
	if now && !before && reserved {
		errs.Forbidden(requested, "deallocation cannot be requested while `reservedFor` is set")
	}
	if now && !allocated {
		errs.Forbidden(at, "`allocation` must be set when `deallocationRequested` is set")
	}
	if !now && before && allocated {
		errs.Forbidden(requested, "may not be cleared when `allocation` is set")
	}
	return errs.List()
}

func oldAllocation(a *builtin.AllocationV1alpha2, at *field.Path, r *kubeversion.Release) field.ErrorList {
	handles := at.Child("resourceHandles")
	var errs rules.Errors
	if !r.Has(kubeversion.AllocationsOfDrivers) {
		for _, h := range a.ResourceHandles {
			if len(h.Data) > maxHandleData {
				errs.Append(longer(at.Child("resourceHandle"), maxHandleData))
			}
		}
		return append(errs.List(), allocatedNodes(a, at)...)
	}
	errs.Add(rules.EachOf(a.ResourceHandles, -1, handles, func(h builtin.ResourceHandle, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.DriverName(h.DriverName, at.Child("driverName")))
		if len(h.Data) > maxHandleData {
			errs.Append(longer(at.Child("data"), maxHandleData))
		}
		if h.StructuredData != nil {
			errs.Add(structuredHandle(h.StructuredData, at.Child("structuredData")))
			if h.Data != "" {
				errs.Invalid(at, any(nil), "data and structuredData are mutually exclusive")
			}
		}
		return errs.List()
	}))
	if len(a.ResourceHandles) > maxHandles {
		errs.Append(longer(handles, maxHandles))
	}
	errs.Add(allocatedNodes(a, at))
	return errs.List()
}

func allocatedNodes(a *builtin.AllocationV1alpha2, at *field.Path) field.ErrorList {
	if a.AvailableOnNodes == nil {
		return nil
	}
	return pod.NodeSelector(a.AvailableOnNodes, pod.AnyValue, at.Child("availableOnNodes"))
}

func oldConsumers(c, old *builtin.ResourceClaimV1alpha2, at *field.Path) field.ErrorList {
	status := &c.Status
	uids := sets.New[string]()
	var errs rules.Errors
	errs.Add(rules.EachOf(status.ReservedFor, -1, at, func(r builtin.ClaimConsumer, at *field.Path) field.ErrorList {
		if uids.Has(string(r.UID)) {
			return field.ErrorList{field.Duplicate(at.Child("uid"), r.UID)}
		}
		uids.Insert(string(r.UID))
		var errs rules.Errors
		errs.Add(rules.Required(r.Resource, at.Child("resource")))
		errs.Add(rules.Required(r.Name, at.Child("name")))
		errs.Add(rules.Required(string(r.UID), at.Child("uid")))
		return errs.List()
	}))
	if len(status.ReservedFor) > maxClaimConsumers {
		errs.Append(longer(at, maxClaimConsumers))
	}
	if len(status.ReservedFor) == 0 {
		return errs.List()
	}
	if status.Allocation == nil {
		errs.Forbidden(at, "may not be specified when `allocated` is not set")
		return errs.List()
	}
	if !status.Allocation.Shareable && len(status.ReservedFor) > 1 {
		errs.Forbidden(at, "may not be reserved more than once")
	}
	going := c.DeletionTimestamp != nil || status.DeallocationRequested
	if added := sets.New(status.ReservedFor...).Difference(sets.New(old.Status.ReservedFor...)); going && len(added) > 0 {
		errs.Forbidden(at, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set")
	}
	return errs.List()
}

var resourceSliceV1alpha2 = rules.Of[*builtin.ResourceSliceV1alpha2]{
	Name: rules.DNSSubdomain,
	Validate: func(s *builtin.ResourceSliceV1alpha2, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		if s.NodeName != "" {
			errs.Add(rules.Faults(field.NewPath("nodeName"), s.NodeName, rules.DNSSubdomain(s.NodeName, false)))
		}
		errs.Add(rules.DriverName(s.DriverName, field.NewPath("driverName")))
		errs.Add(modelOf(s.NamedResources, nil, instances))
		return errs.List()
	},
	ValidateUpdate: func(s, old *builtin.ResourceSliceV1alpha2, _ rules.Request) field.ErrorList {
		var errs rules.Errors
		errs.Add(validation.ValidateImmutableField(s.NodeName, old.NodeName, field.NewPath("nodeName")))
		errs.Add(validation.ValidateImmutableField(s.DriverName, old.DriverName, field.NewPath("driverName")))
		return errs.List()
	},
}

var resourceClaimParameters = rules.Of[*builtin.ResourceClaimParameters]{
	Name: rules.DNSSubdomain,
	Validate: func(p *builtin.ResourceClaimParameters, q rules.Request) field.ErrorList {
		old := rules.OldOf[*builtin.ResourceClaimParameters](q)
		check := selectorIn(q, old != nil && semantic.DeepEqual(p.DriverRequests, old.DriverRequests))
		var errs rules.Errors
		errs.Add(claimReference(p.GeneratedFrom, field.NewPath("generatedFrom")))
		errs.Add(eachDriver(p.DriverRequests, field.NewPath("driverRequests"), func(r builtin.DriverRequests) string { return r.DriverName },
			func(r builtin.DriverRequests, at *field.Path) field.ErrorList {
				at = at.Child("requests")
				if len(r.Requests) == 0 {
					return field.ErrorList{field.Required(at, "empty entries with no requests are not allowed")}
				}
				return rules.EachOf(r.Requests, -1, at, func(r builtin.ResourceRequest, at *field.Path) field.ErrorList {
					return modelOf(r.NamedResources, at, check)
				})
			}))
		return errs.List()
	},
}

var resourceClassParameters = rules.Of[*builtin.ResourceClassParameters]{
	Name: rules.DNSSubdomain,
	Validate: func(p *builtin.ResourceClassParameters, q rules.Request) field.ErrorList {
		old := rules.OldOf[*builtin.ResourceClassParameters](q)
		check := selectorIn(q, old != nil && semantic.DeepEqual(p.Filters, old.Filters))
		var errs rules.Errors
		errs.Add(classReference(p.GeneratedFrom, field.NewPath("generatedFrom")))
		errs.Add(eachDriver(p.Filters, field.NewPath("filters"), func(f builtin.ResourceFilter) string { return f.DriverName },
			func(f builtin.ResourceFilter, at *field.Path) field.ErrorList {
				return modelOf(f.NamedResources, at, check)
			}))
		errs.Add(eachDriver(p.VendorParameters, field.NewPath("vendorParameters"), func(p builtin.VendorParameters) string { return p.DriverName },
			func(builtin.VendorParameters, *field.Path) field.ErrorList { return nil }))
		return errs.List()
	},
}

// eachDriver checks items that must have different drivers.
func eachDriver[T any](list []T, at *field.Path, driver func(T) string, check func(T, *field.Path) field.ErrorList) field.ErrorList {
	drivers := sets.New[string]()
	return rules.EachOf(list, -1, at, func(item T, at *field.Path) field.ErrorList {
		name := driver(item)
		var errs rules.Errors
		errs.Add(rules.DriverName(name, at.Child("driverName")))
		if drivers.Has(name) {
			errs.Duplicate(at.Child("driverName"), name)
		}
		drivers.Insert(name)
		errs.Add(check(item, at))
		return errs.List()
	})
}
