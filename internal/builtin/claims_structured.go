package builtin

import (
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Parameters in a form that the scheduler understands were tried in 1.30 only:
// resource.k8s.io/v1alpha2.

// A ResourceSliceV1alpha2 is what a driver has on a node. It belongs to no namespace.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceV1alpha2 struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	NodeName          string          `json:"nodeName,omitempty"`
	DriverName        string          `json:"driverName"`
	NamedResources    *NamedInstances `json:"namedResources,omitempty"`
}

// A ResourceSliceListV1alpha2 is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceSliceListV1alpha2 struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceSliceV1alpha2 `json:"items"`
}

// A ResourceClaimParameters is what a claim asks for.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimParameters struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	GeneratedFrom     *ClaimParametersReference `json:"generatedFrom,omitempty"`
	Shareable         bool                      `json:"shareable,omitempty"`
	DriverRequests    []DriverRequests          `json:"driverRequests,omitempty"`
}

// A ResourceClaimParametersList is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClaimParametersList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClaimParameters `json:"items"`
}

// A ResourceClassParameters is what holds for all claims of a class.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassParameters struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	GeneratedFrom     *ClassParametersReference `json:"generatedFrom,omitempty"`
	VendorParameters  []VendorParameters        `json:"vendorParameters,omitempty"`
	Filters           []ResourceFilter          `json:"filters,omitempty"`
}

// A ResourceClassParametersList is several of them.
//
// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object
type ResourceClassParametersList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []ResourceClassParameters `json:"items"`
}

// DriverRequests are what is asked of one driver.
type DriverRequests struct {
	DriverName       string               `json:"driverName,omitempty"`
	VendorParameters runtime.RawExtension `json:"vendorParameters,omitempty"`
	Requests         []ResourceRequest    `json:"requests,omitempty"`
}

// A ResourceRequest is one thing asked for.
type ResourceRequest struct {
	VendorParameters runtime.RawExtension `json:"vendorParameters,omitempty"`
	NamedResources   *NamedSelector       `json:"namedResources,omitempty"`
}

// A ResourceFilter leaves out instances of a driver.
type ResourceFilter struct {
	DriverName     string         `json:"driverName,omitempty"`
	NamedResources *NamedSelector `json:"namedResources,omitempty"`
}

// VendorParameters are for one driver alone.
type VendorParameters struct {
	DriverName string               `json:"driverName,omitempty"`
	Parameters runtime.RawExtension `json:"parameters,omitempty"`
}

// A StructuredHandle is what was given, in the form that others know too.
type StructuredHandle struct {
	VendorClassParameters runtime.RawExtension `json:"vendorClassParameters,omitempty"`
	VendorClaimParameters runtime.RawExtension `json:"vendorClaimParameters,omitempty"`
	NodeName              string               `json:"nodeName,omitempty"`
	Results               []DriverAllocation   `json:"results"`
}

// A DriverAllocation is one instance that was given.
type DriverAllocation struct {
	VendorRequestParameters runtime.RawExtension `json:"vendorRequestParameters,omitempty"`
	NamedResources          *NamedAllocation     `json:"namedResources,omitempty"`
}

// NamedInstances are what there is.
type NamedInstances struct {
	Instances []NamedInstance `json:"instances"`
}

// A NamedInstance is one of them.
type NamedInstance struct {
	Name       string           `json:"name"`
	Attributes []NamedAttribute `json:"attributes,omitempty"`
}

// A NamedAttribute has one of the values.
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

// NamedInts are several numbers.
type NamedInts struct {
	Ints []int64 `json:"ints"`
}

// NamedStrings are several texts.
type NamedStrings struct {
	Strings []string `json:"strings"`
}

// A NamedSelector chooses instances by an expression.
type NamedSelector struct {
	Selector string `json:"selector"`
}

// A NamedAllocation is the name of the instance that was given.
type NamedAllocation struct {
	Name string `json:"name"`
}
