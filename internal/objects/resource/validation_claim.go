// kubernetes/kubernetes:pkg/apis/resource/validation/validation.go

package resource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	netutils "k8s.io/utils/net"

	"github.com/admsim/admsim/internal/objects/pod"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Claims for devices are checked as in kubernetes/kubernetes:pkg/apis/resource/validation.

// taintEffects returns the effects that a release knows (VA-03).
func taintEffects(r *kubeversion.Release) []string {
	if !r.Has(kubeversion.DeviceTaintsWithoutEffect) {
		return []string{"NoExecute", "NoSchedule"}
	}
	return []string{"NoExecute", "NoSchedule", "None"}
}

func validateResourceClaim(c *resourcev1.ResourceClaim, r rules.Request) field.ErrorList {
	if rules.OldOf[*resourcev1.ResourceClaim](r) != nil && r.Release.Has(kubeversion.ClaimsKeptAsTheyAre) {
		return nil // the rest cannot change
	}
	return claimedDevices(&c.Spec.Devices, rules.SpecPath.Child("devices"), false, r)
}

func validateResourceClaimUpdate(c, old *resourcev1.ResourceClaim, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return claimStatusUpdate(c, old, r)
	}
	errs := rules.ImmutableInternal(internalClaim(c, r.Release).spec, internalClaim(old, r.Release).spec, rules.SpecPath).WithOrigin(rules.Declared)
	if r.Release.Has(kubeversion.ClaimsKeptAsTheyAre) {
		return errs
	}
	return append(errs, claimedDevices(&c.Spec.Devices, rules.SpecPath.Child("devices"), true, r)...)
}

func validateResourceClaimTemplate(t *resourcev1.ResourceClaimTemplate, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.ClaimMetadata(&t.Spec.ObjectMeta, rules.SpecPath.Child("metadata"), r.Release))
	errs.Add(claimedDevices(&t.Spec.Spec.Devices, rules.SpecPath.Child("spec", "devices"), false, r))
	return errs.List()
}

func validateResourceClaimTemplateUpdate(t, old *resourcev1.ResourceClaimTemplate, r rules.Request) field.ErrorList {
	errs := rules.ImmutableInternal(internalTemplate(t, r.Release), internalTemplate(old, r.Release), rules.SpecPath)
	if r.Release.Has(kubeversion.ClaimsKeptAsTheyAre) {
		return errs
	}
	errs = append(errs, rules.ClaimMetadata(&t.Spec.ObjectMeta, rules.SpecPath.Child("metadata"), r.Release)...)
	return append(errs, claimedDevices(&t.Spec.Spec.Devices, rules.SpecPath.Child("spec", "devices"), true, r)...)
}

func validateDeviceClass(c *resourcev1.DeviceClass, r rules.Request) field.ErrorList {
	if r.Release.Has(kubeversion.DeviceClassesCheckedOnce) {
		return deviceClassSpec(c, rules.OldOf[*resourcev1.DeviceClass](r), r)
	}
	return deviceClassSpec(c, nil, r)
}

func validateDeviceClassUpdate(c, old *resourcev1.DeviceClass, r rules.Request) field.ErrorList {
	if r.Release.Has(kubeversion.DeviceClassesCheckedOnce) {
		return nil
	}
	return deviceClassSpec(c, old, r)
}

// deviceClassSpec checks a class; old is nil if it is checked as a new one.
func deviceClassSpec(c, old *resourcev1.DeviceClass, r rules.Request) field.ErrorList {
	stored := old != nil && semantic.DeepEqual(c.Spec.Selectors, old.Spec.Selectors)
	storedConfig := old != nil && semantic.DeepEqual(c.Spec.Config, old.Spec.Config)
	var errs rules.Errors
	errs.Add(deviceSelectors(c.Spec.Selectors, rules.SpecPath.Child("selectors"), stored, r))
	errs.Add(eachOf(r.Release, c.Spec.Config, resourcev1.DeviceConfigMaxSize, rules.SpecPath.Child("config"), func(config resourcev1.DeviceClassConfiguration, at *field.Path) field.ErrorList {
		return deviceConfiguration(config.DeviceConfiguration, storedConfig, r.Release, at)
	}))
	if name := c.Spec.ExtendedResourceName; name != nil {
		errs.Add(rules.Unless(rules.IsExtended(corev1.ResourceName(*name)), rules.SpecPath.Child("extendedResourceName"), *name, "must be a valid extended resource name").WithOrigin(rules.Declared))
	}
	return errs.List()
}

// requestNames are the names by which a claim's requests, and the alternatives in each, can be referred to.
type requestNames struct {
	alternatives map[string][]string
	release      *kubeversion.Release
}

func requestsOf(c *resourcev1.DeviceClaim, r *kubeversion.Release) requestNames {
	names := map[string][]string{}
	for _, r := range c.Requests {
		names[r.Name] = nil
		for _, s := range r.FirstAvailable {
			names[r.Name] = append(names[r.Name], s.Name)
		}
	}
	return requestNames{names, r}
}

// reference checks the name of a request, or of a request and one of its alternatives.
func (n requestNames) reference(name string, at *field.Path) field.ErrorList {
	message := "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'"
	parts := strings.Split(name, "/")
	switch {
	case !n.release.Has(kubeversion.DeviceTypesAsV1): // there are no alternatives
		message, parts = "must be the name of a request in the claim", []string{name}
	case len(parts) > 2:
		return field.ErrorList{field.Invalid(at, name, message)}
	}
	var errs rules.Errors
	for _, p := range parts {
		errs.Add(rules.Faults(at, p, rules.DNS1123Label(p)))
	}
	alternatives, known := n.alternatives[parts[0]]
	if len(parts) == 2 {
		known = known && slices.Contains(alternatives, parts[1])
	}
	errs.Add(rules.Unless(known, at, name, message))
	return errs.List()
}

func (n requestNames) references(names []string, at *field.Path) field.ErrorList {
	return eachOnce(n.release, names, resourcev1.DeviceRequestsMaxSize, at, itself, n.reference)
}

// claimedDevices checks the requests of a claim. stored says that the old object had the same expressions.
func claimedDevices(c *resourcev1.DeviceClaim, at *field.Path, stored bool, q rules.Request) field.ErrorList {
	names := requestsOf(c, q.Release)
	check := requestCheck{write: q, stored: stored, constraints: c.Constraints, cost: new(uint64)}
	var errs rules.Errors
	errs.Add(eachOnce(q.Release, c.Requests, resourcev1.DeviceRequestsMaxSize, at.Child("requests"), func(r resourcev1.DeviceRequest) string { return r.Name }, check.request))
	errs.Add(eachOf(q.Release, c.Constraints, resourcev1.DeviceConstraintsMaxSize, at.Child("constraints"), func(c resourcev1.DeviceConstraint, at *field.Path) field.ErrorList {
		return deviceConstraint(c, names, at, q.Release)
	}))
	errs.Add(eachOf(q.Release, c.Config, resourcev1.DeviceConfigMaxSize, at.Child("config"), func(c resourcev1.DeviceClaimConfiguration, at *field.Path) field.ErrorList {
		return append(names.references(c.Requests, at.Child("requests")), deviceConfiguration(c.DeviceConfiguration, stored, q.Release, at)...)
	}))
	if *check.cost > resourcev1.DeviceClaimDerivedAttributeCELMaxCost {
		errs.Forbidden(at, "too complex, total cost of derived attribute CEL expressions in the claim exceeds cost limit")
	}
	return errs.List()
}

// A requestCheck checks the requests of a claim.
type requestCheck struct {
	write       rules.Request
	stored      bool
	constraints []resourcev1.DeviceConstraint
	cost        *uint64 // of all expressions for derived attributes
}

func (k requestCheck) request(r resourcev1.DeviceRequest, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.Faults(at.Child("name"), r.Name, rules.DNS1123Label(r.Name)))
	const one = "exactly one of `exactly` or `firstAvailable` is required"
	switch {
	case !k.write.Release.Has(kubeversion.DeviceTypesAsV1):
		e := cmp.Or(r.Exactly, &resourcev1.ExactDeviceRequest{})
		errs.Add(className(e.DeviceClassName, at))
		errs.Add(k.devices(e.Selectors, e.AllocationMode, e.Count, e.Tolerations, at))
		return errs.List()
	case r.Exactly == nil && len(r.FirstAvailable) == 0:
		errs.Required(at, one)
		return errs.List()
	case r.Exactly != nil && len(r.FirstAvailable) > 0:
		errs.Invalid(at, nil, one+", but multiple fields are set")
		if k.write.Release.Has(kubeversion.ClaimsKeptAsTheyAre) {
			return errs.List()
		}
	}
	if e, at := r.Exactly, at.Child("exactly"); e != nil {
		errs.Add(className(e.DeviceClassName, at))
		errs.Add(k.devices(e.Selectors, e.AllocationMode, e.Count, e.Tolerations, at))
		errs.Add(k.derivedAttributes(e.DerivedAttributes, r.Name, at.Child("derivedAttributes")))
	}
	name := func(s resourcev1.DeviceSubRequest) string { return s.Name }
	errs.Add(eachOnce(k.write.Release, r.FirstAvailable, resourcev1.FirstAvailableDeviceRequestMaxSize, at.Child("firstAvailable"), name, func(s resourcev1.DeviceSubRequest, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.Faults(at.Child("name"), s.Name, rules.DNS1123Label(s.Name)))
		errs.Add(className(s.DeviceClassName, at).WithOrigin(rules.Declared))
		errs.Add(k.devices(s.Selectors, s.AllocationMode, s.Count, s.Tolerations, at))
		errs.Add(k.derivedAttributes(s.DerivedAttributes, r.Name+"/"+s.Name, at.Child("derivedAttributes")))
		return errs.List()
	}))
	return errs.List()
}

func className(class string, at *field.Path) field.ErrorList {
	return rules.Given(at.Child("deviceClassName"), class, rules.DNS1123Subdomain)
}

// devices checks what the two forms of a request have in common.
func (k requestCheck) devices(selectors []resourcev1.DeviceSelector, mode resourcev1.DeviceAllocationMode, count int64, tolerations []resourcev1.DeviceToleration, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(deviceSelectors(selectors, at.Child("selectors"), k.stored, k.write))
	switch mode {
	case resourcev1.DeviceAllocationModeAll:
		errs.Add(rules.Unless(count == 0, at.Child("count"), count, fmt.Sprintf("must not be specified when allocationMode is '%s'", mode)))
	case resourcev1.DeviceAllocationModeExactCount:
		errs.Add(rules.Unless(count > 0, at.Child("count"), count, "must be greater than zero"))
	default:
		errs.Append(field.NotSupported(at.Child("allocationMode"), mode, []resourcev1.DeviceAllocationMode{resourcev1.DeviceAllocationModeAll, resourcev1.DeviceAllocationModeExactCount}).WithOrigin(rules.Declared))
	}
	errs.Add(rules.EachOf(tolerations, -1, at.Child("tolerations"), tolerationIn(k.write.Release)))
	return errs.List()
}

// derivedAttributes checks attributes that a request computes from those of a device, for use in a constraint.
func (k requestCheck) derivedAttributes(attributes []resourcev1.DeviceDerivedAttribute, request string, at *field.Path) field.ErrorList {
	name := func(a resourcev1.DeviceDerivedAttribute) resourcev1.FullyQualifiedName { return a.Name }
	return eachOnce(k.write.Release, attributes, -1, at, name, func(a resourcev1.DeviceDerivedAttribute, at *field.Path) field.ErrorList {
		var errs rules.Errors
		if a.Name != "" && !k.compares(a.Name, request) {
			errs.Invalid(at.Child("name"), a.Name, "must be referenced by at least one matchAttribute or distinctAttribute constraint targeting this request")
		}
		if a.Expression != "" {
			cost, wrong := deviceExpression(a.Expression, true, false, at.Child("expression"), k.write)
			*k.cost += cost
			errs.Add(wrong)
		}
		return errs.List()
	})
}

// compares reports whether a constraint on a request, or on the request of which it is an alternative, compares an
// attribute.
func (k requestCheck) compares(name resourcev1.FullyQualifiedName, request string) bool {
	parent, _, _ := strings.Cut(request, "/")
	return slices.ContainsFunc(k.constraints, func(c resourcev1.DeviceConstraint) bool {
		compared := c.MatchAttribute
		if compared == nil {
			compared = c.DistinctAttribute
		}
		return compared != nil && *compared == name &&
			(len(c.Requests) == 0 || slices.Contains(c.Requests, request) || slices.Contains(c.Requests, parent))
	})
}

// tolerationIn returns the rules of a release for a toleration.
func tolerationIn(r *kubeversion.Release) func(resourcev1.DeviceToleration, *field.Path) field.ErrorList {
	return func(t resourcev1.DeviceToleration, at *field.Path) field.ErrorList { return deviceToleration(t, r, at) }
}

func deviceToleration(t resourcev1.DeviceToleration, r *kubeversion.Release, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if t.Key != "" {
		errs.Add(rules.LabelName(t.Key, at.Child("key")).WithOrigin(rules.Declared))
	}
	switch t.Operator {
	case resourcev1.DeviceTolerationOpExists:
		errs.Add(rules.Unless(t.Value == "", at.Child("value"), t.Value, "must be empty for operator `Exists`"))
	case resourcev1.DeviceTolerationOpEqual:
		errs.Add(rules.LabelValue(t.Value, at.Child("value")))
	case "":
		errs.Required(at.Child("operator"), "")
	default:
		errs.Append(field.NotSupported(at.Child("operator"), t.Operator, []resourcev1.DeviceTolerationOperator{resourcev1.DeviceTolerationOpEqual, resourcev1.DeviceTolerationOpExists}).WithOrigin(rules.Declared))
	}
	if t.Effect != "" {
		errs.Add(rules.OneOf(&t.Effect, taintEffects(r), at.Child("effect")).WithOrigin(rules.Declared))
	}
	return errs.List()
}

// deviceSelectors checks selectors. stored says that the old object had the same selectors.
func deviceSelectors(selectors []resourcev1.DeviceSelector, at *field.Path, stored bool, q rules.Request) field.ErrorList {
	return eachOf(q.Release, selectors, resourcev1.DeviceSelectorsMaxSize, at, func(s resourcev1.DeviceSelector, at *field.Path) field.ErrorList {
		at = at.Child("cel")
		if s.CEL == nil {
			return field.ErrorList{field.Required(at, "")}
		}
		_, errs := deviceExpression(s.CEL.Expression, false, stored, at.Child("expression"), q)
		return errs
	})
}

// deviceExpression checks an expression about a device, and returns its cost. A stored expression was valid when it was
// stored, which is sufficient for newer releases.
func deviceExpression(expression string, derived, stored bool, at *field.Path, q rules.Request) (cost uint64, errs field.ErrorList) {
	switch {
	case stored && q.Release.Has(kubeversion.StoredDeviceExpressionsHold):
		return 0, nil
	case len(expression) > resourcev1.CELSelectorExpressionMaxLength && q.Release.Has(kubeversion.DevicesInBeta):
		return 0, field.ErrorList{field.TooLong(at, "", resourcev1.CELSelectorExpressionMaxLength)}
	}
	return q.CheckDeviceExpression(expression, derived, stored, at)
}

func deviceConstraint(c resourcev1.DeviceConstraint, names requestNames, at *field.Path, r *kubeversion.Release) field.ErrorList {
	var errs rules.Errors
	errs.Add(names.references(c.Requests, at.Child("requests")))
	switch {
	case c.MatchAttribute != nil:
		errs.Add(fullyQualified(r, *c.MatchAttribute, at.Child("matchAttribute")).WithOrigin(rules.Declared))
		return errs.List()
	case c.DistinctAttribute != nil:
		errs.Add(fullyQualified(r, *c.DistinctAttribute, at.Child("distinctAttribute")))
		return errs.List()
	}
	if !r.Enabled("DRAConsumableCapacity") { // there is no distinctAttribute
		errs.Required(at.Child("matchAttribute"), "")
		return errs.List()
	}
	errs.Required(at, `exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set`)
	return errs.List()
}

func fullyQualified(r *kubeversion.Release, name resourcev1.FullyQualifiedName, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(deviceAttributeName(string(name), r, at))
	if name == "" && !r.Has(kubeversion.DeviceErrorsDeclared) && r.Has(kubeversion.DevicesInBeta) {
		return errs.List() // it is missing
	}
	errs.Add(rules.Unless(strings.Contains(string(name), "/"), at, name, "a fully qualified name must be a domain and a name separated by a slash"))
	return errs.List()
}

// deviceConfiguration checks the parameters of a driver. Stored ones may be older than their maximum length.
func deviceConfiguration(c resourcev1.DeviceConfiguration, stored bool, r *kubeversion.Release, at *field.Path) field.ErrorList {
	at = at.Child("opaque")
	if c.Opaque == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs rules.Errors
	errs.Add(declaredDriver(c.Opaque.Driver, at.Child("driver")))
	longest := resourcev1.OpaqueParametersMaxLength
	if stored || !r.Has(kubeversion.DevicesInBeta) {
		longest = math.MaxInt
	}
	errs.Add(rawObject(c.Opaque.Parameters.Raw, r, at.Child("parameters"), longest))
	return errs.List()
}

// rawObject requires a JSON object of limited length.
func rawObject(data []byte, r *kubeversion.Release, at *field.Path, most int) field.ErrorList {
	if len(data) > most {
		return field.ErrorList{field.TooLong(at, "", most)}
	}
	var v any
	if len(data) > 0 {
		if err := json.Unmarshal(data, &v); err != nil {
			problem := "error parsing data as JSON"
			if !r.Has(kubeversion.DevicesInBeta) {
				problem = "error parsing data"
			}
			return field.ErrorList{field.Invalid(at, "<value omitted>", fmt.Sprintf("%s: %v", problem, err))}
		}
	}
	if v == nil {
		return field.ErrorList{field.Required(at, "")}
	}
	_, isObject := v.(map[string]any)
	return rules.Unless(isObject, at, "<value omitted>", "must be a valid JSON object")
}

func claimStatusUpdate(c, old *resourcev1.ResourceClaim, r rules.Request) field.ErrorList {
	at := field.NewPath("status")
	s, names := &c.Status, requestsOf(&c.Spec.Devices, r.Release)
	var errs rules.Errors
	errs.Add(consumers(s.ReservedFor, resourcev1.ResourceClaimReservedForMaxSize, at.Child("reservedFor"), r.Release))
	allocated := allocatedDevices(s)
	errs.Add(eachOnce(r.Release, s.Devices, -1, at.Child("devices"), statusKeyOf(r.Release), func(d resourcev1.AllocatedDeviceStatus, at *field.Path) field.ErrorList {
		return deviceStatus(d, allocated, r.Release, at)
	}))
	errs.Add(reservation(c, old, c.DeletionTimestamp != nil, at.Child("reservedFor")))
	if s.Allocation != nil && old.Status.Allocation != nil {
		errs.Add(rules.ImmutableInternal(internalClaim(c, r.Release).allocation, internalClaim(old, r.Release).allocation, at.Child("allocation")).WithOrigin(rules.Declared))
	} else {
		errs.Add(allocation(s.Allocation, names, at.Child("allocation"), r))
	}
	return errs.List()
}

// consumers checks for whom a claim is reserved, and reservation whether it can be reserved for them. A claim that is
// about to be deallocated cannot be reserved for more.
func consumers(list []resourcev1.ResourceClaimConsumerReference, most int, at *field.Path, r *kubeversion.Release) field.ErrorList {
	return eachOnce(r, list, most, at, func(r resourcev1.ResourceClaimConsumerReference) types.UID { return r.UID }, claimConsumer)
}

func reservation(c, old *resourcev1.ResourceClaim, ends bool, at *field.Path) field.ErrorList {
	if len(c.Status.ReservedFor) == 0 {
		return nil
	}
	added := slices.ContainsFunc(c.Status.ReservedFor, func(r resourcev1.ResourceClaimConsumerReference) bool {
		return !slices.Contains(old.Status.ReservedFor, r)
	})
	switch {
	case c.Status.Allocation == nil:
		return field.ErrorList{field.Forbidden(at, "may not be specified when `allocated` is not set")}
	case ends && added:
		return field.ErrorList{field.Forbidden(at, "new entries may not be added while `deallocationRequested` or `deletionTimestamp` are set")}
	}
	return nil
}

func claimConsumer(r resourcev1.ResourceClaimConsumerReference, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for _, f := range []struct{ name, value string }{{"resource", r.Resource}, {"name", r.Name}, {"uid", string(r.UID)}} {
		if f.value == "" {
			errs.Required(at.Child(f.name), "")
		}
	}
	return errs.List()
}

func allocation(a *resourcev1.AllocationResult, names requestNames, at *field.Path, q rules.Request) field.ErrorList {
	if a == nil {
		return nil
	}
	devices := at.Child("devices")
	var errs rules.Errors
	errs.Add(eachOf(q.Release, a.Devices.Results, resourcev1.AllocationResultsMaxSize, devices.Child("results"), func(r resourcev1.DeviceRequestAllocationResult, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(names.reference(r.Request, at.Child("request")))
		errs.Add(declaredDriver(r.Driver, at.Child("driver")))
		errs.Add(poolName(r.Pool, q.Release, at.Child("pool")).WithOrigin(rules.Declared))
		errs.Add(deviceName(r.Device, at))
		errs.Add(bindingConditions(q.Release, r.BindingConditions, r.BindingFailureConditions, at))
		if q.Release.Has(kubeversion.AllocatedTolerationsChecked) {
			errs.Add(rules.EachOf(r.Tolerations, -1, at.Child("tolerations"), tolerationIn(q.Release)))
		}
		if r.ShareID != nil {
			errs.Add(uidForm(string(*r.ShareID), at.Child("shareID")).WithOrigin(rules.Declared))
		}
		errs.Add(skippedOperations(r.SkipNodeOperations, at.Child("skipNodeOperations")))
		return errs.List()
	}))
	errs.Add(eachOf(q.Release, a.Devices.Config, 2*resourcev1.DeviceConfigMaxSize, devices.Child("config"), func(c resourcev1.DeviceAllocationConfiguration, at *field.Path) field.ErrorList {
		var errs rules.Errors
		if c.Source == "" {
			errs.Append(field.Required(at.Child("source"), "").WithOrigin(rules.Declared))
		} else {
			errs.Add(rules.OneOf(&c.Source, []string{"FromClaim", "FromClass"}, at.Child("source")).WithOrigin(rules.Declared))
		}
		errs.Add(names.references(c.Requests, at.Child("requests")))
		errs.Add(deviceConfiguration(c.DeviceConfiguration, false, q.Release, at))
		return errs.List()
	}))
	if a.NodeSelector != nil {
		errs.Add(pod.NodeSelector(a.NodeSelector, nodeValues(q.Release), at.Child("nodeSelector")))
	}
	return errs.List()
}

// declaredDriver checks the name of a driver whose presence and form are declared, too, but not its length.
func declaredDriver(name string, at *field.Path) field.ErrorList {
	errs := rules.DriverName(name, at)
	for _, err := range errs {
		if err.Type != field.ErrorTypeTooLong {
			err.Origin = rules.Declared
		}
	}
	return errs
}

func deviceName(device string, at *field.Path) field.ErrorList {
	return rules.Faults(at.Child("device"), device, rules.DNS1123Label(device))
}

func deviceStatus(d resourcev1.AllocatedDeviceStatus, allocated map[sharedDevice]bool, r *kubeversion.Release, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.DriverName(d.Driver, at.Child("driver")))
	errs.Add(poolName(d.Pool, r, at.Child("pool")))
	errs.Add(deviceName(d.Device, at))
	if d.ShareID != nil {
		errs.Add(uidForm(*d.ShareID, at.Child("shareID")).WithOrigin(rules.Declared))
	}
	errs.Add(rules.Unless(allocated[deviceOf(d)], at, deviceOf(d).shownAs(r), "must be an allocated device in the claim"))
	if len(d.Conditions) > resourcev1.AllocatedDeviceStatusMaxConditions {
		errs.TooMany(at.Child("conditions"), len(d.Conditions), resourcev1.AllocatedDeviceStatusMaxConditions)
	}
	errs.Add(rules.Conditions(r, d.Conditions, at.Child("conditions")))
	if d.Data != nil && len(d.Data.Raw) > 0 {
		errs.Add(rawObject(d.Data.Raw, r, at.Child("data"), resourcev1.AllocatedDeviceStatusDataMaxLength))
	}
	n := d.NetworkData
	if n == nil {
		return errs.List()
	}
	at = at.Child("networkData")
	if len(n.InterfaceName) > resourcev1.NetworkDeviceDataInterfaceNameMaxLength {
		errs.Append(field.TooLong(at.Child("interfaceName"), "", resourcev1.NetworkDeviceDataInterfaceNameMaxLength).WithOrigin(rules.Declared))
	}
	if len(n.HardwareAddress) > resourcev1.NetworkDeviceDataHardwareAddressMaxLength {
		errs.Append(field.TooLong(at.Child("hardwareAddress"), "", resourcev1.NetworkDeviceDataHardwareAddressMaxLength).WithOrigin(rules.Declared))
	}
	key, check := itself[string], func(ip string, at *field.Path) field.ErrorList { return utilvalidation.IsValidInterfaceAddress(at, ip) }
	if !r.Has(kubeversion.DeviceTypesAsV1) {
		key, check = sameRange, isRange
	}
	errs.Add(eachOnce(r, n.IPs, resourcev1.NetworkDeviceDataMaxIPs, at.Child("ips"), key, check))
	return errs.List()
}

// isRange accepts whatever was once read as a range of addresses, also with leading zeros.
func isRange(cidr string, at *field.Path) field.ErrorList {
	_, _, err := netutils.ParseCIDRSloppy(cidr)
	return rules.Unless(err == nil, at, cidr, "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)")
}

// sameRange returns the same text for equal ranges, and for all that are invalid.
func sameRange(cidr string) string {
	ip, ips, err := netutils.ParseCIDRSloppy(cidr)
	if err != nil {
		return ""
	}
	size, _ := ips.Mask.Size()
	return fmt.Sprintf("%s/%d", ip, size)
}
