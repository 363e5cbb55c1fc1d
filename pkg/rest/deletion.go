package rest

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// returnsDeleted are the resources of which a DELETE returns the object itself.
var returnsDeleted = []schema.GroupResource{
	{Resource: "persistentvolumeclaims"},
	{Resource: "persistentvolumes"},
	{Resource: "pods"},
	{Resource: "podtemplates"},
	{Resource: "resourcequotas"},
	{Resource: "serviceaccounts"},
	{Resource: "services"},
}

// A collection is what the garbage collector does with the dependents of an object unless
// it is told otherwise.
type collection int

const (
	collecting  collection = iota
	orphaning              // kept from when clients did it
	uncollected            // it does not care for objects of the kind
)

func (x *exchange) collection() collection {
	switch x.req.Resource.GroupResource() {
	case schema.GroupResource{Resource: "replicationcontrollers"}, schema.GroupResource{Group: "batch", Resource: "jobs"}:
		return orphaning
	case schema.GroupResource{Resource: "events"}, schema.GroupResource{Group: "events.k8s.io", Resource: "events"}:
		return uncollected
	}
	return collecting
}
