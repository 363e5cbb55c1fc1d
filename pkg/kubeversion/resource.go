package kubeversion

import "k8s.io/apimachinery/pkg/runtime/schema"

// A Resource is one resource of the API as one version of its group serves it.
type Resource struct {
	Group, Version, Resource string
	Kind, Singular           string
	ShortNames               []string
	Namespaced               bool
	Verbs                    []string
	Subresources             map[string]Subresource // by name

	// Storage is the kind that the server keeps for all versions of this resource.
	Storage schema.GroupVersionKind
	// StoragePrefix is where in etcd it keeps them. Resources with the same one are
	// equivalent, whatever their group (W-107).
	StoragePrefix string

	off   bool   // not served unless --runtime-config asks for it
	alone bool   // and that by the resource's own name
	gate  string // not served without this feature gate
}

// A Subresource is a further path under every object of a resource. Its verbs are those of
// discovery, and connect alone for those that open a connection.
type Subresource struct {
	Name  string
	Kind  schema.GroupVersionKind // of the request body, or of the options of connect (W-326)
	Verbs []string

	gate string // not served without this feature gate
}

// GroupVersion returns what the resource is served under.
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

// IsReview tells of the resources that say who somebody is, or what somebody may do, and that nobody
// may get in the way of: kubernetes/kubernetes:pkg/kubeapiserver/admission/exclusion/resources.go.
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
