// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/converter.go

package custom

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Convert returns obj in another version. It neither drops nor defaults anything: between
// webhooks the server does not either, so that what is defaulted in one version stays when
// the object goes back to the other (W-114). A kind that a patch has changed stays changed,
// for validation to refuse.
func (k *Kind) Convert(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error) {
	return k.inVersion(obj.(*unstructured.Unstructured), to.GroupVersion())
}

// inVersion returns u in version gv, which is u itself where it is in it already. The
// errors are the server's: kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/converter.go.
func (k *Kind) inVersion(u *unstructured.Unstructured, gv schema.GroupVersion) (*unstructured.Unstructured, error) {
	from := u.GroupVersionKind()
	if from.GroupVersion() == gv {
		return u, nil
	}
	if from.Group != gv.Group {
		return nil, fmt.Errorf("%v is unstructured and is not suitable for converting to %q", from, gv)
	}
	if k.versions[gv.Version] == nil {
		return nil, fmt.Errorf("request to convert CR to an invalid group/version: %s", gv)
	}
	if k.versions[from.Version] == nil {
		return nil, fmt.Errorf("request to convert CR from an invalid group/version: %s", from.GroupVersion())
	}
	c := k.crd.Spec.Conversion
	if c == nil || c.Strategy == apiextensionsv1.NoneConverter || emptyCustom(u) {
		out := u.DeepCopy()
		out.SetAPIVersion(gv.String())
		return out, nil
	}
	return k.callConverter(u, gv)
}

// emptyCustom reports whether u says nothing but its kind; such an object is not worth a call.
func emptyCustom(u *unstructured.Unstructured) bool {
	_, hasKind := u.Object["kind"]
	_, hasAPIVersion := u.Object["apiVersion"]
	return len(u.Object) == 2 && hasKind && hasAPIVersion
}
