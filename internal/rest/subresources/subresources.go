// Package subresources does what the subresources of built-in kinds do, other than to show the object itself: to connect
// to a container or its log, to bind or evict a pod, to roll back a deployment, to issue a token of a service account.
// There is a file for each of them.
//
// Start with a [Request], which names the object. Everything here is a function of that object and of the cluster.
// Errors are the server's. The package does not know admission, and writes nothing: package rest decides when which
// step is taken.
package subresources

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Request is a request for a subresource of the named object.
type Request struct {
	Resource  schema.GroupResource
	Namespace string
	Name      string

	State   *cluster.State
	Types   *objects.Types
	Release *kubeversion.Release
}

// Pod returns the pod with that name in the namespace of the request, as stored, and a copy to modify.
func (r Request) Pod(name string) (cluster.Object, *corev1.Pod, error) {
	kept, ok := r.State.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Pod"}, Namespace: r.Namespace, Name: name})
	pod, isPod := kept.Object.(*corev1.Pod)
	if !ok || !isPod {
		return kept, nil, apierrors.NewNotFound(corev1.Resource("pods"), name)
	}
	return kept, pod.DeepCopy(), nil
}

func (r Request) invalid(kind schema.GroupKind, name string, errs ...*field.Error) error {
	return objects.NewInvalid(kind, name, r.Types.Worded(errs))
}

func badRequest(format string, args ...any) error {
	return apierrors.NewBadRequest(fmt.Sprintf(format, args...))
}
