// Package reach determines what becomes of a request when the server needs another program for it.
//
// A [Request] connects to a container (exec, attach, logs), a kubelet (portforward), or a pod, node or service behind
// the server's proxy. Nothing runs in a simulated cluster, so the answer is always an error. It is the first that the
// server would find (W-020, PL-23). A [Put] stores an object in etcd, which refuses what is too large.
//
// The package does not know what admission decides about a request.
package reach

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Request is a request to connect to the named object.
type Request struct {
	Resource  schema.GroupResource
	Namespace string
	Name      string

	State   *cluster.State
	Release *kubeversion.Release
}

// An Unsimulated error is about what the server would connect to next: kubelets, and what runs in pods. Whatever it
// says, the server itself has allowed the request.
type Unsimulated struct{ error }

func (e Unsimulated) Unwrap() error { return e.error }

// errNoUpgrade is the error for a streaming request without an upgrade, which is every such request here.
func errNoUpgrade() error { return badRequest("Upgrade request required") }

// unreachable returns the error where the server would have connected.
func unreachable() error {
	return apierrors.NewServiceUnavailable("error trying to reach service: nothing runs in a simulated cluster")
}

func badRequest(format string, args ...any) error {
	return apierrors.NewBadRequest(fmt.Sprintf(format, args...))
}
