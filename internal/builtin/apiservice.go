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
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Spec              APIServiceSpec   `json:"spec,omitempty" protobuf:"bytes,2,opt,name=spec"`
	Status            APIServiceStatus `json:"status,omitempty" protobuf:"bytes,3,opt,name=status"`
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
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []APIService `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// An APIServiceSpec says what is served, and by which service. Without a service, the server itself serves it.
type APIServiceSpec struct {
	Service               *ServiceReference `json:"service,omitempty" protobuf:"bytes,1,opt,name=service"`
	Group                 string            `json:"group,omitempty" protobuf:"bytes,2,opt,name=group"`
	Version               string            `json:"version,omitempty" protobuf:"bytes,3,opt,name=version"`
	InsecureSkipTLSVerify bool              `json:"insecureSkipTLSVerify,omitempty" protobuf:"varint,4,opt,name=insecureSkipTLSVerify"`
	CABundle              []byte            `json:"caBundle,omitempty" protobuf:"bytes,5,opt,name=caBundle"`
	GroupPriorityMinimum  int32             `json:"groupPriorityMinimum" protobuf:"varint,7,opt,name=groupPriorityMinimum"`
	VersionPriority       int32             `json:"versionPriority" protobuf:"varint,8,opt,name=versionPriority"`
}

// OpenAPIModelName returns the name of the type in the server's OpenAPI.
func (APIServiceSpec) OpenAPIModelName() string {
	return "io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIServiceSpec"
}

// A ServiceReference is the service behind an APIService.
type ServiceReference struct {
	Namespace string `json:"namespace,omitempty" protobuf:"bytes,1,opt,name=namespace"`
	Name      string `json:"name,omitempty" protobuf:"bytes,2,opt,name=name"`
	Port      *int32 `json:"port,omitempty" protobuf:"varint,3,opt,name=port"`
}

// An APIServiceStatus says whether the service can be reached.
type APIServiceStatus struct {
	Conditions []APIServiceCondition `json:"conditions,omitempty" patchStrategy:"merge" patchMergeKey:"type" protobuf:"bytes,1,rep,name=conditions"`
}

// An APIServiceCondition is one condition of an APIService.
type APIServiceCondition struct {
	Type               string                 `json:"type" protobuf:"bytes,1,opt,name=type"`
	Status             metav1.ConditionStatus `json:"status" protobuf:"bytes,2,opt,name=status"`
	LastTransitionTime metav1.Time            `json:"lastTransitionTime,omitempty" protobuf:"bytes,3,opt,name=lastTransitionTime"`
	Reason             string                 `json:"reason,omitempty" protobuf:"bytes,4,opt,name=reason"`
	Message            string                 `json:"message,omitempty" protobuf:"bytes,5,opt,name=message"`
}
