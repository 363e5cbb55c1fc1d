// Package kinds lists the built-in kinds, and creates the [objects.Types] of a cluster from them.
//
// A kind is listed by the package of its API group. That package is listed here or, as in Kubernetes itself, among
// those of a server without workloads, in package generic.
package kinds

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/apps"
	"github.com/admsim/admsim/internal/objects/autoscaling"
	"github.com/admsim/admsim/internal/objects/batch"
	"github.com/admsim/admsim/internal/objects/core"
	"github.com/admsim/admsim/internal/objects/generic"
	"github.com/admsim/admsim/internal/objects/networking"
	"github.com/admsim/admsim/internal/objects/node"
	"github.com/admsim/admsim/internal/objects/policy"
	"github.com/admsim/admsim/internal/objects/resource"
	"github.com/admsim/admsim/internal/objects/scheduling"
	"github.com/admsim/admsim/internal/objects/storage"
)

// New returns the types of a cluster with all built-in kinds. served returns the resource that is served for a kind; if
// it is nil, nothing is known about the cluster. Unknown built-in kinds are handled as if they were served.
func New(served func(schema.GroupVersionKind) (objects.Resource, bool), o objects.Options) *objects.Types {
	return objects.New(served, Table(), nil, o)
}

// Table returns the table of all built-in kinds.
var Table = sync.OnceValue(func() *objects.Table {
	return objects.NewTable(generic.Custom,
		apps.Kinds(),
		autoscaling.Kinds(),
		batch.Kinds(),
		core.Kinds(),
		generic.Kinds(),
		networking.Kinds(),
		node.Kinds(),
		policy.Kinds(),
		resource.Kinds(),
		scheduling.Kinds(),
		storage.Kinds(),
	)
})
