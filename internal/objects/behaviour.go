package objects

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The kinds whose updates must specify the resourceVersion that they are based on. Any other built-in kind may be
// overwritten unconditionally.
var (
	versionedGroups = []string{
		"admissionregistration.k8s.io",
		"apiextensions.k8s.io",
		"apiregistration.k8s.io",
		"auditregistration.k8s.io",
		"coordination.k8s.io",
		"internal.apiserver.k8s.io",
		"lifecycle.k8s.io",
		"storagemigration.k8s.io",
	}
	versionedKinds = []schema.GroupKind{
		{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"},
		{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"},
		{Group: "node.k8s.io", Kind: "RuntimeClass"},
		{Group: "policy", Kind: "PodDisruptionBudget"},
		{Group: "resource.k8s.io", Kind: "ResourcePoolStatusRequest"},
		{Group: "scheduling.k8s.io", Kind: "CompositePodGroup"},
		{Group: "storage.k8s.io", Kind: "CSIDriver"},
		{Group: "storage.k8s.io", Kind: "CSINode"},
		{Group: "storage.k8s.io", Kind: "CSIStorageCapacity"},
		{Group: "storage.k8s.io", Kind: "VolumeAttachment"},
	}

	// versionedLater lists further kinds, which are only included in these versions and in later releases.
	versionedLater = []schema.GroupVersionKind{
		{Group: "resource.k8s.io", Version: "v1", Kind: "DeviceTaintRule"},
		{Group: "scheduling.k8s.io", Version: "v1alpha3", Kind: "PodGroup"},
		{Group: "scheduling.k8s.io", Version: "v1alpha3", Kind: "Workload"},
		{Group: "scheduling.k8s.io", Version: "v1beta1", Kind: "PodGroup"},
		{Group: "scheduling.k8s.io", Version: "v1beta1", Kind: "Workload"},
	}
)

func (k *typed) Behaviour() rules.Behaviour {
	b := k.hub.How()
	kind := k.hub.GVK().GroupKind()
	b.NeedsVersion = slices.Contains(versionedGroups, kind.Group) || slices.Contains(versionedKinds, kind) ||
		slices.Contains(versionedLater, k.gvk) && k.types.options.Release.Has(kubeversion.MoreUpdatesVersioned)
	b.VersionChecked = k.gvk == serviceKind && !k.types.options.Release.Has(kubeversion.ServicesAllocatedFirst)
	return b
}
