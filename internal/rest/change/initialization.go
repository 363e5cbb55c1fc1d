package change

import (
	"net/http"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
)

// An Initialization is what an object says about how it is initialized, which hides it from others.
type Initialization struct {
	Pending []string // the initializers that have not processed the object yet
	Failure error    // why one of them failed; nil: none did
}

// InitializationOf returns the initialization of an object, nil if the object is initialized. An object that says nothing
// about it but has the field is not, to the server's lists; see [rules.IsUninitialized] for what its plugins ask.
func InitializationOf(object runtime.Object) *Initialization {
	in := rules.InitializersOf(object)
	if in == nil {
		return nil
	}
	i := &Initialization{}
	for _, one := range in.Pending {
		i.Pending = append(i.Pending, one.Name)
	}
	if in.Result != nil {
		// What the server adds to an error without a code:
		// kubernetes/kubernetes@v1.13.12:staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/status.go.
		why := *in.Result
		if why.Code == 0 {
			why.Code = http.StatusInternalServerError
		}
		i.Failure = &apierrors.StatusError{ErrStatus: why}
	}
	return i
}
