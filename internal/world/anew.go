package world

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
)

// Anew returns the request in a cluster without the object that it creates. taken reports whether the cluster had the
// object. This is only done for manifests: a request that was written as one refers to the cluster as it is.
func (a Asked) Anew() (anew Asked, taken bool, err error) {
	if !a.From.Plain || a.From.Verb != rest.Create {
		return a, false, nil
	}
	var object metav1.PartialObjectMetadata
	resource, ok := a.Simulator.Resources().ForKind(a.From.Kind)
	if !ok || json.Unmarshal(a.API.Body, &object) != nil {
		return a, false, nil // reported by the server
	}
	k := cluster.Key{GroupKind: resource.Storage.GroupKind(), Name: object.Name}
	if resource.Namespaced {
		k.Namespace = a.API.Namespace
	}
	state := a.Simulator.State()
	if _, taken = state.Find(k); taken {
		a.Simulator, err = a.Simulator.With(state.Without(k))
	}
	return a, taken, err
}
