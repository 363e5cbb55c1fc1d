package kubeversion

// How the server validates objects of the core group and jobs. The files named are those of kubernetes/kubernetes; where
// none is named, it is pkg/apis/core/validation/validation.go.
var (
	// ClaimStatusNamePath: the error about the name of the ResourceClaim in a pod's status is about resourceClaimName,
	// not about name.
	ClaimStatusNamePath = Feature{since: 36}
	// NegativeGraceMended: a negative terminationGracePeriodSeconds of a pod becomes 1 when the pod is read
	// (pkg/apis/core/v1/conversion.go).
	NegativeGraceMended = Feature{since: 27}
	// NegativeGraceMutable: an update may set a negative terminationGracePeriodSeconds of a pod to 1.
	NegativeGraceMutable = Feature{since: 22}
	// PodFieldsListed: the error about other updates of a pod lists the fields that may change without "or".
	PodFieldsListed = Feature{since: 27}
	// ResizedFromNothing: the resize of a container without requests or limits may only set those of cpu and memory.
	// Before, it could set any.
	ResizedFromNothing = Feature{since: 35}
	// ResourceNamesTyped: errors show names of resources without quotes, as the server's type of such names prints them.
	ResourceNamesTyped = Feature{since: 29}
	// RestartAllContainers: a rule may restart all containers of a pod.
	RestartAllContainers = Feature{since: 35}
	// TolerationsCompare: tolerations may compare the value of a taint (KEP-5471).
	TolerationsCompare = Feature{since: 35}
	// CSISecretPaths: errors about the secrets of a CSI volume say which reference they are about.
	CSISecretPaths = Feature{since: 25}
	// CSISecretSubdomains: the names of the secrets of a CSI volume may contain dots.
	CSISecretSubdomains = Feature{since: 27}
	// DataSourceGroupsChecked: the group of the data source of a claim is checked.
	DataSourceGroupsChecked = Feature{since: 29}
	// DataSourceKindExplained: the error about the kind of a data source without a group says which kind it must have.
	DataSourceKindExplained = Feature{since: 26}
	// NodePublishRefSpelled: errors about nodePublishSecretRef of a CSI volume spell it correctly; before, it had a space
	// at its end.
	NodePublishRefSpelled = Feature{since: 24}
	// ReadWriteOncePod: volumes and claims may have this access mode (KEP-2485).
	ReadWriteOncePod = Feature{since: 29, gate: "ReadWriteOncePod"}
	// ReadWriteOncePodKnown: they may keep it while the gate is off.
	ReadWriteOncePodKnown = Feature{since: 22}
	// VolumeLabelsRenamed: an update may replace old names of labels in the node affinity of a volume.
	VolumeLabelsRenamed = Feature{since: 27}
	// VolumeResourcesApart: the resources of a claim have a type of their own, which messages show.
	VolumeResourcesApart = Feature{since: 29}
	// ExpansionsRecoverable: a claim whose status says that it is being expanded is treated as if the gate
	// RecoverVolumeExpansionFailure were on.
	ExpansionsRecoverable = Feature{since: 28}
	// ClassesSetLater: a claim without a class may get one in an update (KEP-3333).
	ClassesSetLater = Feature{since: 28, gate: "RetroactiveDefaultStorageClass"}
	// EventFieldsOfVersion: errors about the reporting controller of an event use its name in v1, which is
	// reportingComponent (pkg/apis/core/validation/events.go).
	EventFieldsOfVersion = Feature{since: 25}
	// ExternalIPsHavePolicies: services with externalIPs have an externalTrafficPolicy, whatever their type.
	ExternalIPsHavePolicies = Feature{since: 29}
	// FamiliesSuffice: two equal addresses of a pod, or ranges of a node, are only reported as two of one family.
	FamiliesSuffice = Feature{since: 33}
	// HostPortsInPodsOnly: in a pod template with hostNetwork, host ports are not set (pkg/apis/core/v1/defaults.go).
	HostPortsInPodsOnly = Feature{since: 28}
	// PodCIDRsExplained: the error about a range of a node shows this range, and not all, and says what a range is.
	PodCIDRsExplained = Feature{since: 30}
	// QuotaOperatorSpelled: the error about the operator of a quota's scope names Exists, not Exist.
	QuotaOperatorSpelled = Feature{since: 31}
	// SourceRangesApart: each source range of a load balancer is checked for itself.
	SourceRangesApart = Feature{since: 30}
	// TopologyModes: the annotation of a service about its topology has to agree with its predecessor.
	TopologyModes = Feature{since: 27}
	// WritableDisksKept: a disk of GCE that several pods use may stay writable.
	WritableDisksKept = Feature{since: 28}
	// WritableDisksShared: such a disk may be writable.
	WritableDisksShared = Feature{since: 31, gate: "SkipReadOnlyValidationGCE"}
	// ClusterNameDeprecated: metadata.clusterName has another name in Go, which messages show
	// (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	ClusterNameDeprecated = Feature{since: 24}
	// ManagersInMetadata: metadata has managedFields.
	ManagersInMetadata = Feature{since: 14}
	// NoClusterName: the field clusterName does not exist any more.
	NoClusterName = Feature{since: 25}
	// NoInitializers: metadata has no initializers (kubernetes/apimachinery:pkg/apis/meta/v1/types.go).
	NoInitializers = Feature{since: 16}
	// JobStatusesChecked: changes of the status of a job are checked thoroughly, since other controllers may make them
	// (KEP-4368; pkg/registry/batch/job/strategy.go).
	JobStatusesChecked = Feature{since: 35, gate: "JobManagedBy"}
	// JobSuccessPolicies: the conditions of a job have to agree with its success policy (KEP-3998).
	JobSuccessPolicies = Feature{since: 30}
	// ElasticJobs: the completions of an indexed job may change together with its parallelism (KEP-3715).
	ElasticJobs = Feature{since: 27, gate: "ElasticIndexedJob"}
	// JobSuccessExtended: a job without a success policy may meet its criteria, too, if pods are only replaced once they
	// failed, or if it did before (pkg/registry/batch/job/strategy.go).
	JobSuccessExtended = Feature{since: 31}
	// StaticPodsWithoutEphemeral: static pods may not have ephemeral containers.
	StaticPodsWithoutEphemeral = Feature{since: 27}
	// PodStatusPaths: errors about the conditions of a pod and the users of its containers have the right paths.
	PodStatusPaths = Feature{since: 33}
)
