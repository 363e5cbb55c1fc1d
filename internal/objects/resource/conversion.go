// kubernetes/kubernetes:pkg/apis/resource/v1beta1/conversion.go
// kubernetes/kubernetes:pkg/apis/resource/v1beta1/defaults.go

package resource

import (
	"regexp"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1beta1 "k8s.io/api/resource/v1beta1"
	resourcev1beta2 "k8s.io/api/resource/v1beta2"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// deviceVersions returns the beta versions that have fields in other places than their hub, removed alpha versions with
// fields in other places, and the versions of DeviceTaintRules, whose first one had the most fields.
func deviceVersions() []*rules.Version {
	return []*rules.Version{
		flatClaim(), flatTemplate(), flatSlice(),

		alphaClass(), alphaClaim(), alphaTemplate(),
		basicDevices(builtin.ResourceV1alpha3, flattenQuantities, nestQuantities, func(s *builtin.ResourceSliceV1alpha3) {
			for i := range s.Spec.Devices {
				rules.SetDefault(&s.Spec.Devices[i].Basic, builtin.BasicDeviceV1alpha3{})
			}
		}),

		rules.Reshaped(resourcev1.SchemeGroupVersion.WithKind("DeviceTaintRule"), builtin.ResourceV1alpha3.WithKind("DeviceTaintRule")),
		rules.Reshaped(resourcev1beta2.SchemeGroupVersion.WithKind("DeviceTaintRule"), builtin.ResourceV1alpha3.WithKind("DeviceTaintRule")),

		rules.Moved(builtin.ResourceV1alpha1, builtin.ResourceV1alpha2, "ResourceClaim", severalHandles, oneHandle),
		rules.Reshaped(builtin.ResourceV1alpha1.WithKind("ResourceClaimTemplate"), builtin.ResourceV1alpha2.WithKind("ResourceClaimTemplate")),
		rules.Reshaped(builtin.ResourceV1alpha1.WithKind("ResourceClass"), builtin.ResourceV1alpha2.WithKind("ResourceClass")),
		rules.Reshaped(builtin.ResourceV1alpha1.WithKind("PodScheduling"), builtin.ResourceV1alpha3.WithKind("PodSchedulingContext")),
	}
}

// flatClaim, flatTemplate and flatSlice return the versions of v1beta1.
func flatClaim() *rules.Version {
	return flatClaims(resourcev1beta1.SchemeGroupVersion, func(c *resourcev1beta1.ResourceClaim) (*resourcev1beta1.DeviceClaim, *resourcev1beta1.DeviceAllocationResult) {
		if a := c.Status.Allocation; a != nil {
			return &c.Spec.Devices, &a.Devices
		}
		return &c.Spec.Devices, nil
	})
}

func flatTemplate() *rules.Version {
	return flatTemplates(resourcev1beta1.SchemeGroupVersion, func(t *resourcev1beta1.ResourceClaimTemplate) *resourcev1beta1.DeviceClaim {
		return &t.Spec.Spec.Devices
	})
}

func flatSlice() *rules.Version {
	return basicDevices(resourcev1beta1.SchemeGroupVersion, flattenDevice, nestDevice, func(s *resourcev1beta1.ResourceSlice) {
		for i := range s.Spec.Devices {
			rules.SetDefault(&s.Spec.Devices[i].Basic, resourcev1beta1.BasicDevice{})
		}
	})
}

// alphaClass, alphaClaim and alphaTemplate return the versions of v1alpha3, which are hubs as long as they have fields of
// their own.
func alphaClass() *rules.Version {
	return joined(rules.Reshaped(builtin.ResourceV1alpha3.WithKind("DeviceClass"), resourcev1.SchemeGroupVersion.WithKind("DeviceClass")))
}

func alphaClaim() *rules.Version {
	return joined(flatClaims(builtin.ResourceV1alpha3, func(c *builtin.ResourceClaimV1alpha3) (*resourcev1beta1.DeviceClaim, *resourcev1beta1.DeviceAllocationResult) {
		if a := c.Status.Allocation; a != nil {
			return &c.Spec.Devices, &a.Devices
		}
		return &c.Spec.Devices, nil
	}))
}

func alphaTemplate() *rules.Version {
	return joined(flatTemplates(builtin.ResourceV1alpha3, func(t *builtin.ResourceClaimTemplateV1alpha3) *resourcev1beta1.DeviceClaim {
		return &t.Spec.Spec.Devices
	}))
}

// joined marks a version of v1alpha3 that was a hub of its own before.
func joined(v *rules.Version) *rules.Version {
	v.Joined = kubeversion.DevicesInBeta
	return v
}

// basicDevices lists a version of slices whose devices have their fields below basic. complete adds a missing basic,
// since internal types without it are always converted to a version with it.
func basicDevices[T runtime.Object](gv schema.GroupVersion, flatten, nest func(map[string]any), complete func(T)) *rules.Version {
	v := rules.Moved(gv, resourcev1.SchemeGroupVersion, "ResourceSlice", sliceDevices(flatten), sliceDevices(nest))
	v.Complete = func(obj, _ runtime.Object, r *kubeversion.Release) {
		if r.Has(kubeversion.DeviceTypesAsV1) {
			complete(obj.(T))
		}
	}
	return v
}

// flatClaims lists a version of ResourceClaims in which the fields of a request for one kind of devices are next to its
// name, and flatTemplates such a version of their templates.
func flatClaims[T runtime.Object](gv schema.GroupVersion, devices func(T) (*resourcev1beta1.DeviceClaim, *resourcev1beta1.DeviceAllocationResult)) *rules.Version {
	v := rules.Moved(gv, resourcev1.SchemeGroupVersion, "ResourceClaim", claimRequests(nestRequest), claimRequests(flattenRequest))
	v.OwnDefaults = func(o runtime.Object, r *kubeversion.Release) {
		requested, allocated := devices(o.(T))
		defaultFlatRequests(requested, r)
		if allocated != nil {
			for _, result := range allocated.Results {
				defaultFlatTolerations(result.Tolerations)
			}
		}
	}
	return v
}

func flatTemplates[T runtime.Object](gv schema.GroupVersion, devices func(T) *resourcev1beta1.DeviceClaim) *rules.Version {
	v := rules.Moved(gv, resourcev1.SchemeGroupVersion, "ResourceClaimTemplate", templateRequests(nestRequest), templateRequests(flattenRequest))
	v.OwnDefaults = func(o runtime.Object, r *kubeversion.Release) { defaultFlatRequests(devices(o.(T)), r) }
	return v
}

func defaultFlatRequests(c *resourcev1beta1.DeviceClaim, release *kubeversion.Release) {
	for i := range c.Requests {
		r := &c.Requests[i]
		if r.DeviceClassName != "" || !release.Has(kubeversion.ClasslessRequestsBare) {
			defaultCount(&r.AllocationMode, &r.Count, resourcev1beta1.DeviceAllocationModeExactCount)
		}
		defaultFlatTolerations(r.Tolerations)
		for j := range r.FirstAvailable {
			defaultCount(&r.FirstAvailable[j].AllocationMode, &r.FirstAvailable[j].Count, resourcev1beta1.DeviceAllocationModeExactCount)
			defaultFlatTolerations(r.FirstAvailable[j].Tolerations)
		}
	}
}

func defaultFlatTolerations(tolerations []resourcev1beta1.DeviceToleration) {
	for i := range tolerations {
		rules.SetZero(&tolerations[i].Operator, resourcev1beta1.DeviceTolerationOpEqual)
	}
}

func claimRequests(change func(map[string]any)) func(map[string]any) {
	return func(c map[string]any) { rules.Each(rules.Under(c, "spec", "devices")["requests"], change) }
}

func templateRequests(change func(map[string]any)) func(map[string]any) {
	return func(c map[string]any) { rules.Each(rules.Under(c, "spec", "spec", "devices")["requests"], change) }
}

func sliceDevices(change func(map[string]any)) func(map[string]any) {
	return func(c map[string]any) { rules.Each(rules.Under(c, "spec")["devices"], change) }
}

// nestRequest moves the fields of a request for one kind of devices under exactly, if there are any.
func nestRequest(r map[string]any) {
	exactly := map[string]any{}
	for name, value := range r {
		if name != "name" && name != "firstAvailable" {
			delete(r, name)
			if value != "" {
				exactly[name] = value
			}
		}
	}
	if len(exactly) == 0 {
		return
	}
	if list, ok := exactly[emptied].([]any); ok && len(exactly) == 1 && len(list) == 0 {
		delete(exactly, emptied)
	}
	r["exactly"] = exactly
}

// An empty list in the field emptied stands for an exactly without any fields: those that it had were dropped. Up to 1.36
// no client can set the field.
const emptied = "derivedAttributes"

// nestDevice moves the fields of a device under basic, which a device without any does not have.
func nestDevice(d map[string]any) {
	basic := map[string]any{}
	for name, value := range d {
		if name != "name" {
			delete(d, name)
			basic[name] = value
		}
	}
	if len(basic) > 0 {
		d["basic"] = basic
	}
}

// flattenDevice does the reverse. An empty basic becomes an empty list of attributes.
func flattenDevice(d map[string]any) {
	if basic, ok := d["basic"].(map[string]any); ok && len(basic) == 0 {
		basic["attributes"] = map[string]any{}
	}
	flatten("basic")(d)
}

// flattenRequest does the reverse of nestRequest.
func flattenRequest(r map[string]any) {
	if exactly, ok := r["exactly"].(map[string]any); ok && (len(exactly) == 0 || len(exactly) == 1 && exactly["deviceClassName"] == "") {
		exactly[emptied] = []any{}
	}
	flatten("exactly")(r)
}

// flatten moves the fields under a member next to it.
func flatten(member string) func(map[string]any) {
	return func(m map[string]any) {
		for name, value := range rules.Under(m, member) {
			m[name] = value
		}
		delete(m, member)
	}
}

// A capacity of v1alpha3 is a quantity, and not an object with a quantity.
func flattenQuantities(d map[string]any) {
	flattenDevice(d)
	for name, quantity := range rules.Under(d, "capacity") {
		rules.Under(d, "capacity")[name] = map[string]any{"value": quantity}
	}
}

func nestQuantities(d map[string]any) {
	for name := range rules.Under(d, "capacity") {
		rules.Under(d, "capacity")[name] = rules.Under(d, "capacity", name)["value"]
	}
	nestDevice(d)
}

// A claim of 1.26 had a single handle, of its own driver.
func severalHandles(c map[string]any) {
	if allocation := rules.Under(c, "status", "allocation"); allocation["resourceHandle"] != nil {
		allocation["resourceHandles"] = []any{map[string]any{"data": allocation["resourceHandle"], "driverName": rules.Under(c, "status")["driverName"]}}
		delete(allocation, "resourceHandle")
	}
}

func oneHandle(c map[string]any) {
	allocation := rules.Under(c, "status", "allocation")
	rules.Each(allocation["resourceHandles"], func(handle map[string]any) { allocation["resourceHandle"] = handle["data"] })
	delete(allocation, "resourceHandles")
}

// An internalParts are the parts of a claim that an update must not change, in the internal types of a release.
type internalParts struct{ spec, allocation any }

func internalClaim(c *resourcev1.ResourceClaim, r *kubeversion.Release) internalParts {
	if r.Has(kubeversion.DeviceTypesAsV1) {
		return internalParts{c.Spec, c.Status.Allocation}
	}
	flat := flatClaim().FromHub(c, &resourcev1beta1.ResourceClaim{}).(*resourcev1beta1.ResourceClaim)
	return internalParts{flat.Spec, flat.Status.Allocation}
}

func internalTemplate(t *resourcev1.ResourceClaimTemplate, r *kubeversion.Release) any {
	if r.Has(kubeversion.DeviceTypesAsV1) {
		return t.Spec
	}
	return flatTemplate().FromHub(t, &resourcev1beta1.ResourceClaimTemplate{}).(*resourcev1beta1.ResourceClaimTemplate).Spec
}

// internalSlice returns the internal form of a slice while it is not that of v1.
func internalSlice(s *resourcev1.ResourceSliceSpec) any {
	return flatSlice().FromHub(&resourcev1.ResourceSlice{Spec: *s}, &resourcev1beta1.ResourceSlice{}).(*resourcev1beta1.ResourceSlice).Spec
}

// Fields next to the name of a request in v1beta1 are in exactly in the hub, and fields in the basic of a device are
// next to its name: kubernetes/kubernetes:pkg/apis/resource/validation/validation.go, ResourceNormalizationRules.
var (
	requestPath = regexp.MustCompile(`(devices\.requests\[\d+\])\.(deviceClassName|selectors|allocationMode|count|adminAccess|tolerations|derivedAttributes)`)
	basicPath   = regexp.MustCompile(`(devices\[\d+\])\.basic\.`)
)

func claimPathInHub(path string) string { return requestPath.ReplaceAllString(path, "$1.exactly.$2") }

func slicePathInHub(path string) string { return basicPath.ReplaceAllString(path, "$1.") }
