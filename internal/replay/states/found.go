package states

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// Enter moves sim to the cluster that the request of r found.
func (s Snapshot) Enter(sim *simulator.Simulator, r *recording.Record) (*simulator.Simulator, error) {
	state := s.state
	for _, raw := range s.more {
		if object, err := sim.Stored(raw); err == nil {
			state = state.With(cluster.Object{Object: object})
		}
	}
	sim, err := sim.With(state)
	if err != nil || s.exact {
		return sim, err
	}
	corrected, err := correct(sim, r)
	switch {
	case err != nil:
		return nil, err
	case corrected == state:
		return sim, nil
	}
	return sim.With(corrected)
}

// correct puts the object of the request into the state as it was before.
func correct(sim *simulator.Simulator, r *recording.Record) (*cluster.State, error) {
	state := sim.State()
	switch r.Old.Knowledge {
	case recording.Exists:
		object, err := sim.Stored(r.Old.Object)
		if err != nil {
			return nil, fmt.Errorf("the object before: %w", err)
		}
		return state.With(cluster.Object{Object: object}), nil
	case recording.Absent:
		if key, ok := keyOf(sim, r); ok {
			if _, exists := state.Find(key); exists {
				return state.Without(key), nil
			}
		}
	case recording.Unseen:
		if key, ok := keyOf(sim, r); ok {
			return asNamed(state, key, r), nil
		}
	}
	return state, nil
}

// asNamed gives an object of the world the uid, resourceVersion and creationTimestamp that a successful request named:
// the server compares them with those of the object. A manifest has none of them, so they were made up, or they are those
// of an earlier time.
func asNamed(state *cluster.State, key cluster.Key, r *recording.Record) *cluster.State {
	stored, exists := state.Find(key)
	if !exists || r.Request == nil || r.Answer.Code == 0 || r.Answer.Code >= http.StatusBadRequest {
		return state
	}
	var body struct{ Metadata, Preconditions identity }
	if json.Unmarshal(r.Request.Body, &body) != nil {
		return state // a JSON patch
	}
	object := cluster.ShallowCopy(stored.Object)
	m, err := meta.Accessor(object)
	if err != nil {
		return state
	}
	own := identity{m.GetUID(), m.GetResourceVersion(), m.GetCreationTimestamp()}
	named := identity{
		cmp.Or(body.Metadata.UID, body.Preconditions.UID, own.UID),
		cmp.Or(body.Metadata.ResourceVersion, body.Preconditions.ResourceVersion, own.ResourceVersion),
		own.CreationTimestamp,
	}
	if created := body.Metadata.CreationTimestamp; !created.IsZero() {
		named.CreationTimestamp = created
	}
	if named == own {
		return state
	}
	m.SetUID(named.UID)
	m.SetResourceVersion(named.ResourceVersion)
	m.SetCreationTimestamp(named.CreationTimestamp)
	return state.With(stored.Replaced(object))
}

// An identity is how a request says which state of an object it is about.
type identity struct {
	UID               types.UID   `json:"uid"`
	ResourceVersion   string      `json:"resourceVersion"`
	CreationTimestamp metav1.Time `json:"creationTimestamp"`
}

func keyOf(sim *simulator.Simulator, r *recording.Record) (cluster.Key, bool) {
	resource, ok := sim.Resources().Resource(r.Resource)
	k := r.Key()
	return cluster.Key{GroupKind: resource.Storage.GroupKind(), Namespace: k.Namespace, Name: k.Name}, ok
}

// Missing returns the reason if the object of the request must be known, and is not in the cluster of sim.
func Missing(sim *simulator.Simulator, r *recording.Record) (recording.Reason, bool) {
	for _, u := range r.Unknown {
		if u.Code != recording.OldUnknown || r.Verb == rest.DeleteCollection {
			continue
		}
		if key, ok := keyOf(sim, r); ok {
			if _, exists := sim.State().Find(key); !exists && (r.Review == nil || r.Subresource != "scale") {
				return u, true
			}
		}
	}
	return recording.Reason{}, false
}

// WithoutManagers returns the reason if the request applies an object whose managed fields are unknown: policies of
// audit logs may omit them, and worlds usually do. They decide about conflicts, and about which fields are removed.
func WithoutManagers(sim *simulator.Simulator, r *recording.Record) (recording.Reason, bool) {
	if r.Request == nil || r.Request.PatchType != rest.ApplyPatch {
		return recording.Reason{}, false
	}
	key, ok := keyOf(sim, r)
	object, exists := sim.State().Find(key)
	if !ok || !exists {
		return recording.Reason{}, false
	}
	m, err := meta.Accessor(object.Object)
	return recording.Reason{Code: recording.WithoutManaged, Detail: "those of " + r.Key().String()}, err == nil && len(m.GetManagedFields()) == 0
}

// HasNamespace reports whether a cluster has the namespace.
func HasNamespace(s *cluster.State, name string) bool {
	_, ok := s.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: name})
	return ok
}
