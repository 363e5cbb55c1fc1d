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
	metav1.ObjectMeta `json:"metadata,omitempty"`
	NodeName          string          `json:"nodeName,omitempty"`
	DriverName        string          `json:"driverName"`
	NamedResources    *NamedInstances `json:"namedResources,omitempty"`
}

// A ResourceSliceListV1alpha2 is a list of ResourceSliceV1alpha2 objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceSliceV1alpha2 `json:"items"`
}

// A ResourceClaimParameters says what a claim requests.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimParameters struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	GeneratedFrom     *ClaimParametersReference `json:"generatedFrom,omitempty"`
	Shareable         bool                      `json:"shareable,omitempty"`
	DriverRequests    []DriverRequests          `json:"driverRequests,omitempty"`
}

// A ResourceClaimParametersList is a list of ResourceClaimParameters objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimParametersList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimParameters `json:"items"`
}

// A ResourceClassParameters applies to all claims of a class.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassParameters struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	GeneratedFrom     *ClassParametersReference `json:"generatedFrom,omitempty"`
	VendorParameters  []VendorParameters        `json:"vendorParameters,omitempty"`
	Filters           []ResourceFilter          `json:"filters,omitempty"`
}

// A ResourceClassParametersList is a list of ResourceClassParameters objects.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassParametersList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClassParameters `json:"items"`
}

// DriverRequests are the requests to one driver.
type DriverRequests struct {
	DriverName       string               `json:"driverName,omitempty"`
	VendorParameters runtime.RawExtension `json:"vendorParameters,omitempty"`
	Requests         []ResourceRequest    `json:"requests,omitempty"`
}

// A ResourceRequest is a single request.
type ResourceRequest struct {
	VendorParameters runtime.RawExtension `json:"vendorParameters,omitempty"`
	NamedResources   *NamedSelector       `json:"namedResources,omitempty"`
}

// A ResourceFilter excludes instances of a driver.
type ResourceFilter struct {
	DriverName     string         `json:"driverName,omitempty"`
	NamedResources *NamedSelector `json:"namedResources,omitempty"`
}

// VendorParameters are parameters for one driver.
type VendorParameters struct {
	DriverName string               `json:"driverName,omitempty"`
	Parameters runtime.RawExtension `json:"parameters,omitempty"`
}

// A StructuredHandle says what was allocated, in the form that others understand, too.
type StructuredHandle struct {
	VendorClassParameters runtime.RawExtension `json:"vendorClassParameters,omitempty"`
	VendorClaimParameters runtime.RawExtension `json:"vendorClaimParameters,omitempty"`
	NodeName              string               `json:"nodeName,omitempty"`
	Results               []DriverAllocation   `json:"results"`
}

// A DriverAllocation is one allocated instance.
type DriverAllocation struct {
	VendorRequestParameters runtime.RawExtension `json:"vendorRequestParameters,omitempty"`
	NamedResources          *NamedAllocation     `json:"namedResources,omitempty"`
}

// NamedInstances are the available instances.
type NamedInstances struct {
	Instances []NamedInstance `json:"instances"`
}

// A NamedInstance is one instance with its attributes.
type NamedInstance struct {
	Name       string           `json:"name"`
	Attributes []NamedAttribute `json:"attributes,omitempty"`
}

// A NamedAttribute has exactly one of the values.
type NamedAttribute struct {
	Name             string             `json:"name"`
	QuantityValue    *resource.Quantity `json:"quantity,omitempty"`
	BoolValue        *bool              `json:"bool,omitempty"`
	IntValue         *int64             `json:"int,omitempty"`
	IntSliceValue    *NamedInts         `json:"intSlice,omitempty"`
	StringValue      *string            `json:"string,omitempty"`
	StringSliceValue *NamedStrings      `json:"stringSlice,omitempty"`
	VersionValue     *string            `json:"version,omitempty"`
}

// NamedInts is a list of integers.
type NamedInts struct {
	Ints []int64 `json:"ints"`
}

// NamedStrings is a list of strings.
type NamedStrings struct {
	Strings []string `json:"strings"`
}

// A NamedSelector selects instances by an expression.
type NamedSelector struct {
	Selector string `json:"selector"`
}

// A NamedAllocation is the name of the allocated instance.
type NamedAllocation struct {
	Name string `json:"name"`
}
