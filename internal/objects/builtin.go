package objects

import (
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// New returns the types of a cluster, with all built-in kinds. served tells what is served under
// a kind; nil knows nothing. Built-in kinds that it does not know are taken as a server would that
// serves them.
func New(served func(schema.GroupVersionKind) (Resource, bool), o Options) *Types {
	return newTypes(served, table(), o)
}

var table = sync.OnceValue(func() *Table {
	return newTable(
		appsKinds(),
		autoscalingKinds(),
		batchKinds(),
		coreKinds(),
		genericKinds(),
		networkingKinds(),
		nodeKinds(),
		policyKinds(),
		resourceKinds(),
		schedulingKinds(),
		storageKinds(),
	)
})
