package document

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// A PolicyExplanation is about one policy with one of its bindings and one of its params.
type PolicyExplanation struct {
	Policy        string `json:"policy"`
	Binding       string `json:"binding,omitempty"` // empty if the policy alone decides
	Param         string `json:"param,omitempty"`   // as kind and name
	Source        string `json:"source,omitempty"`
	BindingSource string `json:"bindingSource,omitempty"`
	Index         int    `json:"index"` // of the policy among all policies

	Asked   string `json:"asked"` // yes, no, or depends on an object that is unknown
	Because string `json:"because"`

	AskedIf []string `json:"askedIf,omitempty"` // as calledIf of a webhook

	Resource *metav1.GroupVersionResource `json:"resource,omitempty"`
	Kind     *metav1.GroupVersionKind     `json:"kind,omitempty"`

	FailurePolicy     string   `json:"failurePolicy"`
	ValidationActions []string `json:"validationActions,omitempty"`
	Reinvocable       bool     `json:"reinvocable,omitempty"`
}
