package access

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// MayAdminister returns the error for a claim of devices with administrative access, or for an object that grants it,
// in a namespace that does not allow it. old is nil on create. What already existed is not checked again, and releases
// before 1.33 do not check (kubernetes/kubernetes:pkg/registry/resource/utils.go).
func (r Request) MayAdminister(object, old runtime.Object) field.ErrorList {
	kind := object.GetObjectKind().GroupVersionKind().GroupKind()
	if kind.Group != resourcev1.GroupName || !r.Release.Has(kubeversion.AdminAccessNamespaces) {
		return nil
	}
	var path *field.Path
	switch o := r.Types.InV1(object, kind).(type) {
	case *resourcev1.ResourceClaim:
		before, _ := r.Types.InV1(old, kind).(*resourcev1.ResourceClaim)
		switch {
		case before == nil:
			path = administered(o.Spec.Devices.Requests)
		case r.Subresource == "status" && granted(before) == nil:
			path = granted(o)
		}
	case *resourcev1.ResourceClaimTemplate:
		if old == nil {
			path = administered(o.Spec.Spec.Devices.Requests)
		}
	}
	if path == nil {
		return nil
	}
	n, ok := cluster.Get[*corev1.Namespace](r.State, schema.GroupKind{Kind: "Namespace"}, "", r.Namespace)
	if !ok {
		return field.ErrorList{field.InternalError(path, fmt.Errorf("could not retrieve namespace to verify admin access: namespaces %q not found", r.Namespace))}
	}
	label := resourcev1.DRAAdminNamespaceLabelKey
	if !r.Release.Has(kubeversion.AdminAccessLabelRenamed) {
		label = "resource.k8s.io/admin-access"
	}
	if n.Labels[label] == "true" {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, "admin access to devices requires the `"+label+": true` label on the containing namespace")}
}

// administered returns the path of the first request for administrative access. It is the path in a claim, even in a
// template.
func administered(requests []resourcev1.DeviceRequest) *field.Path {
	for i, r := range requests {
		if r.Exactly != nil && ptr.Deref(r.Exactly.AdminAccess, false) {
			return field.NewPath("spec", "devices", "requests").Index(i).Child("adminAccess")
		}
	}
	return nil
}

// granted returns the path of the first device that a claim got with administrative access.
func granted(c *resourcev1.ResourceClaim) *field.Path {
	if c.Status.Allocation == nil {
		return nil
	}
	for i, r := range c.Status.Allocation.Devices.Results {
		if ptr.Deref(r.AdminAccess, false) {
			return field.NewPath("status", "allocation", "devices", "results").Index(i).Child("adminAccess")
		}
	}
	return nil
}
