package whatif

import (
	"encoding/json"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

func verbOf(o admissionv1.Operation) string { return strings.ToLower(string(o)) }

// nameOf is the name of an object; one that the server completes ends in a star.
func nameOf(o runtime.Object) string {
	if o == nil {
		return ""
	}
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	if m.GetName() == "" && m.GetGenerateName() != "" {
		return m.GetGenerateName() + "*"
	}
	return m.GetName()
}

func nameIn(body []byte) string {
	var o metav1.PartialObjectMetadata
	if json.Unmarshal(body, &o) != nil {
		return ""
	}
	return nameOf(&o)
}
