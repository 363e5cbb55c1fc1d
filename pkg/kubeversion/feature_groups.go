package kubeversion

// How the server validates objects of API groups other than core and batch. The files named are those of
// kubernetes/kubernetes.
var (
	// CSICapacitiesCheckedOnce: a create checks a CSIStorageCapacity once (pkg/registry/storage/csistoragecapacity/strategy.go).
	CSICapacitiesCheckedOnce = Feature{since: 28}
	// ExemptLevelsShare: exempt priority levels have shares, which may be changed (KEP-1040).
	ExemptLevelsShare = Feature{since: 28}
	// PriorityValuePath: the error about a changed value of a PriorityClass names the field as it is written.
	PriorityValuePath = Feature{since: 25}
)
