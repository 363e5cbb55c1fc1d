// Package reach says why the server does not reach what a request wants to be connected to: a
// container (exec, attach, logs), a kubelet (portforward), or a pod, node or service behind its proxy.
// In a simulated cluster nothing runs, so the answer is always an error, which is the server's: the
// first that it comes to on its way (W-020, PL-23).
//
// Start with a [Request]. The package does not know what admission thinks of it.
package reach

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Request wants to be connected to the object of that name.
type Request struct {
	Resource  schema.GroupResource
	Namespace string
	Name      string

	State   *cluster.State
	Release *kubeversion.Release
}

// An Unsimulated error is about what the server would now connect to: kubelets, and what runs in pods. Whatever it
// says, the server itself has let the request through.
type Unsimulated struct{ error }

func (e Unsimulated) Unwrap() error { return e.error }

// errNoUpgrade ends a request for a stream that comes as an ordinary one, as all do here.
func errNoUpgrade() error { return badRequest("Upgrade request required") }

// unreachable is the answer where the server would have connected.
func unreachable() error {
	return apierrors.NewServiceUnavailable("error trying to reach service: nothing runs in a simulated cluster")
}

func badRequest(format string, args ...any) error {
	return apierrors.NewBadRequest(fmt.Sprintf(format, args...))
}
