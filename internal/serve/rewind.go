package serve

import (
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
)

// rewind answers POST /rewind, which restores all objects to their state at a resourceVersion.
func (x *exchange) rewind() {
	if x.r.Method != http.MethodPost {
		x.status(admission.StatusOf(apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "rewind"}, x.verb)))
		return
	}
	then, err := x.store.AsOf(x.r.URL.Query().Get("resourceVersion"))
	if err != nil {
		x.status(admission.StatusOf(err))
		return
	}
	written, err := x.store.Rewind(then.State().Writes())
	if err != nil {
		x.unknown(err)
		return
	}
	revision := x.store.Latest().State().Writes()
	if x.options.Settled != nil {
		x.options.Settled(x.r.Context(), revision)
	}
	x.json(map[string]any{"resourceVersion": strconv.FormatInt(revision, 10), "written": written})
}
