// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/converter.go

package custom

import (
	"fmt"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Convert returns obj in another version. It neither drops nor defaults anything. The server does not do so between
// webhooks either, so that defaults of one version remain when the object is converted back to the other (W-114). If a
// patch has changed the kind, Convert leaves this to validation.
func (k *Kind) Convert(obj runtime.Object, to schema.GroupVersionKind) (runtime.Object, error) {
	return k.inVersion(obj.(*unstructured.Unstructured), to.GroupVersion())
}

// inVersion returns u in version gv, which may be u itself. The errors are the server's:
// kubernetes/apiextensions-apiserver:pkg/apiserver/conversion/converter.go.
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
	if !k.asksWebhook() || emptyCustom(u) {
		out := u.DeepCopy()
		out.SetAPIVersion(gv.String())
		return out, nil
	}
	return k.callConverter(u, gv)
}

// asksWebhook reports whether a webhook converts the objects.
func (k *Kind) asksWebhook() bool {
	c := k.crd.Spec.Conversion
	return c != nil && c.Strategy != apiextensionsv1.NoneConverter
}

// emptyCustom reports whether u contains nothing but its kind. The webhook is not called for such an object.
func emptyCustom(u *unstructured.Unstructured) bool {
	_, hasKind := u.Object["kind"]
	_, hasAPIVersion := u.Object["apiVersion"]
	return len(u.Object) == 2 && hasKind && hasAPIVersion
}
