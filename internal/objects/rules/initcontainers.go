package rules

import "slices"

// Annotations from the time when init containers were not fields. The internal version dropped them, and since 1.37
// they are dropped after the mutating phase: kubernetes/kubernetes:pkg/api/pod/util.go, DropInitContainerAnnotations.
var initContainerAnnotations = []string{
	"pod.alpha.kubernetes.io/init-containers", "pod.beta.kubernetes.io/init-containers",
	"pod.alpha.kubernetes.io/init-container-statuses", "pod.beta.kubernetes.io/init-container-statuses",
}

// HasInitContainerAnnotations reports whether the annotations of a pod or a template contain any of them.
func HasInitContainerAnnotations(annotations map[string]string) bool {
	return len(annotations) > 0 && slices.ContainsFunc(initContainerAnnotations, func(a string) bool { return Has(annotations, a) })
}

// DropInitContainerAnnotations removes them.
func DropInitContainerAnnotations(annotations map[string]string) {
	for _, a := range initContainerAnnotations {
		delete(annotations, a)
	}
}
