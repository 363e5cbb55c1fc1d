package builtin

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// An APIService says who serves a group and version: the server itself, or a service behind it. Its versions v1beta1
// and v1 are the same.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type APIService struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              APIServiceSpec   `json:"spec,omitempty"`
	Status            APIServiceStatus `json:"status,omitempty"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (APIService) OpenAPIModelName() string {
	return "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService"
}

// An APIServiceList is a list of APIServices.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type APIServiceList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []APIService `json:"items"`
}

// An APIServiceSpec says what is served, and by which service. Without a service, the server itself serves it.
type APIServiceSpec struct {
	Service               *ServiceReference `json:"service,omitempty"`
	Group                 string            `json:"group,omitempty"`
	Version               string            `json:"version,omitempty"`
	InsecureSkipTLSVerify bool              `json:"insecureSkipTLSVerify,omitempty"`
	CABundle              []byte            `json:"caBundle,omitempty"`
	GroupPriorityMinimum  int32             `json:"groupPriorityMinimum"`
	VersionPriority       int32             `json:"versionPriority"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (APIServiceSpec) OpenAPIModelName() string {
	return "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec"
}

// A ServiceReference is the service behind an APIService.
type ServiceReference struct {
	Namespace string `json:"namespace,omitempty"`
	Name      string `json:"name,omitempty"`
	Port      *int32 `json:"port,omitempty"`
}

// An APIServiceStatus says whether the service can be reached.
type APIServiceStatus struct {
	Conditions []APIServiceCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type"`
}

// An APIServiceCondition is one condition of an APIService.
type APIServiceCondition struct {
	Type               string                 `json:"type"`
	Status             metav1.ConditionStatus `json:"status"`
	LastTransitionTime metav1.Time            `json:"lastTransitionTime,omitempty"`
	Reason             string                 `json:"reason,omitempty"`
	Message            string                 `json:"message,omitempty"`
}
