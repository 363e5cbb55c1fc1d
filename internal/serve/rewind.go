package serve

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/simulator"
)

// Then is a cluster as it was at a resourceVersion. The error is one for clients.
func Then(s *store.Store, version string) (*simulator.Simulator, error) {
	revision, err := strconv.ParseInt(version, 10, 64)
	if err != nil || revision < 0 {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %q", version))
	}
	then, err := s.Then(revision)
	if forgotten := (*store.ForgottenError)(nil); errors.As(err, &forgotten) {
		return nil, apierrors.NewResourceExpired(err.Error())
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return then, nil
}

// rewind answers a POST of /rewind: all objects are as they were at a resourceVersion.
func (x *exchange) rewind() {
	if x.r.Method != http.MethodPost {
		x.status(admission.StatusOf(apierrors.NewMethodNotSupported(schema.GroupResource{Resource: "rewind"}, x.verb)))
		return
	}
	then, err := Then(x.store, x.r.URL.Query().Get("resourceVersion"))
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
