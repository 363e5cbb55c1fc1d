package store

import (
	"errors"
	"fmt"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// A notYetError reports that a cluster has not reached a revision.
type notYetError struct{ Revision, Latest int64 }

func (e *notYetError) Error() string {
	return fmt.Sprintf("resourceVersion %d is still to come, the latest one is %d", e.Revision, e.Latest)
}

// Then returns the cluster as it was at a revision. The error is a [ForgottenError] if the revision is forgotten.
func (s *Store) Then(revision int64) (*simulator.Simulator, error) {
	then, ok := s.At(revision)
	if ok {
		return then, nil
	}
	if latest := s.Latest().State().Writes(); revision > latest {
		return nil, &notYetError{revision, latest}
	}
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	return nil, &ForgottenError{revision, s.kept[0].revision}
}

// AsOf is [Store.Then] for a client's resourceVersion. It returns errors for clients.
func (s *Store) AsOf(version string) (*simulator.Simulator, error) {
	revision, err := strconv.ParseInt(version, 10, 64)
	if err != nil || revision < 0 {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("invalid resource version: %q", version))
	}
	then, err := s.Then(revision)
	if forgotten := (*ForgottenError)(nil); errors.As(err, &forgotten) {
		return nil, apierrors.NewResourceExpired(err.Error())
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return then, nil
}

// Rewind restores all objects to their state at a revision, and returns how many it wrote or deleted. These are
// ordinary writes: watches see them, and the objects get new versions, so that no client sees versions go backwards.
func (s *Store) Rewind(revision int64) (written int, err error) {
	then, err := s.Then(revision)
	if err != nil {
		return 0, err
	}
	err = s.Write(func(now *simulator.Simulator) (*cluster.State, error) {
		state := now.State()
		next, existed := state, map[cluster.Key]bool{}
		written = 0
		for o := range then.State().All() {
			k := cluster.KeyOf(o.Object)
			existed[k] = true
			if current, ok := state.Find(k); !ok || !sameVersion(current, o) {
				next, written = next.With(o), written+1
			}
		}
		for o := range state.All() {
			if k := cluster.KeyOf(o.Object); !existed[k] {
				next, written = next.Without(k), written+1
			}
		}
		return next, nil
	})
	return written, err
}

// sameVersion reports whether an object was not written in between.
func sameVersion(a, b cluster.Object) bool {
	if a.Object == b.Object {
		return true
	}
	am, err := meta.Accessor(a.Object)
	if err != nil {
		return false
	}
	bm, err := meta.Accessor(b.Object)
	return err == nil && am.GetUID() == bm.GetUID() && am.GetResourceVersion() == bm.GetResourceVersion()
}
