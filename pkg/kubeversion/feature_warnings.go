package kubeversion

// About which objects servers came to warn, and in which words (WA-01 to WA-04). The files named are those of
// kubernetes/kubernetes. Warnings of later releases are with the rules of the objects.
var (
	// ClaimWarnings: claims, also those of ephemeral volumes and StatefulSets, are checked for fractions of bytes
	// (pkg/api/persistentvolumeclaim/util.go).
	ClaimWarnings = Feature{since: 26}
	// CompletionWarnings: many completions of an indexed Job cause a warning (pkg/api/job/warnings.go).
	CompletionWarnings = Feature{since: 28}
	// FinalizerWarnings: finalizers of custom resources without a domain cause warnings
	// (kubernetes/apiextensions-apiserver:pkg/registry/customresource/validator.go).
	FinalizerWarnings = Feature{since: 29}
	// HiddenVariableReason: the warning about a variable that hides an earlier one says why that is bad.
	HiddenVariableReason = Feature{since: 30}
	// HiddenVariableWarnings: a variable that uses the earlier one with its name causes no warning.
	HiddenVariableWarnings = Feature{since: 28}
	// IgnoredExternalWarnings: fields that a Service of another type ignores cause warnings
	// (pkg/api/service/warnings.go).
	IgnoredExternalWarnings = Feature{since: 28}
	// KindWarnings: kinds have warnings of their own, most of them about pods and their templates. Before, only
	// versions and webhooks did.
	KindWarnings = Feature{since: 22}
	// KubeletConfigGone: the warning about the configSource of a node says that it has no effect any more
	// (pkg/registry/core/node/strategy.go).
	KubeletConfigGone = Feature{since: 26}
	// MoreKindWarnings: EndpointSlices, Ingresses, Services and TLS secrets are checked for warnings, and nodes for an
	// externalID (the files strategy.go of pkg/registry).
	MoreKindWarnings = Feature{since: 27}
	// MoreOldNodeLabels: more labels of nodes are deprecated (pkg/api/node/util.go).
	MoreOldNodeLabels = Feature{since: 31}
	// MountableSecretsWarnings: the annotation about mountable secrets of a ServiceAccount is deprecated.
	MountableSecretsWarnings = Feature{since: 32}
	// MountOptionsWarnings: the annotation with mount options of a volume is deprecated.
	MountOptionsWarnings = Feature{since: 31}
	// NoVolumeNameWarnings: duplicate names of volumes cause no warnings. Where pods are checked, they are errors.
	NoVolumeNameWarnings = Feature{since: 28}
	// NullSelectorWarnings: selectors of affinities and spread constraints that match nothing cause warnings.
	NullSelectorWarnings = Feature{since: 28}
	// OldStorageWarnings: the annotation with the storage class of claims and volumes, and volumes of old types, cause
	// warnings (pkg/api/persistentvolume/util.go).
	OldStorageWarnings = Feature{since: 28}
	// RecycleWarnings: the reclaim policy Recycle is deprecated.
	RecycleWarnings = Feature{since: 30}
	// SeccompAnnotationsIgnored: seccomp annotations of pods are no longer copied into fields (KEP-135).
	SeccompAnnotationsIgnored = Feature{since: 27}
	// SeccompAnnotationsLimited: the warning about such an annotation names the release that ignores it, which in the end
	// was a later one.
	SeccompAnnotationsLimited = Feature{since: 23}
	// SeccompAnnotationsOneWay: seccomp fields of pods are no longer copied into annotations.
	SeccompAnnotationsOneWay = Feature{since: 25}
	// VolumesGone: the warnings about types of volumes that do nothing any more say so.
	VolumesGone = Feature{since: 27}
)
