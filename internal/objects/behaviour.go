package objects

import (
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
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
		"storagemigration.k8s.io",
	}
	versionedKinds = []schema.GroupKind{
		{Group: "certificates.k8s.io", Kind: "ClusterTrustBundle"},
		{Group: "certificates.k8s.io", Kind: "PodCertificateRequest"},
		{Group: "node.k8s.io", Kind: "RuntimeClass"},
		{Group: "policy", Kind: "PodDisruptionBudget"},
		{Group: "resource.k8s.io", Kind: "ResourcePoolStatusRequest"},
		{Group: "scheduling.k8s.io", Kind: "CompositePodGroup"},
		{Group: "scheduling.k8s.io", Kind: "PodGroup"},
		{Group: "scheduling.k8s.io", Kind: "Workload"},
		{Group: "storage.k8s.io", Kind: "CSIDriver"},
		{Group: "storage.k8s.io", Kind: "CSINode"},
		{Group: "storage.k8s.io", Kind: "CSIStorageCapacity"},
		{Group: "storage.k8s.io", Kind: "VolumeAttachment"},
	}
)

func (k *typed) Behaviour() rules.Behaviour {
	b := k.hub.How()
	of := k.hub.GVK().GroupKind()
	b.NeedsVersion = slices.Contains(versionedGroups, of.Group) || slices.Contains(versionedKinds, of)
	return b
}
