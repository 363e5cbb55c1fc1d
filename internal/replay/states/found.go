package states

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

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
	}
	return state, nil
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
