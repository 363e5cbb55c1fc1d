package kubeversion

import "k8s.io/apimachinery/pkg/runtime/schema"

// A Resource is one resource of the API, in one version of its group.
type Resource struct {
	Group, Version, Resource string
	Kind, Singular           string
	ShortNames               []string
	Namespaced               bool
	Verbs                    []string
	Subresources             map[string]Subresource // by name

	// Storage is the kind in which the server stores all versions of this resource.
	Storage schema.GroupVersionKind
	// StoragePrefix is the prefix in etcd under which it stores them. Resources with the same prefix are equivalent,
	// even in different groups (W-107).
	StoragePrefix string

	off        bool   // not served unless switched on by --runtime-config
	byNameOnly bool   // only by the name of the resource itself
	gate       string // not served without this feature gate
}

// A Subresource is a path below every object of a resource. Its verbs are those in discovery, or only connect if it
// opens a connection.
type Subresource struct {
	Name  string
	Kind  schema.GroupVersionKind // of the request body, or of the options of connect (W-326)
	Verbs []string

	gate string // not served without this feature gate
}

// GroupVersion returns the group and version that serve the resource.
func (r Resource) GroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: r.Group, Version: r.Version}
}

// GroupVersionResource returns the resource's name in requests and rules.
func (r Resource) GroupVersionResource() schema.GroupVersionResource {
	return r.GroupVersion().WithResource(r.Resource)
}

// GroupVersionKind returns the kind of the resource's objects.
func (r Resource) GroupVersionKind() schema.GroupVersionKind {
	return r.GroupVersion().WithKind(r.Kind)
}

// IsReview reports whether a resource is a review of who a user is, or of what a user may do. Nothing may interfere
// with reviews: kubernetes/kubernetes:pkg/kubeapiserver/admission/exclusion/resources.go.
func IsReview(r schema.GroupResource) bool {
	switch r {
	case schema.GroupResource{Group: "authentication.k8s.io", Resource: "selfsubjectreviews"},
		schema.GroupResource{Group: "authentication.k8s.io", Resource: "tokenreviews"},
		schema.GroupResource{Group: "authorization.k8s.io", Resource: "localsubjectaccessreviews"},
		schema.GroupResource{Group: "authorization.k8s.io", Resource: "selfsubjectaccessreviews"},
		schema.GroupResource{Group: "authorization.k8s.io", Resource: "selfsubjectrulesreviews"},
		schema.GroupResource{Group: "authorization.k8s.io", Resource: "subjectaccessreviews"}:
		return true
	}
	return false
}
