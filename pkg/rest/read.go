package rest

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/rest/selectors"
)

// get answers a GET of one object, or of one of its subresources. Admission is not involved (W-039).
func (x *exchange) get() (int, runtime.Object, error) {
	if x.req.Subresource == "log" {
		return x.log()
	}
	if x.asks("export") {
		object, err := x.exported()
		return http.StatusOK, object, err
	}
	if x.probes() {
		object, err := x.component(x.req.Name)
		return http.StatusOK, object, err
	}
	if err := x.checkVersion(); err != nil {
		return 0, nil, err
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

// checkVersion refuses a get of a version that cannot be read, or that does not exist yet. Only a watch cache waits for it
// (kubernetes/apiserver:pkg/storage/cacher/cacher.go).
func (x *exchange) checkVersion() error {
	if err := selectors.CheckGet(x.req.Query.Get("resourceVersion"), x.resource, x.state.Writes(), x.server.release()); err != nil {
		return refuse(err)
	}
	return nil
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
