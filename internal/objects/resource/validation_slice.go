// kubernetes/kubernetes:pkg/apis/resource/validation/validation.go

package resource

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func validateResourceSlice(s *resourcev1.ResourceSlice, r rules.Request) field.ErrorList {
	return sliceCheck{spec: &s.Spec, release: r.Release}.all()
}

func validateResourceSliceUpdate(s, old *resourcev1.ResourceSlice, r rules.Request) field.ErrorList {
	return sliceCheck{spec: &s.Spec, old: &old.Spec, release: r.Release}.all()
}

func resourceSliceWarnings(s, _ *resourcev1.ResourceSlice, r rules.Request) []string {
	if d := s.Spec.Driver; d != strings.ToLower(d) && r.Release.Has(kubeversion.DriverCaseWarnings) {
		return []string{fmt.Sprintf("spec.driver: driver names should be lowercase; %q contains uppercase characters", d)}
	}
	return nil
}

// A sliceCheck checks the devices that a driver publishes.
type sliceCheck struct {
	spec    *resourcev1.ResourceSliceSpec
	old     *resourcev1.ResourceSliceSpec // nil on create
	release *kubeversion.Release
}

func (k sliceCheck) all() field.ErrorList {
	s := k.spec
	var errs rules.Errors
	errs.Add(rules.DriverName(s.Driver, rules.SpecPath.Child("driver")))
	errs.Add(resourcePool(s.Pool, k.release, rules.SpecPath.Child("pool")))
	if k.old != nil {
		errs.Add(validation.ValidateImmutableField(s.Pool.Name, k.old.Pool.Name, rules.SpecPath.Child("pool", "name")))
		errs.Add(validation.ValidateImmutableField(s.Driver, k.old.Driver, rules.SpecPath.Child("driver")))
		if k.asV1() {
			errs.Add(validation.ValidateImmutableField(s.NodeName, k.old.NodeName, rules.SpecPath.Child("nodeName")))
		} else {
			errs.Add(validation.ValidateImmutableField(ptr.Deref(s.NodeName, ""), ptr.Deref(k.old.NodeName, ""), rules.SpecPath.Child("nodeName")))
		}
	}
	errs.Add(k.nodes())
	if k.countersApart() && s.SharedCounters != nil && s.Devices != nil {
		errs.Invalid(rules.SpecPath, "", "only one of `sharedCounters` or `devices` is allowed")
	}
	most := resourcev1.ResourceSliceMaxDevices
	if k.countersApart() && slices.ContainsFunc(s.Devices, func(d resourcev1.Device) bool {
		return len(d.Taints) > 0 || len(d.ConsumesCounters) > 0 || hasListAttributes(&d)
	}) {
		most = resourcev1.ResourceSliceMaxDevicesWithAdvancedFeatures
	}
	errs.Add(eachOnceOwn(k.release, s.Devices, most, rules.SpecPath.Child("devices"), func(d resourcev1.Device) string { return d.Name }, k.device))
	errs.Add(k.counterTotals())
	errs.Add(k.sharedCounters())
	errs.Add(k.partitionType())
	errs.Add(skippedOperations(s.SkipNodeOperations, rules.SpecPath.Child("skipNodeOperations")))
	return errs.List()
}

// asV1 reports whether the internal type of slices has the shape of v1.
func (k sliceCheck) asV1() bool { return k.release.Has(kubeversion.DeviceTypesAsV1) }

// partitionType requires devices that consume counters to have the attribute with their type. A name in the domain of
// the driver may omit the domain.
func (k sliceCheck) partitionType() field.ErrorList {
	if k.spec.PartitionTypeAttribute == nil {
		return nil
	}
	name := string(*k.spec.PartitionTypeAttribute)
	consumes := func(d resourcev1.Device) bool { return len(d.ConsumesCounters) > 0 }
	if !slices.ContainsFunc(k.spec.Devices, consumes) {
		return field.ErrorList{field.Invalid(rules.SpecPath.Child("partitionTypeAttribute"), name, "may only be set on a slice which declares devices that consume counters")}
	}
	domain, bare, qualified := strings.Cut(name, "/")
	if !qualified {
		return nil // declared rules report this
	}
	var errs rules.Errors
	for i, d := range k.spec.Devices {
		if !consumes(d) {
			continue
		}
		a, ok := d.Attributes[resourcev1.QualifiedName(name)]
		if !ok && domain == k.spec.Driver {
			a, ok = d.Attributes[resourcev1.QualifiedName(bare)]
		}
		switch at := rules.SpecPath.Child("devices").Index(i).Child("attributes").Key(name); {
		case !ok:
			errs.Required(at, "device consumes counters and `partitionTypeAttribute` names this attribute, so it must be set")
		case a.StringValue == nil:
			errs.Invalid(at, rules.AsInternal(a), "must be a string value because `partitionTypeAttribute` names this attribute")
		}
	}
	return errs.List()
}

// skippedOperations requires that devices which are not prepared are not unprepared either.
func skippedOperations(skipped []resourcev1.SkipNodeOperation, at *field.Path) field.ErrorList {
	skips := func(o resourcev1.SkipNodeOperation) bool { return slices.Contains(skipped, o) }
	if skips(resourcev1.SkipNodeOperationNodePrepareResources) && !skips(resourcev1.SkipNodeOperationNodeUnprepareResources) && !skips(resourcev1.SkipNodeOperationAll) {
		return field.ErrorList{field.Invalid(at, skipped, "NodePrepareResources cannot be skipped unless NodeUnprepareResources is also skipped")}
	}
	return nil
}

func resourcePool(p resourcev1.ResourcePool, r *kubeversion.Release, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(poolName(p.Name, r, at.Child("name")))
	errs.Add(rules.Unless(p.ResourceSliceCount > 0, at.Child("resourceSliceCount"), p.ResourceSliceCount, "must be greater than zero"))
	errs.Add(rules.Unless(p.Generation >= 0, at.Child("generation"), p.Generation, "must be greater than or equal to zero"))
	return errs.List()
}

func poolName(name string, r *kubeversion.Release, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs rules.Errors
	errs.Add(atMost(len(name), resourcev1.PoolNameMaxLength, r, at))
	for part := range strings.SplitSeq(name, "/") {
		errs.Add(rules.Faults(at, part, rules.DNS1123Subdomain(part)))
	}
	return errs.List()
}

// nodes requires that exactly one field says from which nodes the devices can be used.
func (k sliceCheck) nodes() field.ErrorList {
	var errs rules.Errors
	var set []string
	s := k.spec
	if n := s.NodeName; n != nil {
		if *n == "" {
			errs.Invalid(rules.SpecPath.Child("nodeName"), *n, "must be either unset or set to a non-empty string")
		} else {
			set = append(set, "`nodeName`")
			errs.Add(rules.Faults(rules.SpecPath.Child("nodeName"), *n, rules.DNSSubdomain(*n, false)))
		}
	}
	if n := s.NodeSelector; n != nil {
		set = append(set, "`nodeSelector`")
		at := rules.SpecPath.Child("nodeSelector")
		errs.Add(pod.NodeSelector(n, nodeValues(k.release), at))
		wrong := "must have exactly one node selector term"
		if !k.release.Has(kubeversion.DevicesInBeta) {
			wrong = "must have exactly one selector term"
		}
		errs.Add(rules.Unless(len(n.NodeSelectorTerms) == 1, at.Child("nodeSelectorTerms"), rules.AsInternal(n.NodeSelectorTerms), wrong))
	}
	onlyTrue := func(b *bool, name string) {
		switch {
		case rules.IsTrue(b):
			set = append(set, "`"+name+"`")
		case b != nil:
			errs.Invalid(rules.SpecPath.Child(name), *b, "must be either unset or set to true")
		}
	}
	onlyTrue(s.AllNodes, "allNodes")
	onlyTrue(s.PerDeviceNodeSelection, "perDeviceNodeSelection")
	one := "exactly one of `nodeName`, `nodeSelector`, `allNodes`, `perDeviceNodeSelection` is required"
	if !k.asV1() {
		one = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required"
	}
	switch len(set) {
	case 0:
		errs.Required(rules.SpecPath, one)
	case 1:
	default:
		errs.Append(k.severalNodes(set, one))
	}
	return errs.List()
}

// severalNodes returns the error about a slice with several of the fields of which it may have one.
func (k sliceCheck) severalNodes(set []string, one string) *field.Error {
	switch {
	case k.asV1():
		return field.Invalid(rules.SpecPath, "{"+strings.Join(set, ", ")+"}", one+", but multiple fields are set")
	case k.release.Has(kubeversion.DevicesInBeta):
		return field.Invalid(rules.SpecPath, nil, one)
	}
	return field.Invalid(rules.SpecPath, rules.AsInternal(internalSlice(k.spec)), one)
}

func (k sliceCheck) device(d resourcev1.Device, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Faults(at.Child("name"), d.Name, rules.DNS1123Label(d.Name)))
	if k.asV1() {
		errs.Add(k.deviceTotals(d, at))
		errs.Add(k.deviceFields(d, at))
		return errs.List()
	}
	at = at.Child("basic")
	if isBare(d) {
		errs.Required(at, "")
		return errs.List()
	}
	errs.Add(k.deviceFields(d, at))
	errs.Add(k.deviceTotals(d, at))
	return errs.List()
}

// deviceTotals limits how much is known about a device.
func (k sliceCheck) deviceTotals(d resourcev1.Device, at *field.Path) field.ErrorList {
	most := resourcev1.ResourceSliceMaxAttributesAndCapacitiesPerDevice
	n := len(d.Attributes) + len(d.Capacity)
	errs := rules.Unless(n <= most, at, n, fmt.Sprintf("the total number of attributes and capacities must not exceed %d", most))
	if !k.release.Has(kubeversion.ListAttributes) {
		return errs
	}
	most, n = resourcev1.ResourceSliceMaxAttributeValuesPerDevice, attributeValues(d)
	return append(errs, rules.Unless(n <= most, at, n, fmt.Sprintf("the total number of attribute values must not exceed %d", most))...)
}

func (k sliceCheck) deviceFields(d resourcev1.Device, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for name, a := range rules.Sorted(d.Attributes) {
		errs.Add(k.named(string(name), at.Child("attributes")))
		errs.Add(k.attribute(a, at.Child("attributes").Key(shortKey(string(name), longestAttributeName))))
	}
	capacity := d.Capacity
	if before := k.before(d.Name); k.release.Has(kubeversion.CapacityRangesGuarded) && before != nil && semantic.DeepEqual(before.Capacity, d.Capacity) {
		capacity = nil
	}
	for name, c := range rules.Sorted(capacity) {
		errs.Add(k.named(string(name), at.Child("capacity")))
		errs.Add(k.capacity(c, rules.IsTrue(d.AllowMultipleAllocations), at.Child("capacity").Key(shortKey(string(name), longestAttributeName)).Child("requestPolicy")))
	}
	errs.Add(k.taints(d, at.Child("taints")))
	errs.Add(k.consumedCounters(d, at))
	errs.Add(k.deviceNodes(d, at))
	errs.Add(bindingConditions(k.release, d.BindingConditions, d.BindingFailureConditions, at))
	if k.release.Has(kubeversion.AllocatableClaimsMapped) {
		errs.Add(nodeAllocatable(d, at.Child("nodeAllocatableResources")))
	} else {
		errs.Add(nodeAllocatableMappings(d, at.Child("nodeAllocatableResourceMappings")))
	}
	return errs.List()
}

// isBare reports whether nothing is known about a device but its name: it has no basic.
func isBare(d resourcev1.Device) bool { return d.Attributes == nil && d.Capacity == nil }

// nodeValues returns the rule for the values in a node selector.
func nodeValues(r *kubeversion.Release) pod.Values {
	if r.Has(kubeversion.DevicesInBeta) {
		return pod.LabelValue
	}
	return pod.AnyValue
}

// mostTaintsBefore is DeviceTaintsMaxLength up to 1.34.
const mostTaintsBefore = 4

func (k sliceCheck) taints(d resourcev1.Device, at *field.Path) field.ErrorList {
	most := mostTaintsBefore
	if k.release.Has(kubeversion.DeviceTaintsKept) {
		most = resourcev1.DeviceTaintsMaxLength
		if before := k.before(d.Name); before != nil && semantic.DeepEqual(before.Taints, d.Taints) {
			return nil
		}
	}
	return eachOfOwn(k.release, d.Taints, most, at, func(t resourcev1.DeviceTaint, at *field.Path) field.ErrorList { return deviceTaint(t, k.release, at) })
}

// before returns the device with that name in the old object, or nil if there is none.
func (k sliceCheck) before(name string) *resourcev1.Device {
	if k.old == nil {
		return nil
	}
	i := slices.IndexFunc(k.old.Devices, func(d resourcev1.Device) bool { return d.Name == name })
	if i < 0 {
		return nil
	}
	return &k.old.Devices[i]
}

func attributeValues(d resourcev1.Device) int {
	n := 0
	for _, a := range d.Attributes {
		n += max(1, len(a.BoolValues)+len(a.IntValues)+len(a.StringValues)+len(a.VersionValues))
	}
	return n
}

// deviceNodes checks from which nodes one device can be used.
func (k sliceCheck) deviceNodes(d resourcev1.Device, at *field.Path) field.ErrorList {
	if !rules.IsTrue(k.spec.PerDeviceNodeSelection) {
		none := d.NodeName == nil && d.NodeSelector == nil && d.AllNodes == nil
		return rules.Unless(none, at, any(nil), "`nodeName`, `nodeSelector` and `allNodes` can only be set if `perDeviceNodeSelection` is set to true in the ResourceSlice spec")
	}
	var errs rules.Errors
	var set []string
	if n := d.NodeName; n != nil {
		if *n == "" {
			errs.Invalid(at.Child("nodeName"), *n, "must not be empty")
		} else {
			set = append(set, "`nodeName`")
			errs.Add(rules.Faults(at.Child("nodeName"), *n, rules.DNSSubdomain(*n, false)))
		}
	}
	if d.NodeSelector != nil {
		set = append(set, "`nodeSelector`")
		errs.Add(pod.NodeSelector(d.NodeSelector, pod.LabelValue, at.Child("nodeSelector")))
	}
	switch {
	case rules.IsTrue(d.AllNodes):
		set = append(set, "`allNodes`")
	case d.AllNodes != nil:
		errs.Invalid(at.Child("allNodes"), *d.AllNodes, "must be either unset or set to true")
	}
	const one = "exactly one of `nodeName`, `nodeSelector`, or `allNodes` is required when `perDeviceNodeSelection` is set to true in the ResourceSlice spec"
	switch len(set) {
	case 0:
		errs.Required(at, one)
	case 1:
	default:
		errs.Invalid(at, "{"+strings.Join(set, ", ")+"}", one)
	}
	return errs.List()
}

// nodeAllocatable checks which resources of its node a device uses, or provides.
func nodeAllocatable(d resourcev1.Device, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for name, m := range rules.Sorted(d.NodeAllocatableResources) {
		at := at.Key(string(name))
		errs.Add(rules.Unless(isNodeAllocatable(name), at, name, "must be a node allocatable resource name"))
		if m.Mapping == nil && m.Overhead == nil {
			errs.Required(at, "at least one of mapping or overhead must be set")
		}
		if m.Mapping != nil {
			errs.Add(nodeMapping(m.Mapping, d, at.Child("mapping")))
		}
		if m.Overhead != nil {
			errs.Add(nodeOverhead(m.Overhead, at.Child("overhead")))
		}
	}
	return errs.List()
}

// nodeAllocatableMappings is nodeAllocatable as of 1.36. Its only multiplier is in CapacityMultiplier here, whether it applies to a
// capacity or to the number of devices (CV-10).
func nodeAllocatableMappings(d resourcev1.Device, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for name, r := range rules.Sorted(d.NodeAllocatableResources) {
		at := at.Key(string(name))
		errs.Add(rules.Unless(rules.IsNative(name), at, name, "must be a node allocatable resource name"))
		m := cmp.Or(r.Mapping, &resourcev1.NodeAllocatableMapping{})
		if m.CapacityMultiplier == nil && m.CapacityKey == nil {
			errs.Invalid(at, "", "at least one of allocationMultiplier or capacityKey must be set")
		}
		if q := m.CapacityMultiplier; q != nil {
			errs.Add(rules.Unless(q.Sign() > 0, at.Child("allocationMultiplier"), q.String(), "must be positive"))
		}
		if m.CapacityKey != nil {
			errs.Add(capacityKey(*m.CapacityKey, d, at.Child("capacityKey")))
		}
	}
	return errs.List()
}

// capacityKey requires key to be the name of a capacity of the device.
func capacityKey(key resourcev1.QualifiedName, d resourcev1.Device, at *field.Path) field.ErrorList {
	_, known := d.Capacity[key]
	switch {
	case key == "":
		return field.ErrorList{field.Invalid(at, "", "capacityKey must not be an empty string")}
	case !known:
		return field.ErrorList{field.NotFound(at, key)}
	}
	return nil
}

// isNodeAllocatable reports whether devices can represent a resource of their node:
// kubernetes/kubernetes:pkg/apis/core/helper/helpers.go, IsNodeAllocatableResourceName.
func isNodeAllocatable(name corev1.ResourceName) bool {
	return name == corev1.ResourceCPU || name == corev1.ResourceMemory || strings.HasPrefix(string(name), corev1.ResourceHugePagesPrefix)
}

func nodeMapping(m *resourcev1.NodeAllocatableMapping, d resourcev1.Device, at *field.Path) field.ErrorList {
	var errs rules.Errors
	key, multiplier := at.Child("capacityKey"), at.Child("capacityMultiplier")
	switch q := m.CapacityMultiplier; {
	case m.CapacityKey == nil && q != nil:
		errs.Required(key, "capacityKey is required when capacityMultiplier is set")
	case m.CapacityKey == nil:
	default:
		errs.Add(capacityKey(*m.CapacityKey, d, key))
		if q == nil {
			errs.Required(multiplier, "capacityMultiplier is required when capacityKey is set")
		} else {
			errs.Add(rules.Unless(q.Sign() > 0, multiplier, q.String(), "must be positive"))
		}
	}
	if q := m.DeviceMultiplier; q != nil {
		errs.Add(rules.Unless(q.Sign() > 0, at.Child("deviceMultiplier"), q.String(), "must be positive"))
	}
	return errs.List()
}

func nodeOverhead(o *resourcev1.NodeAllocatableOverhead, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if o.PerPod == nil && o.PerContainer == nil {
		errs.Invalid(at, "", "at least one of perPod or perContainer must be set")
	}
	if q := o.PerPod; q != nil {
		errs.Add(rules.Unless(q.Sign() >= 0, at.Child("perPod"), q.String(), "must be non-negative"))
	}
	if q := o.PerContainer; q != nil {
		errs.Add(rules.Unless(q.Sign() >= 0, at.Child("perContainer"), q.String(), "must be non-negative"))
	}
	return errs.List()
}

const (
	longestAttributeName = resourcev1.DeviceMaxDomainLength + 1 + resourcev1.DeviceMaxIDLength
	mostCapacityValues   = 10
)

// shortKey omits the middle of a key that is too long for a path.
func shortKey(key string, most int) string {
	if len(key) <= most {
		return key
	}
	rest := most - len("...")
	return key[:(rest+1)/2] + "..." + key[len(key)-rest/2:]
}

// deviceAttributeName checks a name with an optional domain. Names with more than one slash are accepted, as by the
// server.
func deviceAttributeName(name string, r *kubeversion.Release, at *field.Path) field.ErrorList {
	if name == "" && !r.Has(kubeversion.DeviceErrorsDeclared) {
		return field.ErrorList{field.Required(at, "name required")}
	}
	parts := strings.Split(name, "/")
	switch len(parts) {
	case 1:
		return cIdentifier(name, r, at)
	case 2:
		var errs rules.Errors
		errs.Add(rules.Unless(parts[0] != "", at, "", "the domain must not be empty"))
		if parts[0] != "" {
			errs.Add(rules.DriverName(parts[0], at))
		}
		if parts[1] == "" {
			errs.Invalid(at, "", "the name must not be empty")
			return errs.List()
		}
		errs.Add(cIdentifier(parts[1], r, at))
		return errs.List()
	}
	return nil
}

func cIdentifier(id string, r *kubeversion.Release, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(atMost(len(id), resourcev1.DeviceMaxIDLength, r, at))
	for _, wrong := range content.IsCIdentifier(id) {
		if r.Has(kubeversion.TerseDetails) {
			errs.Invalid(at, id, wrong)
		} else {
			errs.Append(field.TypeInvalid(at, id, wrong))
		}
	}
	return errs.List()
}

// named checks the name of an attribute or a capacity.
func (k sliceCheck) named(name string, at *field.Path) field.ErrorList {
	if k.release.Has(kubeversion.DevicesInBeta) && !k.release.Has(kubeversion.DeviceKeysAtMap) {
		at = at.Key(shortKey(name, longestAttributeName))
	}
	return deviceAttributeName(name, k.release, at)
}

func (k sliceCheck) attribute(a resourcev1.DeviceAttribute, at *field.Path) field.ErrorList {
	var errs rules.Errors
	values := 0
	value := func(is bool) {
		if is {
			values++
		}
	}
	list := func(name string, is bool, n int, shown any) {
		value(is)
		if is && n == 0 {
			errs.Invalid(at.Child(name), shown, "must not be empty if specified")
		}
	}
	value(a.BoolValue != nil)
	value(a.IntValue != nil)
	if s := a.StringValue; s != nil {
		value(true)
		errs.Add(k.attributeLength(*s, at.Child("string")))
	}
	if s := a.VersionValue; s != nil {
		value(true)
		errs.Add(k.attributeVersion(*s, at.Child("version")))
	}
	list("bools", a.BoolValues != nil, len(a.BoolValues), a.BoolValues)
	list("ints", a.IntValues != nil, len(a.IntValues), a.IntValues)
	list("strings", a.StringValues != nil, len(a.StringValues), a.StringValues)
	errs.Add(rules.EachOf(a.StringValues, -1, at.Child("strings"), k.attributeLength))
	list("versions", a.VersionValues != nil, len(a.VersionValues), a.VersionValues)
	errs.Add(rules.EachOf(a.VersionValues, -1, at.Child("versions"), k.attributeVersion))
	switch values {
	case 0:
		errs.Append(field.Invalid(at, "", "exactly one value must be specified").WithOrigin(rules.Declared))
	case 1:
	default:
		wrong := "exactly one value must be specified"
		if !k.release.Has(kubeversion.DevicesInBeta) {
			wrong = "exactly one field must be specified"
		}
		errs.Append(field.Invalid(at, rules.AsInternal(a), wrong).WithOrigin(rules.Declared))
	}
	return errs.List()
}

func (k sliceCheck) attributeLength(s string, at *field.Path) field.ErrorList {
	return atMost(len(s), resourcev1.DeviceAttributeMaxValueLength, k.release, at)
}

func (k sliceCheck) attributeVersion(s string, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Unless(rules.Semver.MatchString(s), at, s, "must be a string compatible with semver.org spec 2.0.0"))
	errs.Add(k.attributeLength(s, at))
	return errs.List()
}

func (k sliceCheck) capacity(c resourcev1.DeviceCapacity, shared bool, at *field.Path) field.ErrorList {
	p := c.RequestPolicy
	switch {
	case p == nil:
		return nil
	case !shared:
		return field.ErrorList{field.Forbidden(at, "allowMultipleAllocations must be true")}
	case len(p.ValidValues) > 0 && p.ValidRange != nil:
		return field.ErrorList{field.Forbidden(at, `exactly one policy can be specified, cannot specify "validValues" and "validRange" at the same time`)}
	case len(p.ValidValues) > 0:
		if p.Default == nil {
			return field.ErrorList{field.Required(at.Child("default"), "required when validValues is defined")}
		}
		return k.capacityValues(*p.Default, c.Value, p.ValidValues, at.Child("validValues"))
	case p.ValidRange != nil:
		if p.Default == nil {
			return field.ErrorList{field.Required(at.Child("default"), "required when validRange is defined")}
		}
		return k.capacityRange(*p.Default, c.Value, p.ValidRange, at.Child("validRange"))
	}
	return nil
}

func (k sliceCheck) capacityValues(standard, most resource.Quantity, values []resource.Quantity, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, v := range values {
		if i > 0 && values[i-1].Cmp(v) > 0 {
			errs.Invalid(at.Index(i), v.String(), "values must be sorted in ascending order")
		}
	}
	found := false
	key := func(q resource.Quantity) string { return strconv.FormatInt(q.Value(), 10) }
	if k.fractional() {
		key = func(q resource.Quantity) string { return q.AsDec().String() }
	}
	errs.Add(eachOnceOwn(k.release, values, mostCapacityValues, at, key, func(v resource.Quantity, at *field.Path) field.ErrorList {
		found = found || v.Cmp(standard) == 0
		return rules.Unless(v.Cmp(most) <= 0, at, v.String(), "option is larger than capacity value: "+most.String())
	}))
	errs.Add(rules.Unless(found, at, standard.String(), "default value is not valid according to the requestPolicy"))
	return errs.List()
}

// fractional reports whether the values of a capacity may be fractions.
func (k sliceCheck) fractional() bool { return k.release.Enabled("DRAFractionalCapacityRange") }

func (k sliceCheck) capacityRange(standard, most resource.Quantity, r *resourcev1.CapacityRequestPolicyRange, at *field.Path) field.ErrorList {
	if r.Min == nil {
		return field.ErrorList{field.Required(at.Child("min"), "required when validRange is defined")}
	}
	guarded := k.release.Has(kubeversion.CapacityRangesGuarded)
	// If the default is out of range, older releases name the bound that it violates, as they do in an invalid range.
	low, high := at.Child("min"), at.Child("max")
	belowLow, aboveHigh := low, high
	if guarded {
		belowLow, aboveHigh = at.Child("default"), at.Child("default")
	}
	var errs rules.Errors
	errs.Add(rules.Unless(r.Min.Cmp(most) <= 0, low, r.Min.String(), "min is larger than capacity value: "+most.String()))
	errs.Add(rules.Unless(standard.Cmp(*r.Min) >= 0, belowLow, standard.String(), "default is less than min: "+r.Min.String()))
	if r.Max != nil {
		errs.Add(rules.Unless(r.Min.Cmp(*r.Max) <= 0, high, r.Min.String(), "min is larger than max: "+r.Max.String()))
		errs.Add(rules.Unless(r.Max.Cmp(most) <= 0, high, r.Max.String(), "max is larger than capacity value: "+most.String()))
		errs.Add(rules.Unless(standard.Cmp(*r.Max) <= 0, aboveHigh, standard.String(), "default is more than max: "+r.Max.String()))
	}
	numbers := rangeNumbers(standard, r, at)
	inThousandths := k.fractional() && slices.ContainsFunc(numbers, rangeNumber.isFraction)
	if inThousandths {
		var unsafe rules.Errors
		for _, n := range numbers {
			exact := resource.NewMilliQuantity(n.MilliValue(), n.Format)
			unsafe.Add(rules.Unless(n.Cmp(*exact) == 0, n.at, n.String(), "value cannot be represented as a milli value"))
		}
		if unsafe.Any() {
			errs.Add(unsafe.List())
			return errs.List()
		}
	}
	step := at.Child("step")
	switch {
	case r.Step == nil:
		return errs.List()
	case guarded && r.Step.Sign() <= 0:
		errs.Invalid(step, r.Step.String(), "must be greater than zero")
		return errs.List()
	case !guarded && r.Step.Value() == 0:
		return errs.List() // the server itself stops here
	}
	first := r.Min.DeepCopy()
	first.Add(*r.Step)
	errs.Add(rules.Unless(first.Cmp(most) <= 0, step, r.Step.String(), fmt.Sprintf("one step %s is larger than capacity value: %s", first.String(), most.String())))
	if guarded && !inThousandths {
		var unsafe rules.Errors
		for _, n := range numbers {
			unsafe.Add(n.whole())
		}
		if unsafe.Any() {
			errs.Add(unsafe.List())
			return errs.List()
		}
	}
	errs.Add(onStep(standard, r, inThousandths, step))
	if r.Max != nil {
		errs.Add(onStep(*r.Max, r, inThousandths, step))
	}
	return errs.List()
}

// A rangeNumber is one of the numbers of a range with its path.
type rangeNumber struct {
	resource.Quantity
	at *field.Path
}

func rangeNumbers(standard resource.Quantity, r *resourcev1.CapacityRequestPolicyRange, at *field.Path) []rangeNumber {
	numbers := []rangeNumber{{standard, at.Child("default")}}
	for _, n := range []struct {
		q    *resource.Quantity
		name string
	}{{r.Min, "min"}, {r.Max, "max"}, {r.Step, "step"}} {
		if n.q != nil {
			numbers = append(numbers, rangeNumber{*n.q, at.Child(n.name)})
		}
	}
	return numbers
}

func (n rangeNumber) isFraction() bool {
	q := n.DeepCopy()
	return !q.RoundUp(0)
}

// whole requires a number that Quantity.Value, which is used to compute steps, returns unchanged.
func (n rangeNumber) whole() field.ErrorList {
	if n.Sign() < 0 {
		return field.ErrorList{field.Invalid(n.at, n.String(), validation.IsNegativeErrorMsg)}
	}
	return rules.Unless(n.CmpInt64(math.MaxInt64) <= 0, n.at, n.String(), "must not be larger than 9223372036854775807")
}

// onStep requires that a value is a whole number of steps above the lower end of a range.
func onStep(q resource.Quantity, r *resourcev1.CapacityRequestPolicyRange, inThousandths bool, at *field.Path) field.ErrorList {
	number := (*resource.Quantity).Value
	if inThousandths {
		number = (*resource.Quantity).MilliValue
	}
	return rules.Unless((number(&q)-number(r.Min))%number(r.Step) == 0, at, q.String(), fmt.Sprintf("value is not a multiple of a given step (%s) from (%s)", r.Step.String(), r.Min.String()))
}

func deviceTaint(t resourcev1.DeviceTaint, r *kubeversion.Release, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.LabelName(t.Key, at.Child("key")))
	errs.Add(rules.LabelValue(t.Value, at.Child("value")))
	if t.Effect == "" {
		errs.Append(field.Required(at.Child("effect"), "").WithOrigin(rules.Declared))
		return errs.List()
	}
	errs.Add(rules.OneOf(&t.Effect, taintEffects(r), at.Child("effect")).WithOrigin(rules.Declared))
	return errs.List()
}

// bindingConditions checks the conditions for which the binding of a pod waits, or with which it fails.
func bindingConditions(r *kubeversion.Release, good, bad []string, at *field.Path) field.ErrorList {
	goodAt, badAt := at.Child("bindingConditions"), at.Child("bindingFailureConditions")
	var errs rules.Errors
	errs.Add(eachOf(r, good, resourcev1.BindingConditionsMaxSize, goodAt, metav1validation.ValidateLabelName))
	errs.Add(eachOf(r, bad, resourcev1.BindingFailureConditionsMaxSize, badAt, metav1validation.ValidateLabelName))
	for i, c := range good {
		if slices.Contains(good[:i], c) {
			errs.Duplicate(goodAt.Index(i), c)
		}
	}
	for i, c := range bad {
		if slices.Contains(bad[:i], c) {
			errs.Duplicate(badAt.Index(i), c)
		}
		errs.Add(rules.Unless(!slices.Contains(good, c), badAt.Index(i), c, "bindingFailureConditions must not overlap with bindingConditions"))
	}
	errs.Add(rules.Unless(len(good) > 0 || len(bad) == 0, goodAt, good, "bindingConditions are required to use bindingFailureConditions"))
	errs.Add(rules.Unless(len(bad) > 0 || len(good) == 0, badAt, bad, "bindingFailureConditions are required to use bindingConditions"))
	return errs.List()
}

const uidLength = 36

func uidForm(uid string, at *field.Path) field.ErrorList {
	if err := uuid.Validate(uid); err != nil {
		return field.ErrorList{field.Invalid(at, uid, fmt.Sprintf("error validating uid: %v", err))}
	}
	return rules.Unless(len(uid) == uidLength && uid == strings.ToLower(uid), at, uid, "uid must be in RFC 4122 normalized form, `xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx` with lowercase hexadecimal characters")
}
