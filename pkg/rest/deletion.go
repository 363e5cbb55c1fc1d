package rest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// warnOfOrphans warns whoever deletes jobs without saying what is to become of their pods:
// kubernetes/kubernetes:pkg/registry/batch/job/storage/storage.go.
func (x *exchange) warnOfOrphans(o *metav1.DeleteOptions) {
	jobs := schema.GroupResource{Group: "batch", Resource: "jobs"}
	//lint:ignore SA1019 the server still honours the old option
	if x.req.Resource.GroupResource() == jobs && o.PropagationPolicy == nil && o.OrphanDependents == nil {
		x.warnings.Add("child pods are preserved by default when jobs are deleted; set propagationPolicy=Background to remove them or set propagationPolicy=Orphan to suppress this warning")
	}
}
