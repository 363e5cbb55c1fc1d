package rest

import (
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// exported returns an object without what its cluster has added, for a GET with export=true (PL-35).
func (x *exchange) exported() (runtime.Object, error) {
	if x.server.release().Has(kubeversion.ExportRefused) {
		return nil, badRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	if resource := x.req.Resource; x.req.Subresource != "" || resource.Group == rbacv1.GroupName || resource.Resource == "componentstatuses" {
		return nil, badRequest("export of %q is not supported", resource.Resource)
	}
	_, object, err := x.stored(x.req.Name)
	if err != nil {
		return nil, err
	}
	object = cluster.ShallowCopy(x.shown(object))
	m, err := meta.Accessor(object)
	if err != nil {
		return nil, err
	}
	exact := x.asks("exact")
	m.SetUID("")
	m.SetCreationTimestamp(metav1.Time{})
	m.SetDeletionTimestamp(nil)
	m.SetResourceVersion("")
	if !exact {
		m.SetNamespace("")
		if m.GetGenerateName() != "" {
			m.SetName("")
		}
	}
	object, errs := x.server.Types.Export(object, exact, x.write())
	if len(errs) > 0 {
		return nil, x.refuseInvalid(x.kindInErrors(object), m.GetName(), errs)
	}
	return object, nil
}

// asks reports whether a parameter of the query is true, as the server reads it. A parameter without a value is.
func (x *exchange) asks(parameter string) bool {
	value := x.req.Query.Get(parameter)
	return x.req.Query.Has(parameter) && value != "0" && !strings.EqualFold(value, "false")
}
