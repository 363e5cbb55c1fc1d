package rest

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// get answers a GET of one object, or of one of its subresources. Admission is not involved (W-039).
func (x *exchange) get() (int, runtime.Object, error) {
	if x.req.Subresource == "log" {
		return x.log()
	}
	if x.exports() {
		return 0, nil, badRequest("the export parameter, deprecated since v1.14, is no longer supported")
	}
	_, object, err := x.stored(x.req.Name)
	if err != nil {
		return 0, nil, err
	}
	through, err := x.viewOf(x.shown(object))
	if err != nil {
		return 0, nil, err
	}
	return http.StatusOK, through.shown, nil
}

// exports reports whether a GET asks for an object without what a cluster adds to it, which no server does any more:
// kubernetes/apiserver:pkg/endpoints/handlers/get.go.
func (x *exchange) exports() bool {
	if !x.req.Query.Has("export") || !x.server.release().Has(kubeversion.ExportRefused) {
		return false
	}
	asked := x.req.Query.Get("export")
	return asked != "0" && !strings.EqualFold(asked, "false")
}

// listAll answers a GET of a collection.
func (x *exchange) listAll() (int, runtime.Object, error) {
	selected, err := x.selection()
	if err != nil {
		return 0, nil, err
	}
	items, metadata, err := x.list(selected)
	if err != nil {
		return 0, nil, err
	}
	list, err := x.listObject(items, metadata)
	return http.StatusOK, list, err
}
