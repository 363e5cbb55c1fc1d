package rules

import "slices"

// Annotations of times when init containers were not fields. The internal version dropped them, and since 1.37
// they go after the mutating phase: kubernetes/kubernetes:pkg/api/pod/util.go, DropInitContainerAnnotations.
var initContainerAnnotations = []string{
	"pod.alpha.kubernetes.io/init-containers", "pod.beta.kubernetes.io/init-containers",
	"pod.alpha.kubernetes.io/init-container-statuses", "pod.beta.kubernetes.io/init-container-statuses",
}

// HasInitContainerAnnotations reports whether any of them is among the annotations of a pod or a template.
func HasInitContainerAnnotations(annotations map[string]string) bool {
	return len(annotations) > 0 && slices.ContainsFunc(initContainerAnnotations, func(a string) bool { return Has(annotations, a) })
}

// DropInitContainerAnnotations takes them out.
func DropInitContainerAnnotations(annotations map[string]string) {
	for _, a := range initContainerAnnotations {
		delete(annotations, a)
	}
}
