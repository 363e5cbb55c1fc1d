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
