package rest

import (
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// resetMetadata removes the fields that only the server sets (W-022), and notes which of them the object had.
func (x *exchange) resetMetadata(m metav1.Object) {
	x.reset = nil
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"creationTimestamp", !m.GetCreationTimestamp().Time.IsZero()},
		{"deletionGracePeriodSeconds", m.GetDeletionGracePeriodSeconds() != nil},
		{"deletionTimestamp", m.GetDeletionTimestamp() != nil},
		{"selfLink", m.GetSelfLink() != ""},
		{"uid", m.GetUID() != ""},
	} {
		if f.set {
			x.reset = append(x.reset, "metadata."+f.name)
		}
	}
	m.SetCreationTimestamp(metav1.Time{})
	m.SetDeletionTimestamp(nil)
	m.SetDeletionGracePeriodSeconds(nil)
	m.SetUID("")
	m.SetSelfLink("")
}

// keepsSystemMetadata reports whether the body of the subresource names an object that exists.
func (x *exchange) keepsSystemMetadata() bool {
	switch x.pathOf() {
	case "pods/binding":
		return true
	case "serviceaccounts/token":
		return x.server.release().Has(kubeversion.TokensNameUIDs)
	}
	return false
}

// pathOf returns the resource and subresource as in a rule of a webhook: pods, pods/status.
func (x *exchange) pathOf() string {
	if x.req.Subresource == "" {
		return x.req.Resource.Resource
	}
	return x.req.Resource.Resource + "/" + x.req.Subresource
}

// expectedNamespace returns the namespace that an object of the request must have.
func (x *exchange) expectedNamespace() string {
	if isNamespace(x.req.Resource) {
		return ""
	}
	return x.req.Namespace
}

// matchScope repeats matchNamespace after mutation, for the scope of the resource: a webhook may have changed the
// namespace (W-215). Up to 1.23, the server also checks the namespace that it has just set, which metadata that is no
// object does not hold: kubernetes/apiserver@v0.22.17:pkg/registry/rest/meta.go, ValidNamespace.
func (x *exchange) matchScope(m metav1.Object) error {
	want := ""
	if x.resource.Namespaced {
		want = x.req.Namespace
	}
	if err := matchNamespace(m, want); err != nil {
		return err
	}
	if !x.server.release().Has(kubeversion.ObjectNamespaces) && m.GetNamespace() != want {
		return otherNamespace()
	}
	return nil
}

// matchNamespace sets or clears the namespace of an object, or refuses the object.
func matchNamespace(m metav1.Object, want string) error {
	switch {
	case m.GetNamespace() == want:
	case m.GetNamespace() == "" || want == "":
		m.SetNamespace(want)
	default:
		return otherNamespace()
	}
	return nil
}

func otherNamespace() error {
	return refuse(apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request"))
}

// matchURL refuses an object other than the one that the URL names, and gives an object without a namespace that of the
// URL. Up to 1.23, an object got its namespace only after mutation.
func (x *exchange) matchURL(m metav1.Object) error {
	namespaceFirst := x.server.release().Has(kubeversion.ObjectNamespaces)
	if namespaceFirst {
		if err := matchNamespace(m, x.expectedNamespace()); err != nil {
			return err
		}
	}
	inURL := x.req.Namespace
	if isNamespace(x.req.Resource) {
		inURL = x.req.Name
	}
	switch name, namespace := m.GetName(), m.GetNamespace(); {
	case name == "":
		return badRequest("the name of the object (%s based on URL) was undeterminable: name must be provided", x.req.Name)
	case name != x.req.Name:
		return badRequest("the name of the object (%s) does not match the name on the URL (%s)", name, x.req.Name)
	case !namespaceFirst && namespace != "" && inURL != "" && namespace != inURL:
		return badRequest("the namespace of the object (%s) does not match the namespace on the request (%s)", namespace, inURL)
	}
	return nil
}
