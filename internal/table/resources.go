package table

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	resourcev1 "k8s.io/api/resource/v1"
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
)

func resourcePrinters() map[schema.GroupKind]printer {
	resource := func(kind string) schema.GroupKind {
		return schema.GroupKind{Group: resourcev1.GroupName, Kind: kind}
	}
	return map[schema.GroupKind]printer{
		resource("DeviceClass"): newPrinter("Name, Age", func(o *resourcev1.DeviceClass, now moment) []any {
			return []any{o.Name, age(o.CreationTimestamp, now)}
		}),
		resource("DeviceTaintRule"): newPrinter("Name, Key, Value, Effect, TimeAdded, Age", func(o *builtin.DeviceTaintRule, now moment) []any {
			added := ""
			if o.Spec.Taint.TimeAdded != nil {
				added = age(*o.Spec.Taint.TimeAdded, now)
			}
			return []any{o.Name, o.Spec.Taint.Key, o.Spec.Taint.Value, string(o.Spec.Taint.Effect), added, age(o.CreationTimestamp, now)}
		}),
		resource("ResourceClaim"): claims(),
		resource("ResourceClaimTemplate"): newPrinter("Name, Age", func(o *resourcev1.ResourceClaimTemplate, now moment) []any {
			return []any{o.Name, age(o.CreationTimestamp, now)}
		}),
		resource("ResourceSlice"): newPrinter("Name, Node, Driver, Pool, Age", func(o *resourcev1.ResourceSlice, now moment) []any {
			return []any{o.Name, orEmpty(o.Spec.NodeName), o.Spec.Driver, o.Spec.Pool.Name, age(o.CreationTimestamp, now)}
		}),
		resource("PodScheduling"):        scheduling(),
		resource("PodSchedulingContext"): scheduling(),
		resource("ResourceClaimParameters"): newPrinter("Name, GeneratedFrom, Age", func(o *builtin.ResourceClaimParameters, now moment) []any {
			from := ""
			if g := o.GeneratedFrom; g != nil {
				from = origin(g.Kind, g.APIGroup, g.Name)
			}
			return []any{o.Name, from, age(o.CreationTimestamp, now)}
		}),
		resource("ResourceClassParameters"): newPrinter("Name, GeneratedFrom, Age", func(o *builtin.ResourceClassParameters, now moment) []any {
			from := ""
			if g := o.GeneratedFrom; g != nil {
				from = origin(g.Kind, g.APIGroup, g.Name)
			}
			return []any{o.Name, from, age(o.CreationTimestamp, now)}
		}),
		resource("ResourceClass"): newPrinter("Name, DriverName, Age", func(o *builtin.ResourceClassV1alpha2, now moment) []any {
			return []any{o.Name, o.DriverName, age(o.CreationTimestamp, now)}
		}),
		resource("ResourcePoolStatusRequest"): newPrinter("Name, Driver, Total, Available, Allocated, Unavailable, Errors, Pools, Status, Completed", poolStatus),
	}
}

// formerPrinters holds the printers of kinds whose columns show other fields while the cluster stores these versions:
// kubernetes/kubernetes@v1.30.14:pkg/printers/internalversion/printers.go.
var formerPrinters = sync.OnceValue(func() map[schema.GroupVersionKind]printer {
	all := map[schema.GroupVersionKind]printer{}
	for _, version := range []schema.GroupVersion{builtin.ResourceV1alpha1, builtin.ResourceV1alpha2} {
		all[version.WithKind("ResourceClaim")] = newPrinter("Name, ResourceClassName, AllocationMode, State, Age", func(o *builtin.ResourceClaimV1alpha2, now moment) []any {
			deleted, allocated, reserved := o.DeletionTimestamp != nil, o.Status.Allocation != nil, len(o.Status.ReservedFor) > 0
			state := claimState(deleted, allocated, reserved) + deallocating(deleted, allocated, reserved, o.Status.DeallocationRequested)
			return []any{o.Name, o.Spec.ResourceClassName, o.Spec.AllocationMode, state, age(o.CreationTimestamp, now)}
		})
		all[version.WithKind("ResourceClaimTemplate")] = newPrinter("Name, ResourceClassName, AllocationMode, Age", func(o *builtin.ResourceClaimTemplateV1alpha2, now moment) []any {
			return []any{o.Name, o.Spec.Spec.ResourceClassName, o.Spec.Spec.AllocationMode, age(o.CreationTimestamp, now)}
		})
	}
	all[builtin.StorageMigrationV1alpha1.WithKind("StorageVersionMigration")] = newPrinter("Name, Resource", func(o *builtin.StorageVersionMigration, _ moment) []any {
		return []any{o.Name, o.Spec.Resource.Resource + "." + o.Spec.Resource.Version + "." + o.Spec.Resource.Group}
	})
	all[builtin.SchedulingV1alpha2.WithKind("PodGroup")] = newPrinter("Name, Policy, Workload, Status, Age", formerPodGroup)
	all[builtin.ResourceV1alpha2.WithKind("ResourceSlice")] = newPrinter("Name, Node, Driver, Age", func(o *builtin.ResourceSliceV1alpha2, now moment) []any {
		return []any{o.Name, o.NodeName, o.DriverName, age(o.CreationTimestamp, now)}
	})
	return all
})

func scheduling() printer {
	return newPrinter("Name, SelectedNode, Age", func(o *builtin.PodSchedulingContext, now moment) []any {
		return []any{o.Name, o.Spec.SelectedNode, age(o.CreationTimestamp, now)}
	})
}

// origin names the object that parameters were made from.
func origin(kind, group, name string) string { return fmt.Sprintf("%s.%s %s", kind, group, name) }

// claims returns the printer of claims. Those of 1.31, which a controller may have to deallocate, have one more state:
// kubernetes/kubernetes@v1.31.0:pkg/printers/internalversion/printers.go.
func claims() printer {
	p := newPrinter("Name, State, Age", func(o *resourcev1.ResourceClaim, now moment) []any {
		return []any{o.Name, claimState(o.DeletionTimestamp != nil, o.Status.Allocation != nil, len(o.Status.ReservedFor) > 0), age(o.CreationTimestamp, now)}
	})
	others := p.cells
	p.cells = func(object runtime.Object, now moment) ([]any, error) {
		cells, err := others(object, now)
		if o, ok := object.(*builtin.ResourceClaimV1alpha3); err == nil && ok {
			cells[1] = cells[1].(string) + deallocating(o.DeletionTimestamp != nil, o.Status.Allocation != nil, len(o.Status.ReservedFor) > 0, o.Status.DeallocationRequested)
		}
		return cells, err
	}
	return p
}

// deallocating returns the state that is added for a claim which a controller has to deallocate.
func deallocating(deleted, allocated, reserved, requested bool) string {
	if allocated && !reserved && (deleted || requested) {
		return ",deallocating"
	}
	return ""
}

func claimState(deleted, allocated, reserved bool) string {
	var states []string
	if deleted {
		states = append(states, "deleted")
	}
	switch {
	case allocated:
		states = append(states, "allocated")
		if reserved {
			states = append(states, "reserved")
		}
	case !deleted:
		states = append(states, "pending")
	}
	return strings.Join(states, ",")
}

func poolStatus(o *resourcev1alpha3.ResourcePoolStatusRequest, now moment) []any {
	status, completed, counts, pools := "Pending", "<none>", [5]string{"-", "-", "-", "-", "-"}, int32(0)
	if s := o.Status; s != nil {
		if s.PoolCount != nil {
			pools = *s.PoolCount
		}
		for _, c := range s.Conditions {
			if c.Status == metav1.ConditionTrue && (c.Type == resourcev1alpha3.ResourcePoolStatusRequestConditionComplete || c.Type == resourcev1alpha3.ResourcePoolStatusRequestConditionFailed) {
				status = c.Type
				if status == resourcev1alpha3.ResourcePoolStatusRequestConditionComplete {
					completed = age(c.LastTransitionTime, now)
				}
				break
			}
		}
		if status != resourcev1alpha3.ResourcePoolStatusRequestConditionFailed {
			counts = devicesOf(s.Pools)
		}
		if status == resourcev1alpha3.ResourcePoolStatusRequestConditionComplete && int(pools) > len(s.Pools) {
			status = fmt.Sprintf("%s (%d/%d pools)", status, len(s.Pools), pools)
		}
	}
	return []any{o.Name, o.Spec.Driver, counts[0], counts[1], counts[2], counts[3], counts[4], int64(pools), status, completed}
}

// devicesOf counts the devices of pools (all, available, allocated and unavailable ones) and the pools with errors.
func devicesOf(pools []resourcev1alpha3.PoolStatus) (counts [5]string) {
	var sums [5]int32
	for _, p := range pools {
		for i, n := range []*int32{p.TotalDevices, p.AvailableDevices, p.AllocatedDevices, p.UnavailableDevices} {
			if n != nil {
				sums[i] += *n
			}
		}
		if p.ValidationError != nil {
			sums[4]++
		}
	}
	for i, n := range sums {
		counts[i] = strconv.Itoa(int(n))
	}
	return counts
}
