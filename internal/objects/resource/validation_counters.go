// kubernetes/kubernetes:pkg/apis/resource/validation/validation.go

package resource

import (
	"fmt"

	resourcev1 "k8s.io/api/resource/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The limits up to 1.34, while the devices of a slice and the counters that they share were in the same slice.
const (
	mostCountersPerDevice = 32
	mostCountersOfDevices = 1024
	mostSharedCounters    = 32
)

// countersApart reports whether the counters that devices share are in another slice than the devices.
func (k sliceCheck) countersApart() bool { return k.release.Has(kubeversion.CountersApart) }

// sharedCounters checks the counters that devices consume.
func (k sliceCheck) sharedCounters() field.ErrorList {
	most := -1
	if k.countersApart() {
		most = resourcev1.ResourceSliceMaxCounterSets
	}
	name := func(c resourcev1.CounterSet) string { return c.Name }
	return eachOnce(k.release, k.spec.SharedCounters, most, rules.SpecPath.Child("sharedCounters"), name, func(c resourcev1.CounterSet, at *field.Path) field.ErrorList {
		var errs rules.Errors
		errs.Add(rules.Given(at.Child("name"), c.Name, rules.DNS1123Label).WithOrigin(rules.Declared))
		errs.Add(k.counters(c.Counters, resourcev1.ResourceSliceMaxCountersPerCounterSet, at.Child("counters")))
		return errs.List()
	})
}

// counterTotals limits the number of all counters in a slice.
func (k sliceCheck) counterTotals() field.ErrorList {
	if k.countersApart() {
		return nil
	}
	consumed, shared := 0, 0
	for _, d := range k.spec.Devices {
		consumed += consumedBy(d)
	}
	for _, c := range k.spec.SharedCounters {
		shared += len(c.Counters)
	}
	var errs rules.Errors
	errs.Add(rules.Unless(consumed <= mostCountersOfDevices, rules.SpecPath.Child("devices"), consumed, fmt.Sprintf("the total number of counters in devices must not exceed %d", mostCountersOfDevices)))
	errs.Add(rules.Unless(shared <= mostSharedCounters, rules.SpecPath.Child("sharedCounters"), shared, fmt.Sprintf("the total number of shared counters must not exceed %d", mostSharedCounters)))
	return errs.List()
}

func consumedBy(d resourcev1.Device) int {
	n := 0
	for _, c := range d.ConsumesCounters {
		n += len(c.Counters)
	}
	return n
}

// consumedCounters checks the counters that a device consumes.
func (k sliceCheck) consumedCounters(d resourcev1.Device, at *field.Path) field.ErrorList {
	apart, list := k.countersApart(), at.Child("consumesCounters")
	most := -1
	if apart {
		most = resourcev1.ResourceSliceMaxDeviceCounterConsumptionsPerDevice
	}
	var errs rules.Errors
	counterSet := func(c resourcev1.DeviceCounterConsumption) string { return c.CounterSet }
	errs.Add(eachOnce(k.release, d.ConsumesCounters, most, list, counterSet, func(c resourcev1.DeviceCounterConsumption, at *field.Path) field.ErrorList {
		var errs rules.Errors
		if apart || c.CounterSet == "" {
			errs.Add(rules.Given(at.Child("counterSet"), c.CounterSet, rules.DNS1123Label).WithOrigin(rules.Declared))
		}
		errs.Add(k.counters(c.Counters, resourcev1.ResourceSliceMaxCountersPerDeviceCounterConsumption, at.Child("counters")))
		return errs.List()
	}))
	if apart {
		return errs.List()
	}
	n := consumedBy(d)
	errs.Add(rules.Unless(n <= mostCountersPerDevice, at, n, fmt.Sprintf("the total number of counters must not exceed %d", mostCountersPerDevice)))
	for i, c := range d.ConsumesCounters {
		errs.Add(k.definedHere(c, list.Index(i)))
	}
	return errs.List()
}

// definedHere requires the counters that a device consumes to be in its own slice. If two sets have the same name, the
// last one counts.
func (k sliceCheck) definedHere(c resourcev1.DeviceCounterConsumption, at *field.Path) field.ErrorList {
	var defined *resourcev1.CounterSet
	for i := range k.spec.SharedCounters {
		if s := &k.spec.SharedCounters[i]; s.Name == c.CounterSet {
			defined = s
		}
	}
	if defined == nil {
		return field.ErrorList{field.Invalid(at.Child("counterSet"), c.CounterSet, "must reference a counterSet defined in the ResourceSlice sharedCounters")}
	}
	var errs rules.Errors
	for name := range rules.Sorted(c.Counters) {
		_, ok := defined.Counters[name]
		errs.Add(rules.Unless(ok, at.Child("counters"), name, "must reference a counter defined in the ResourceSlice sharedCounters"))
	}
	return errs.List()
}

func (k sliceCheck) counters(c map[string]resourcev1.Counter, most int, at *field.Path) field.ErrorList {
	if len(c) == 0 {
		return field.ErrorList{field.Required(at, "")}
	}
	if k.countersApart() && len(c) > most {
		return field.ErrorList{field.TooMany(at, len(c), most)}
	}
	var errs rules.Errors
	for name := range rules.Sorted(c) {
		nameAt := at
		if !k.release.Has(kubeversion.DeviceKeysAtMap) {
			nameAt = at.Key(shortKey(name, utilvalidation.DNS1123LabelMaxLength))
		}
		errs.Add(rules.Faults(nameAt, name, rules.DNS1123Label(name)))
	}
	return errs.List()
}
