package objects

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The kinds of which an update must say the resourceVersion that it starts from; any other
// built-in kind may be overwritten blindly.
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

	// versionedLater are further kinds, in some of their versions.
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
	of := k.hub.GVK().GroupKind()
	b.NeedsVersion = slices.Contains(versionedGroups, of.Group) || slices.Contains(versionedKinds, of) ||
		slices.Contains(versionedLater, k.gvk) && k.types.options.Release.Has(kubeversion.MoreUpdatesVersioned)
	return b
}
