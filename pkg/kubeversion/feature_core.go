package kubeversion

// How the server validates objects of the core group and jobs. The files named are those of kubernetes/kubernetes; where
// none is named, it is pkg/apis/core/validation/validation.go.
var (
	// ClaimStatusNamePath: the error about the name of the ResourceClaim in a pod's status is about resourceClaimName,
	// not about name.
	ClaimStatusNamePath = Feature{since: 37}
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
)
