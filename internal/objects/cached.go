package objects

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Cached returns the cluster as the informers of a server have it, and as lists have it that the server asks itself for.
// Up to 1.13 both lack the objects that are not initialized (IN-13), which a question for a name finds
// ([cluster.State.Live]).
func Cached(s *cluster.State, r *kubeversion.Release) *cluster.State {
	if r.Has(kubeversion.NoInitializers) {
		return s
	}
	return s.Cached(func(o cluster.Object) bool { return !IsCached(o.Object, r) })
}

// Cached returns the cluster as the informers of a server have it.
func (t *Types) Cached(s *cluster.State) *cluster.State { return Cached(s, t.Release()) }

// IsCached reports whether informers have an object:
// kubernetes/kubernetes@v1.13.12:staging/src/k8s.io/apiserver/pkg/storage/selection_predicate.go.
func IsCached(o runtime.Object, r *kubeversion.Release) bool {
	return r.Has(kubeversion.NoInitializers) || rules.InitializersOf(o) == nil
}
