// kubernetes/kubernetes:pkg/registry/resource/resourceclaim/strategy.go
// kubernetes/kubernetes:pkg/registry/resource/resourceslice/strategy.go
// kubernetes/kubernetes:pkg/apis/resource/v1/defaults.go

package resource

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var deviceClass = rules.Of[*resourcev1.DeviceClass]{
	DeclaredAlone: true,
	TakenOver:     true,

	Name:         rules.DNSSubdomain,
	DeclaredName: kubeversion.DeclaredNamesChecked,
	Spec:         func(c *resourcev1.DeviceClass) any { return &c.Spec },
	Validate:     validateDeviceClass,

	ValidateUpdate: validateDeviceClassUpdate,
}

var resourceClaim = rules.Of[*resourcev1.ResourceClaim]{
	DeclaredAlone: true,
	TakenOver:     true,
	InHub:         claimPathInHub,

	Name:        rules.DNSSubdomain,
	StatusAlone: true,
	Status:      func(c *resourcev1.ResourceClaim) any { return &c.Status },
	Defaults: func(c *resourcev1.ResourceClaim) {
		defaultDeviceRequests(&c.Spec)
		if a := c.Status.Allocation; a != nil {
			for _, r := range a.Devices.Results {
				defaultDeviceTolerations(r.Tolerations)
			}
		}
	},
	Validate:       validateResourceClaim,
	ValidateUpdate: validateResourceClaimUpdate,
	PrepareForUpdate: func(c, old *resourcev1.ResourceClaim, r rules.Request) {
		if r.Subresource == "status" {
			prepareClaimStatus(c, old, r)
		}
	},
}

var resourceClaimTemplate = rules.Of[*resourcev1.ResourceClaimTemplate]{
	DeclaredAlone: true,
	InHub:         claimPathInHub,

	Name:           rules.DNSSubdomain,
	Defaults:       func(t *resourcev1.ResourceClaimTemplate) { defaultDeviceRequests(&t.Spec.Spec) },
	Validate:       validateResourceClaimTemplate,
	ValidateUpdate: validateResourceClaimTemplateUpdate,
}

var resourceSlice = rules.Of[*resourcev1.ResourceSlice]{
	DeclaredAlone: true,
	TakenOver:     true,
	InHub:         slicePathInHub,
	CountsDropped: true,

	Name:           rules.DNSSubdomain,
	Spec:           func(s *resourcev1.ResourceSlice) any { return &s.Spec },
	Validate:       validateResourceSlice,
	ValidateUpdate: validateResourceSliceUpdate,
	OnUpdate:       rules.CheckChange,
	Warnings:       resourceSliceWarnings,
	DefaultsIn: func(s *resourcev1.ResourceSlice, o rules.Options) {
		for i := range s.Spec.Devices {
			for j := range s.Spec.Devices[i].Taints {
				defaultDeviceTaint(&s.Spec.Devices[i].Taints[j], o)
			}
			if !o.Release.Has(kubeversion.AllocatableClaimsMapped) {
				defaultMappings(s.Spec.Devices[i].NodeAllocatableResources)
			}
		}
	},
	PrepareForCreate: func(s *resourcev1.ResourceSlice, r rules.Request) { prepareDevices(s, nil, r) },
	PrepareForUpdate: prepareDevices,
}

func defaultDeviceRequests(s *resourcev1.ResourceClaimSpec) {
	for i := range s.Devices.Requests {
		r := &s.Devices.Requests[i]
		if e := r.Exactly; e != nil {
			defaultCount(&e.AllocationMode, &e.Count, resourcev1.DeviceAllocationModeExactCount)
			defaultDeviceTolerations(e.Tolerations)
		}
		for j := range r.FirstAvailable {
			defaultCount(&r.FirstAvailable[j].AllocationMode, &r.FirstAvailable[j].Count, resourcev1.DeviceAllocationModeExactCount)
			defaultDeviceTolerations(r.FirstAvailable[j].Tolerations)
		}
	}
}

// defaultCount requests a single device, unless a request says something else.
func defaultCount[Mode comparable](mode *Mode, count *int64, exact Mode) {
	rules.SetZero(mode, exact)
	if *mode == exact {
		rules.SetZero(count, 1)
	}
}

func defaultDeviceTolerations(tolerations []resourcev1.DeviceToleration) {
	for i := range tolerations {
		rules.SetZero(&tolerations[i].Operator, resourcev1.DeviceTolerationOpEqual)
	}
}

// defaultDeviceTaint sets the time at which a taint was added.
func defaultDeviceTaint(t *resourcev1.DeviceTaint, o rules.Options) {
	if o.Clock != nil {
		rules.SetDefault(&t.TimeAdded, metav1.NewTime(o.Clock().Truncate(time.Second)))
	}
}

// defaultMappings sets the allocationMultiplier that mappings have up to 1.36 (CV-10):
// kubernetes/kubernetes@v1.36.3:pkg/apis/resource/v1/defaults.go, SetDefaults_Device.
func defaultMappings(all map[corev1.ResourceName]resourcev1.NodeAllocatableResource) {
	for _, r := range all {
		if r.Mapping != nil {
			rules.SetDefault(&r.Mapping.CapacityMultiplier, resource.MustParse("1"))
		}
	}
}

// prepareDevices drops fields behind gates that are off, unless the old object has them.
func prepareDevices(s, old *resourcev1.ResourceSlice, r rules.Request) {
	oldHas := func(has func(*resourcev1.Device) bool) bool {
		return old != nil && slices.ContainsFunc(old.Spec.Devices, func(d resourcev1.Device) bool { return has(&d) })
	}
	if old != nil && !semantic.DeepEqual(s.Spec, old.Spec) { // fields that are dropped next count as changes, too
		s.Generation = old.Generation + 1
	}
	newHas := func(has func(*resourcev1.Device) bool) bool {
		return slices.ContainsFunc(s.Spec.Devices, func(d resourcev1.Device) bool { return has(&d) })
	}
	if !r.Release.Enabled("DRAConsumableCapacity") && !oldHas(sharesCapacity) && newHas(sharesCapacity) {
		r.Drops("spec.devices[].allowMultipleAllocations", "DRAConsumableCapacity")
		for i := range s.Spec.Devices {
			s.Spec.Devices[i].AllowMultipleAllocations = nil
			for name, c := range s.Spec.Devices[i].Capacity {
				c.RequestPolicy = nil
				s.Spec.Devices[i].Capacity[name] = c
			}
		}
	}
	if r.Release.Enabled("DRAListTypeAttributes") || oldHas(hasListAttributes) || !newHas(hasListAttributes) {
		return
	}
	r.Drops("spec.devices[].attributes", "DRAListTypeAttributes")
	for i := range s.Spec.Devices {
		for name, a := range s.Spec.Devices[i].Attributes {
			a.BoolValues, a.IntValues, a.StringValues, a.VersionValues = nil, nil, nil, nil
			s.Spec.Devices[i].Attributes[name] = a
		}
	}
}

func sharesCapacity(d *resourcev1.Device) bool {
	for _, c := range d.Capacity {
		if c.RequestPolicy != nil {
			return true
		}
	}
	return d.AllowMultipleAllocations != nil
}

func hasListAttributes(d *resourcev1.Device) bool {
	for _, a := range d.Attributes {
		if a.BoolValues != nil || a.IntValues != nil || a.StringValues != nil || a.VersionValues != nil {
			return true
		}
	}
	return false
}
