// Package store holds a simulated cluster that many clients change concurrently: its latest state and its recent
// history.
//
// Start with [New], then [Store.Do] for requests and [Store.Since] for what they changed. A request is answered without
// a lock, by a simulator of the state that it finds. Its writes are then applied to the latest state, if all objects
// that it wrote are still the ones that it found; otherwise it is answered again. So a slow webhook does not block
// other requests, and may send requests itself while it is called.
//
// The number of writes is the revision of the cluster. Each write has a revision of its own, which is the
// resourceVersion of the object that it leaves.
//
// The package knows neither HTTP nor in which form clients want an object.
package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// defaultHistory is how many writes are remembered by default.
const defaultHistory = 10_000

// Options configure a Store. The zero value is ready to use.
type Options struct {
	History int // minimum number of writes that are remembered; 0: defaultHistory
}

// A Store is a cluster and its history. It is safe for concurrent use.
type Store struct {
	history int
	latest  atomic.Pointer[simulator.Simulator]

	lookups lookups

	commit  sync.Mutex   // held while the latest state is replaced
	version atomic.Int64 // how often the cluster was reconfigured
	mutex   sync.RWMutex
	events  []Event
	kept    []snapshot    // at some revisions, in order; the first is of the last write that is forgotten
	changed chan struct{} // closed by the next write
}

// A snapshot is the cluster as it was at a revision.
type snapshot struct {
	revision int64
	sim      *simulator.Simulator
}

// between is the number of writes between two snapshots: a state takes some ten kilobytes that it does not share with
// the next one. The states in between are rebuilt from the writes when they are needed.
const between = 100

// An Event is one write.
type Event struct {
	cluster.Change
	Revision int64
	Types    *objects.Types // of the cluster at that revision
}

// Last returns the object that an event deleted, with the revision of the event.
func (e *Event) Last() runtime.Object {
	last := cluster.ShallowCopy(e.Before.Object)
	if m, err := meta.Accessor(last); err == nil {
		m.SetResourceVersion(strconv.FormatInt(e.Revision, 10))
	}
	return last
}

// New returns the store of a cluster with the initial state of sim.
func New(sim *simulator.Simulator, o Options) (*Store, error) {
	if o.History == 0 {
		o.History = defaultHistory
	}
	state := sim.State()
	revision := state.Writes()
	for object := range state.All() {
		if m, err := meta.Accessor(object.Object); err == nil {
			version, _ := strconv.ParseInt(m.GetResourceVersion(), 10, 64)
			revision = max(revision, version)
		}
	}
	first, err := sim.With(state.At(revision))
	if err != nil {
		return nil, err
	}
	s := &Store{history: o.History, kept: []snapshot{{revision, first}}, changed: make(chan struct{})}
	s.latest.Store(first)
	return s, nil
}

// Latest returns the simulator of the current state. The number of writes of its state is the revision.
func (s *Store) Latest() *simulator.Simulator { return s.latest.Load() }

// Do answers a request on the current state, and changes the cluster.
func (s *Store) Do(ctx context.Context, req rest.Request) (*simulator.Result, error) {
	if req.Verb == rest.Get {
		return s.Latest().Do(ctx, req)
	}
	return s.Ask(ctx, func(sim *simulator.Simulator) (*simulator.Result, error) { return sim.Do(ctx, req) })
}

// Ask answers a question on the current state, and changes the cluster. The question is asked again if others changed
// the same objects in the meantime.
func (s *Store) Ask(ctx context.Context, question func(*simulator.Simulator) (*simulator.Result, error)) (*simulator.Result, error) {
	for {
		version := s.version.Load()
		base := s.Latest()
		recording, err := base.With(base.State().Recording())
		if err != nil {
			return nil, err
		}
		result, err := question(recording)
		if err != nil {
			return nil, err
		}
		done, err := s.write(result, version)
		if done || err != nil {
			result.Sent = s.lookups.send(result.Sent, base.Now())
			return result, err
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("others changed the same objects again and again: %w", err)
		}
	}
}

// write applies the writes of a request to the latest state, unless they conflict with what was written since the
// request began. The objects in the result get their final versions. version is that of the store before the request.
func (s *Store) write(result *simulator.Result, version int64) (done bool, err error) {
	s.commit.Lock()
	defer s.commit.Unlock()
	current := s.Latest()
	state, changes, ok := result.State.Onto(current.State())
	if !ok {
		return false, nil
	}
	// What was compiled for the state after the request is most likely valid for this state, too.
	from := result.Next
	if version != s.version.Load() {
		from = current
	}
	next, err := from.With(state)
	if err != nil {
		return false, err
	}
	result.Object = renumbered(result.Object, changes)
	result.State, result.Next = state, next
	return true, s.publish(current, next, changes)
}

// Write changes the cluster as a controller does that needs no admission. change returns the desired state, derived
// from the one that it is given. It may be called several times.
func (s *Store) Write(change func(*simulator.Simulator) (*cluster.State, error)) error {
	s.commit.Lock()
	defer s.commit.Unlock()
	current := s.Latest()
	recording, err := current.With(current.State().Recording())
	if err != nil {
		return err
	}
	wanted, err := change(recording)
	if err != nil {
		return err
	}
	state, changes, _ := wanted.Onto(current.State()) // nobody else writes
	next, err := current.With(state)
	if err != nil {
		return err
	}
	return s.publish(current, next, changes)
}

// Reconfigure changes how the cluster answers requests from now on, but no object of it.
func (s *Store) Reconfigure(change func(*simulator.Simulator) (*simulator.Simulator, error)) error {
	s.commit.Lock()
	defer s.commit.Unlock()
	next, err := change(s.Latest())
	if err != nil {
		return err
	}
	s.latest.Store(next)
	s.version.Add(1) // last, so that a request never has the new version and the old simulator
	return nil
}

// Become replaces the cluster by that of another simulator. Watches see the differences as if a client had written
// them. Objects keep the versions that they have in sim.
func (s *Store) Become(sim *simulator.Simulator) error {
	s.commit.Lock()
	defer s.commit.Unlock()
	before := s.Latest().State()
	changes := cluster.Between(before, sim.State())
	next, err := sim.With(sim.State().At(before.Writes() + int64(len(changes))))
	if err != nil {
		return err
	}
	s.show(before.Writes(), next, changes)
	return nil
}

// marked is how long an object that is deleted at once stays visible with its deletion timestamp. A real server marks
// and deletes it in two writes to etcd, and controllers act on the first one.
const marked = 2 * time.Millisecond

// publish makes a state visible, with the changes that led to it. It may pause in between, holding commit.
func (s *Store) publish(current, next *simulator.Simulator, changes []cluster.Change) error {
	before := current.State().Writes()
	if n := untilGone(changes); n > 0 {
		mid, err := current.With(after(current.State(), changes[:n]))
		if err != nil {
			return err
		}
		s.show(before, mid, changes[:n])
		time.Sleep(marked)
		before, changes = before+int64(n), changes[n:]
	}
	s.show(before, next, changes)
	return nil
}

// after returns the state after the first changes.
func after(state *cluster.State, changes []cluster.Change) *cluster.State {
	writes := state.Writes() + int64(len(changes))
	for _, c := range changes {
		if c.After.Object == nil {
			state = state.Without(c.Key)
		} else {
			state = state.With(c.After)
		}
	}
	return state.At(writes)
}

// untilGone returns the number of changes before the first one that deletes an object which an earlier one changed, or
// 0 if there is none.
func untilGone(changes []cluster.Change) int {
	for i := range changes {
		if changes[i].After.Object != nil {
			continue
		}
		for j := range i {
			if changes[j].Key == changes[i].Key && changes[j].Before.Object != nil {
				return i
			}
		}
	}
	return 0
}

// show makes a state visible, with the changes that led to it, in a single step.
func (s *Store) show(before int64, next *simulator.Simulator, changes []cluster.Change) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.latest.Store(next)
	if len(changes) == 0 {
		return // at most, a plugin remembers something else
	}
	for i, c := range changes {
		s.events = append(s.events, Event{Change: c, Revision: before + 1 + int64(i), Types: next.View().Types()})
	}
	if now := next.State().Writes(); now >= s.kept[len(s.kept)-1].revision+min(between, int64(s.history)) {
		s.kept = append(s.kept, snapshot{now, next})
	}
	if len(s.events) > 2*s.history { // copied, since readers hold parts of the old slice
		s.forget(s.events[len(s.events)-s.history-1].Revision)
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// forget drops everything before the last snapshot that is not after the revision.
func (s *Store) forget(revision int64) {
	first := s.snapshot(revision)
	s.kept = slices.Clone(s.kept[first:])
	s.events = slices.Clone(s.events[s.kept[0].revision+1-s.events[0].Revision:])
}

// snapshot returns the index of the last snapshot that is not after a remembered revision.
func (s *Store) snapshot(revision int64) int {
	at, found := slices.BinarySearchFunc(s.kept, revision, func(one snapshot, r int64) int { return cmp.Compare(one.revision, r) })
	if !found {
		at--
	}
	return at
}

// A ForgottenError reports that a revision is older than what is remembered.
type ForgottenError struct{ Asked, Oldest int64 }

func (e *ForgottenError) Error() string {
	return fmt.Sprintf("too old resource version: %d (%d)", e.Asked, e.Oldest)
}

// Since returns what was written after a revision, in order, and the revision up to which that is complete. more is
// closed when there is more. The events are shared and must not be modified.
func (s *Store) Since(revision int64) (events []Event, upTo int64, more <-chan struct{}, err error) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	if forgot := s.kept[0].revision; revision < forgot {
		return nil, 0, nil, &ForgottenError{revision, forgot}
	}
	upTo = s.latest.Load().State().Writes()
	at := len(s.events)
	if at > 0 {
		at = int(min(max(revision+1-s.events[0].Revision, 0), int64(at)))
	}
	return s.events[at:len(s.events):len(s.events)], max(upTo, revision), s.changed, nil
}

// At returns the cluster as it was at a revision; ok is false if the revision is forgotten or in the future.
func (s *Store) At(revision int64) (sim *simulator.Simulator, ok bool) {
	s.mutex.RLock()
	defer s.mutex.RUnlock()
	switch latest := s.latest.Load(); {
	case revision == latest.State().Writes():
		return latest, true
	case revision < s.kept[0].revision || revision > latest.State().Writes():
		return nil, false
	}
	from := s.kept[s.snapshot(revision)]
	if from.revision == revision {
		return from.sim, true
	}
	first := from.revision + 1 - s.events[0].Revision
	state := from.sim.State()
	for _, e := range s.events[first : first+revision-from.revision] {
		state = state.Doing([]cluster.Change{e.Change})
	}
	sim, err := from.sim.With(state.At(revision))
	return sim, err == nil
}

// renumbered returns the object of an answer with its final version, if that differs from the one that the request gave
// it.
func renumbered(object runtime.Object, changes []cluster.Change) runtime.Object {
	if object == nil || len(changes) == 0 {
		return object
	}
	m, err := meta.Accessor(object)
	if err != nil {
		return object
	}
	for i := len(changes) - 1; i >= 0; i-- {
		c := changes[i]
		if c.Namespace != m.GetNamespace() || c.Name != m.GetName() || c.After.Object == nil {
			continue
		}
		written, err := meta.Accessor(c.After.Object)
		if err != nil || written.GetUID() != m.GetUID() || written.GetResourceVersion() == m.GetResourceVersion() {
			continue
		}
		object = cluster.ShallowCopy(object)
		if m, err = meta.Accessor(object); err == nil {
			m.SetResourceVersion(written.GetResourceVersion())
		}
		return object
	}
	return object
}
