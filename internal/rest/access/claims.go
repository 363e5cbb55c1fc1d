package access

import (
	"context"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/internal/semantic"
)

var resourceClaim = schema.GroupKind{Group: resourcev1.GroupName, Kind: "ResourceClaim"}

// MayChangeClaim returns the errors for a write of a ResourceClaim's status for which the user lacks permissions: those
// to bind the claim, and to write the status of a driver's devices (AU-24):
// kubernetes/kubernetes:pkg/registry/resource/utils.go.
func (r Request) MayChangeClaim(ctx context.Context, object, old runtime.Object) field.ErrorList {
	kind := object.GetObjectKind().GroupVersionKind().GroupKind()
	if kind != resourceClaim || r.Subresource != "status" || !r.Release.Enabled("DRAResourceClaimGranularStatusAuthorization") {
		return nil
	}
	claim, ok := r.Types.InV1(object, kind).(*resourcev1.ResourceClaim)
	before, had := r.Types.InV1(old, kind).(*resourcev1.ResourceClaim)
	if !ok || !had {
		return nil
	}
	errs := r.mayBind(ctx, &claim.Status, &before.Status)
	if claim.Status.Allocation == nil || !r.Release.Enabled("DRAResourceClaimDeviceStatus") {
		return errs
	}
	return append(errs, r.mayWriteDevices(ctx, &claim.Status, &before.Status)...)
}

// mayBind asks about a change of the allocation and of who uses it, for claims of all namespaces.
func (r Request) mayBind(ctx context.Context, status, old *resourcev1.ResourceClaimStatus) field.ErrorList {
	if semantic.DeepEqual(status.Allocation, old.Allocation) && semantic.DeepEqual(status.ReservedFor, old.ReservedFor) {
		return nil
	}
	question := r.Question()
	question.Subresource, question.Namespace, question.Name = resourcev1.SubresourceBinding, "", ""
	refused := r.MayAsk(ctx, question)
	if refused == nil {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("status", "allocation"), fmt.Sprintf(`changing status.allocation or status.reservedFor requires resource="resourceclaims/binding", verb="%s" permission: %s`, question.Verb, refused))}
}

// mayWriteDevices asks about the drivers whose devices have another status. A service account on the node of the
// allocation needs less.
func (r Request) mayWriteDevices(ctx context.Context, status, old *resourcev1.ResourceClaimStatus) (errs field.ErrorList) {
	verbs := []string{resourcev1.VerbPrefixArbitraryNode + r.Verb}
	if r.isOn(allocatedNode(status.Allocation)) {
		verbs = []string{resourcev1.VerbPrefixAssociatedNode + r.Verb, verbs[0]}
	}
	for _, driver := range changedDrivers(status.Devices, old.Devices) {
		question := r.Question()
		question.Subresource, question.Name = resourcev1.SubresourceDriver, driver
		var refused error
		for _, question.Verb = range verbs {
			err := r.MayAsk(ctx, question)
			if err == nil {
				refused = nil
				break
			}
			if refused == nil {
				refused = err
			}
		}
		if refused != nil {
			errs = append(errs, field.Forbidden(field.NewPath("status", "devices"), fmt.Sprintf(`changing status.devices requires resource="resourceclaims/driver", verb="%s" permission: %s`, verbs, refused)))
		}
	}
	return errs
}

// changedDrivers returns the drivers of devices that were added, changed or removed, sorted.
func changedDrivers(devices, old []resourcev1.AllocatedDeviceStatus) []string {
	type key struct{ driver, pool, device, share string }
	keyOf := func(d resourcev1.AllocatedDeviceStatus) key {
		return key{d.Driver, d.Pool, d.Device, ptr.Deref(d.ShareID, "")}
	}
	before := map[key]resourcev1.AllocatedDeviceStatus{}
	for _, d := range old {
		before[keyOf(d)] = d
	}
	drivers := map[string]bool{}
	for _, d := range devices {
		was, had := before[keyOf(d)]
		delete(before, keyOf(d))
		if !had || !semantic.DeepEqual(was, d) {
			drivers[d.Driver] = true
		}
	}
	for _, d := range before {
		drivers[d.Driver] = true
	}
	return slices.Sorted(maps.Keys(drivers))
}

// allocatedNode returns the node that an allocation is for, or nothing if it is for several or chosen by labels.
func allocatedNode(a *resourcev1.AllocationResult) string {
	if a.NodeSelector == nil || len(a.NodeSelector.NodeSelectorTerms) != 1 {
		return ""
	}
	term := a.NodeSelector.NodeSelectorTerms[0]
	if len(term.MatchExpressions) != 0 || len(term.MatchFields) != 1 {
		return ""
	}
	f := term.MatchFields[0]
	if f.Key != "metadata.name" || f.Operator != corev1.NodeSelectorOpIn || len(f.Values) != 1 {
		return ""
	}
	return f.Values[0]
}

// isOn reports whether the user is a service account of a pod on a node.
func (r Request) isOn(node string) bool {
	nodes := r.User.Extra[serviceaccount.NodeNameKey]
	_, _, err := serviceaccount.SplitUsername(r.User.Username)
	return node != "" && err == nil && len(nodes) == 1 && nodes[0] == node && len(validation.IsDNS1123Subdomain(node)) == 0
}
