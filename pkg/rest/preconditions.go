package rest

import (
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// matchPreconditions refuses an object that is not the one that a write expects, with the error of the storage. Empty
// preconditions are not checked.
func (x *exchange) matchPreconditions(m metav1.Object, p metav1.Preconditions) error {
	why := ""
	switch {
	case p.UID != nil && *p.UID != "" && *p.UID != m.GetUID():
		why = fmt.Sprintf("UID in precondition: %v, UID in object meta: %v", *p.UID, m.GetUID())
	case p.ResourceVersion != nil && *p.ResourceVersion != "" && *p.ResourceVersion != m.GetResourceVersion():
		why = fmt.Sprintf("ResourceVersion in precondition: %v, ResourceVersion in object meta: %v", *p.ResourceVersion, m.GetResourceVersion())
	default:
		return nil
	}
	resource := x.req.Resource.GroupResource()
	if resource.Resource == "bindings" {
		resource.Resource = "pods"
	}
	return refuse(apierrors.NewConflict(resource, m.GetName(), invalidInStorage(
		x.storageKey(resource.Resource, m.GetName()), "Precondition failed: "+why)))
}

// sameUID refuses to write to an object that is not the one that the client means.
func (x *exchange) sameUID(object, current runtime.Object) error {
	m, err := meta.Accessor(object)
	if err != nil {
		return err
	}
	old, err := meta.Accessor(current)
	if err != nil {
		return err
	}
	uid := m.GetUID()
	return x.matchPreconditions(old, metav1.Preconditions{UID: &uid})
}

// storageKey returns the key of an object in etcd, which appears in messages. In a dry run it is the key of the
// layer above, without a prefix: kubernetes/apiserver:pkg/registry/generic/registry/dryrun.go.
func (x *exchange) storageKey(resource, name string) string {
	prefix := x.resource.StoragePrefix
	if resource != x.req.Resource.Resource {
		prefix = resource // bindings are stored under pods
	}
	if x.dryRun() {
		return x.keyBelow(prefix, x.req.Namespace, name)
	}
	return registry + x.keyBelow(prefix, x.req.Namespace, name)
}

// registry is the folder of all objects in etcd.
const registry = "/registry"

// keyBelow returns the key of an object, below the registry.
func (x *exchange) keyBelow(prefix, namespace, name string) string {
	key := "/" + prefix
	if x.resource.Namespaced {
		key += "/" + namespace
	}
	return key + "/" + name
}
