package change

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// resetFields returns the fields that this kind of write does not change, so that an apply does not own them: the
// GetResetFields of the strategies in kubernetes/kubernetes:pkg/registry.
func (o Owners) resetFields() [][]string {
	resource := o.Resource.Kind.GroupVersion().WithResource(o.Requested.Resource).GroupResource()
	_, hasStatus := o.Resource.Subresources["status"]
	switch o.Subresource {
	case "":
		return resetByMain(resource, hasStatus, o.Release)
	case "status":
		return resetByStatus(resource, o.Resource.CRD != nil, o.Release)
	case "approval":
		return [][]string{{"spec"}, {"status", "certificate"}}
	case "finalize":
		return [][]string{{"status"}}
	}
	return nil
}

var (
	certificateRequests = schema.GroupResource{Group: "certificates.k8s.io", Resource: "certificatesigningrequests"}
	serviceCIDRs        = schema.GroupResource{Group: "networking.k8s.io", Resource: "servicecidrs"}
)

// resetByMain returns the fields that a write of the object itself resets.
func resetByMain(resource schema.GroupResource, hasStatus bool, release *kubeversion.Release) [][]string {
	switch {
	case resource == certificateRequests:
		return [][]string{{"spec"}, {"status"}}
	case !hasStatus, resource == serviceCIDRs && !release.Enabled("ServiceCIDRStatusFieldWiping"):
		return nil
	}
	return [][]string{{"status"}}
}

// resetByStatus returns the fields that a write of the status resets.
func resetByStatus(resource schema.GroupResource, custom bool, release *kubeversion.Release) [][]string {
	switch resource {
	case schema.GroupResource{Resource: "pods"}:
		return [][]string{{"spec"}, {"metadata", "deletionTimestamp"}, {"metadata", "ownerReferences"}}
	case schema.GroupResource{Group: "apps", Resource: "deployments"}, schema.GroupResource{Group: "extensions", Resource: "deployments"}:
		return [][]string{{"spec"}, {"metadata", "labels"}}
	case certificateRequests:
		return [][]string{{"spec"}, {"status", "conditions"}}
	case serviceCIDRs:
		if !release.Has(kubeversion.ServiceCIDRResets) {
			return nil
		}
	}
	since, listed := metadataReset[resource]
	if custom {
		since, listed = kubeversion.CustomStatusMetadata, true
	}
	if listed && release.Has(since) {
		return [][]string{{"spec"}, {"metadata"}}
	}
	if resource == definitions && !release.Has(kubeversion.DefinitionStatusMetadata) {
		return [][]string{{"spec"}, {"metadata"}}
	}
	return [][]string{{"spec"}}
}

var definitions = schema.GroupResource{Group: "apiextensions.k8s.io", Resource: "customresourcedefinitions"}

// metadataReset lists the resources whose status does not change the metadata, with the feature that a release needs
// for that.
var metadataReset = map[schema.GroupResource]kubeversion.Feature{
	{Group: "admissionregistration.k8s.io", Resource: "validatingadmissionpolicies"}: kubeversion.ServerSideApply,
	{Group: "apiregistration.k8s.io", Resource: "apiservices"}:                       kubeversion.ServerSideApply,
	{Group: "certificates.k8s.io", Resource: "podcertificaterequests"}:               kubeversion.RequestStatusMetadata,
	{Group: "flowcontrol.apiserver.k8s.io", Resource: "flowschemas"}:                 kubeversion.ServerSideApply,
	{Group: "flowcontrol.apiserver.k8s.io", Resource: "prioritylevelconfigurations"}: kubeversion.ServerSideApply,
	{Group: "internal.apiserver.k8s.io", Resource: "storageversions"}:                kubeversion.ServerSideApply,
	{Group: "lifecycle.k8s.io", Resource: "evictionrequests"}:                        kubeversion.ServerSideApply,
	{Group: "lifecycle.k8s.io", Resource: "evictions"}:                               kubeversion.ServerSideApply,
	serviceCIDRs: kubeversion.ServiceCIDRResets,
	{Group: "resource.k8s.io", Resource: "devicetaintrules"}:                 kubeversion.ServerSideApply,
	{Group: "resource.k8s.io", Resource: "resourceclaims"}:                   kubeversion.ClaimStatusMetadata,
	{Group: "resource.k8s.io", Resource: "resourcepoolstatusrequests"}:       kubeversion.ServerSideApply,
	{Group: "scheduling.k8s.io", Resource: "compositepodgroups"}:             kubeversion.ServerSideApply,
	{Group: "scheduling.k8s.io", Resource: "podgroups"}:                      kubeversion.ServerSideApply,
	{Group: "storage.k8s.io", Resource: "csinodes"}:                          kubeversion.ServerSideApply,
	{Group: "storage.k8s.io", Resource: "volumeattachments"}:                 kubeversion.ServerSideApply,
	{Group: "storagemigration.k8s.io", Resource: "storageversionmigrations"}: kubeversion.ServerSideApply,
}
