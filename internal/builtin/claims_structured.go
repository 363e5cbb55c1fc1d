package builtin

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Parameters in a form that the scheduler understands were only tried in 1.30: resource.k8s.io/v1alpha2.

// A ResourceSliceV1alpha2 lists the resources of a driver on a node. It is not namespaced.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	NodeName          string `json:"nodeName,omitempty" protobuf:"bytes,2,opt,name=nodeName"`
	DriverName        string `json:"driverName" protobuf:"bytes,3,name=driverName"`
	ResourceModel     `json:",inline" protobuf:"bytes,4,name=resourceModel"`
}

// A ResourceSliceListV1alpha2 is a list of ResourceSliceV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceSliceV1alpha2 `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ResourceClaimParameters says what a claim requests.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimParameters struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	GeneratedFrom     *ClaimParametersReference `json:"generatedFrom,omitempty" protobuf:"bytes,2,opt,name=generatedFrom"`
	Shareable         bool                      `json:"shareable,omitempty" protobuf:"bytes,3,opt,name=shareable"`
	DriverRequests    []DriverRequests          `json:"driverRequests,omitempty" protobuf:"bytes,4,opt,name=driverRequests"`
}

// A ResourceClaimParametersList is a list of ResourceClaimParameters objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimParametersList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClaimParameters `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// A ResourceClassParameters applies to all claims of a class.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassParameters struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	GeneratedFrom     *ClassParametersReference `json:"generatedFrom,omitempty" protobuf:"bytes,2,opt,name=generatedFrom"`
	VendorParameters  []VendorParameters        `json:"vendorParameters,omitempty" protobuf:"bytes,3,opt,name=vendorParameters"`
	Filters           []ResourceFilter          `json:"filters,omitempty" protobuf:"bytes,4,opt,name=filters"`
}

// A ResourceClassParametersList is a list of ResourceClassParameters objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassParametersList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`
	Items           []ResourceClassParameters `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// DriverRequests are the requests to one driver.
type DriverRequests struct {
	DriverName       string               `json:"driverName,omitempty" protobuf:"bytes,1,opt,name=driverName"`
	VendorParameters runtime.RawExtension `json:"vendorParameters,omitempty" protobuf:"bytes,2,opt,name=vendorParameters"`
	Requests         []ResourceRequest    `json:"requests,omitempty" protobuf:"bytes,3,opt,name=requests"`
}

// A ResourceRequest is a single request.
type ResourceRequest struct {
	VendorParameters     runtime.RawExtension `json:"vendorParameters,omitempty" protobuf:"bytes,1,opt,name=vendorParameters"`
	ResourceRequestModel `json:",inline" protobuf:"bytes,2,name=resourceRequestModel"`
}

// A ResourceFilter excludes instances of a driver.
type ResourceFilter struct {
	DriverName          string `json:"driverName,omitempty" protobuf:"bytes,1,opt,name=driverName"`
	ResourceFilterModel `json:",inline" protobuf:"bytes,2,name=resourceFilterModel"`
}

// VendorParameters are parameters for one driver.
type VendorParameters struct {
	DriverName string               `json:"driverName,omitempty" protobuf:"bytes,1,opt,name=driverName"`
	Parameters runtime.RawExtension `json:"parameters,omitempty" protobuf:"bytes,2,opt,name=parameters"`
}

// A StructuredHandle says what was allocated, in the form that others understand, too.
type StructuredHandle struct {
	VendorClassParameters runtime.RawExtension `json:"vendorClassParameters,omitempty" protobuf:"bytes,1,opt,name=vendorClassParameters"`
	VendorClaimParameters runtime.RawExtension `json:"vendorClaimParameters,omitempty" protobuf:"bytes,2,opt,name=vendorClaimParameters"`
	NodeName              string               `json:"nodeName,omitempty" protobuf:"bytes,4,name=nodeName"`
	Results               []DriverAllocation   `json:"results" protobuf:"bytes,5,name=results"`
}

// A DriverAllocation is one allocated instance.
type DriverAllocation struct {
	VendorRequestParameters runtime.RawExtension `json:"vendorRequestParameters,omitempty" protobuf:"bytes,1,opt,name=vendorRequestParameters"`
	AllocationResultModel   `json:",inline" protobuf:"bytes,2,name=allocationResultModel"`
}

// NamedInstances are the available instances.
type NamedInstances struct {
	Instances []NamedInstance `json:"instances" protobuf:"bytes,1,name=instances"`
}

// A NamedInstance is one instance with its attributes.
type NamedInstance struct {
	Name       string           `json:"name" protobuf:"bytes,1,name=name"`
	Attributes []NamedAttribute `json:"attributes,omitempty" protobuf:"bytes,2,opt,name=attributes"`
}

// A NamedAttribute has exactly one of the values.
type NamedAttribute struct {
	Name                         string `json:"name" protobuf:"bytes,1,name=name"`
	NamedResourcesAttributeValue `json:",inline" protobuf:"bytes,2,opt,name=attributeValue"`
}

// A NamedResourcesAttributeValue is the value of an attribute.
type NamedResourcesAttributeValue struct {
	QuantityValue    *resource.Quantity `json:"quantity,omitempty" protobuf:"bytes,6,opt,name=quantity"`
	BoolValue        *bool              `json:"bool,omitempty" protobuf:"bytes,2,opt,name=bool"`
	IntValue         *int64             `json:"int,omitempty" protobuf:"varint,7,opt,name=int"`
	IntSliceValue    *NamedInts         `json:"intSlice,omitempty" protobuf:"varint,8,rep,name=intSlice"`
	StringValue      *string            `json:"string,omitempty" protobuf:"bytes,5,opt,name=string"`
	StringSliceValue *NamedStrings      `json:"stringSlice,omitempty" protobuf:"bytes,9,rep,name=stringSlice"`
	VersionValue     *string            `json:"version,omitempty" protobuf:"bytes,10,opt,name=version"`
}

// NamedInts is a list of integers.
type NamedInts struct {
	Ints []int64 `json:"ints" protobuf:"bytes,1,opt,name=ints"`
}

// NamedStrings is a list of strings.
type NamedStrings struct {
	Strings []string `json:"strings" protobuf:"bytes,1,opt,name=strings"`
}

// A NamedSelector selects instances by an expression.
type NamedSelector struct {
	Selector string `json:"selector" protobuf:"bytes,1,name=selector"`
}

// A NamedAllocation is the name of the allocated instance.
type NamedAllocation struct {
	Name string `json:"name" protobuf:"bytes,1,name=name"`
}

// The models of resources: there is only one. Each is a message of its own in protocol buffers.
type (
	// A ResourceModel lists the instances of a driver.
	ResourceModel struct {
		NamedResources *NamedInstances `json:"namedResources,omitempty" protobuf:"bytes,1,opt,name=namedResources"`
	}
	// A ResourceRequestModel asks for an instance.
	ResourceRequestModel struct {
		NamedResources *NamedSelector `json:"namedResources,omitempty" protobuf:"bytes,1,opt,name=namedResources"`
	}
	// A ResourceFilterModel selects instances.
	ResourceFilterModel struct {
		NamedResources *NamedSelector `json:"namedResources,omitempty" protobuf:"bytes,1,opt,name=namedResources"`
	}
	// An AllocationResultModel names the allocated instance.
	AllocationResultModel struct {
		NamedResources *NamedAllocation `json:"namedResources,omitempty" protobuf:"bytes,1,opt,name=namedResources"`
	}
)
