// kubernetes/kubernetes:pkg/registry/resource/resourceclaim/strategy.go

package resource

import (
	"slices"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// prepareClaimStatus drops what a status cannot have: fields behind gates that are off, unless the old claim uses their
// feature, and the status of devices that are no longer allocated (PC-11).
func prepareClaimStatus(c, old *resourcev1.ResourceClaim, r rules.Request) {
	if r.Release.Has(kubeversion.ClaimFieldsDroppedFirst) {
		dropClaimStatus(c, old, r.Release)
		dropDeallocatedDevices(c, old, r.Release)
		return
	}
	dropDeallocatedDevices(c, old, r.Release)
	dropClaimStatus(c, old, r.Release)
}

func dropClaimStatus(c, old *resourcev1.ResourceClaim, r *kubeversion.Release) {
	if r.Disabled("DRAResourceClaimDeviceStatus") && len(old.Status.Devices) == 0 {
		c.Status.Devices = nil
	}
	dropFromResults := func(gate string, inUse bool, drop func(*resourcev1.DeviceRequestAllocationResult)) {
		if c.Status.Allocation == nil || !r.Disabled(gate) || inUse {
			return
		}
		for i := range c.Status.Allocation.Devices.Results {
			drop(&c.Status.Allocation.Devices.Results[i])
		}
	}
	dropFromResults("DRAAdminAccess", administers(old), func(result *resourcev1.DeviceRequestAllocationResult) { result.AdminAccess = nil })
	dropFromResults("DRAConsumableCapacity", consumesCapacity(old), func(result *resourcev1.DeviceRequestAllocationResult) {
		result.ShareID, result.ConsumedCapacity = nil, nil
	})
	if r.Disabled("DRAConsumableCapacity") && !consumesCapacity(old) {
		for i := range c.Status.Devices {
			c.Status.Devices[i].ShareID = nil
		}
	}
	bound := old.Status.Allocation != nil && slices.ContainsFunc(old.Status.Allocation.Devices.Results, hasBindingConditions)
	if timed := !r.Has(kubeversion.ClaimFieldsDroppedFirst); timed && c.Status.Allocation != nil && r.Disabled("DRADeviceBindingConditions") {
		bound = bound || old.Status.Allocation != nil && old.Status.Allocation.AllocationTimestamp != nil
		if !bound {
			c.Status.Allocation.AllocationTimestamp = nil
		}
	}
	dropFromResults("DRADeviceBindingConditions", bound, func(result *resourcev1.DeviceRequestAllocationResult) {
		result.BindingConditions, result.BindingFailureConditions = nil, nil
	})
}

// administers reports whether a claim has administrative access, or asks for it.
func administers(c *resourcev1.ResourceClaim) bool {
	return slices.ContainsFunc(c.Spec.Devices.Requests, func(q resourcev1.DeviceRequest) bool { return q.Exactly != nil && q.Exactly.AdminAccess != nil }) ||
		c.Status.Allocation != nil && slices.ContainsFunc(c.Status.Allocation.Devices.Results, func(r resourcev1.DeviceRequestAllocationResult) bool { return r.AdminAccess != nil })
}

// consumesCapacity reports whether a claim has or asks for a share of a device.
func consumesCapacity(c *resourcev1.ResourceClaim) bool {
	distinct := func(c resourcev1.DeviceConstraint) bool { return c.DistinctAttribute != nil }
	alternative := func(s resourcev1.DeviceSubRequest) bool { return s.Capacity != nil }
	request := func(q resourcev1.DeviceRequest) bool {
		return q.Exactly != nil && q.Exactly.Capacity != nil || slices.ContainsFunc(q.FirstAvailable, alternative)
	}
	result := func(r resourcev1.DeviceRequestAllocationResult) bool {
		return r.ShareID != nil || r.ConsumedCapacity != nil
	}
	return slices.ContainsFunc(c.Spec.Devices.Constraints, distinct) || slices.ContainsFunc(c.Spec.Devices.Requests, request) ||
		c.Status.Allocation != nil && slices.ContainsFunc(c.Status.Allocation.Devices.Results, result) ||
		slices.ContainsFunc(c.Status.Devices, func(d resourcev1.AllocatedDeviceStatus) bool { return d.ShareID != nil })
}

func hasBindingConditions(r resourcev1.DeviceRequestAllocationResult) bool {
	return r.BindingConditions != nil || r.BindingFailureConditions != nil
}

// dropDeallocatedDevices drops the status of devices that are no longer allocated.
func dropDeallocatedDevices(c, old *resourcev1.ResourceClaim, r *kubeversion.Release) {
	if r.Disabled("DRAResourceClaimDeviceStatus") && len(old.Status.Devices) == 0 {
		return
	}
	before, after := allocatedDevices(&old.Status), allocatedDevices(&c.Status)
	c.Status.Devices = slices.DeleteFunc(c.Status.Devices, func(d resourcev1.AllocatedDeviceStatus) bool {
		id := deviceOf(d)
		return before[id] && !after[id]
	})
	if len(c.Status.Devices) == 0 {
		c.Status.Devices = nil
	}
}

func allocatedDevices(s *resourcev1.ResourceClaimStatus) map[sharedDevice]bool {
	all := map[sharedDevice]bool{}
	if s.Allocation == nil {
		return all
	}
	for _, r := range s.Allocation.Devices.Results {
		all[sharedDevice{r.Driver, r.Pool, r.Device, string(ptr.Deref(r.ShareID, ""))}] = true
	}
	return all
}

// A sharedDevice identifies a device, and a share of it. Messages show it as JSON, in older releases as String.
type sharedDevice struct{ Driver, Pool, Device, ShareID string }

// String returns what the server's own type does:
// kubernetes/dynamic-resource-allocation:structured/schedulerapi/types.go.
func (d sharedDevice) String() string {
	text := d.Driver + "/" + d.Pool + "/" + d.Device
	if d.ShareID != "" {
		text += "/" + d.ShareID
	}
	return text
}

func deviceOf(d resourcev1.AllocatedDeviceStatus) sharedDevice {
	return sharedDevice{d.Driver, d.Pool, d.Device, ptr.Deref(d.ShareID, "")}
}

// shownAs returns a device as the messages of a release show it.
func (d sharedDevice) shownAs(r *kubeversion.Release) any {
	if r.Has(kubeversion.DeviceIDsShown) {
		return d
	}
	return hiddenDevice{d}
}

// A hiddenDevice is a device whose names are not in its JSON.
type hiddenDevice struct{ sharedDevice }

func (hiddenDevice) MarshalJSON() ([]byte, error) {
	return []byte(`{"Driver":{},"Pool":{},"Device":{},"ShareID":{}}`), nil
}

// A statusKey tells the devices of a status apart. The declared rules distinguish an empty share from none (VA-02).
type statusKey struct {
	sharedDevice
	isShare bool
}

func statusKeyOf(r *kubeversion.Release) func(resourcev1.AllocatedDeviceStatus) any {
	return func(d resourcev1.AllocatedDeviceStatus) any {
		if r.Has(kubeversion.DeclaredErrors) {
			return statusKey{deviceOf(d), d.ShareID != nil}
		}
		return deviceOf(d).shownAs(r)
	}
}
