package replay

import (
	"maps"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// states are what the cluster holds, as far as the recording says. A request sees all
// cluster-scoped objects, and of others those of the world and those that requests in its
// own namespace showed: so that a shard, which has all of a namespace, knows as much as
// the whole.
type states struct {
	stateless bool
	store     *store
	sim       *simulator.Simulator // of the world, with the CRDs of now
	world     *cluster.State

	shared     *cluster.State
	changes    []change // of shared, the latest ones
	first      int      // the number of the first of changes
	namespaces map[string]*view

	crds, policies cluster.Revision
	kinds          map[schema.GroupResource]schema.GroupKind
	bulkParams     bool // policies have params of kinds that are bulk
}

// A change is one object that came or, where object is nil, went.
type change struct {
	key    cluster.Key
	object *cluster.Object
	stored []byte // what the store holds and object was read from, if it is known
}

func (c change) on(s *cluster.State) *cluster.State {
	if c.object == nil {
		return s.Without(c.key)
	}
	return s.With(*c.object)
}

// A view is what is known of one namespace.
type view struct {
	state *cluster.State // shared up to the change seen, with own
	seen  int
	own   map[cluster.Key]change      // gone is noted for objects of the world only
	raw   map[recording.Key]rawObject // large, read when it is needed
}

type rawObject struct {
	key  cluster.Key
	json []byte
}

// A snapshot is the cluster that a request finds.
type snapshot struct {
	state *cluster.State
	more  [][]byte // objects that still have to be read, by key
	exact bool     // the object of the request is in state as it was before
}

// keptChanges is how many changes a namespace may be behind until it is made anew.
const keptChanges = 4096

func newStates(o Options, store *store) (*states, error) {
	sim, err := simulator.New(o.Simulator)
	if err != nil {
		return nil, err
	}
	s := &states{
		stateless:  o.Stateless,
		store:      store,
		sim:        sim,
		world:      sim.State(),
		shared:     sim.State(),
		namespaces: map[string]*view{},
	}
	s.crds, s.policies = s.revisions()
	s.readKinds()
	s.readPolicies()
	return s, nil
}

// before returns what the request of r finds.
func (s *states) before(r *recording.Record) snapshot {
	if s.stateless {
		return snapshot{state: s.world}
	}
	v := s.namespaces[namespaceOf(r)]
	if v == nil {
		return snapshot{state: s.shared}
	}
	s.catchUp(v)
	found := snapshot{state: v.state, exact: s.knows(v, r)}
	if len(v.raw) > 0 && (s.bulkParams || wantsAll(r)) {
		for _, k := range slices.SortedFunc(maps.Keys(v.raw), compareKeys) {
			found.more = append(found.more, v.raw[k].json)
		}
	}
	return found
}

// knows reports whether the view has the object of r, read from the very text that r has of it.
// What custom resources look like depends on their CRDs as well.
func (s *states) knows(v *view, r *recording.Record) bool {
	key, ok := s.keyOf(r.Key())
	if !ok || r.Old.Knowledge != recording.Exists {
		return false
	}
	c := v.own[key]
	if c.object == nil || len(c.stored) == 0 || len(c.stored) != len(r.Old.Object) {
		return false
	}
	_, custom := c.object.Object.(*unstructured.Unstructured)
	return !custom && &c.stored[0] == &r.Old.Object[0]
}

// wantsAll reports whether the request may look at bulk other than its own object: for
// collections, evictions, tokens and the like, for namespaces with Pod Security, and where
// NodeRestriction looks at pods.
func wantsAll(r *recording.Record) bool {
	return r.Verb == rest.DeleteCollection || isNamespaces(r.Key()) || strings.HasPrefix(r.User.Username, "system:node:") ||
		!slices.Contains([]string{"", "status", "scale"}, r.Subresource)
}

func isNamespaces(k recording.Key) bool { return k.Group == "" && k.Resource == "namespaces" }

// namespaceOf is the namespace that the record belongs to, empty for requests for
// cluster-scoped objects; see [recording.Shard].
func namespaceOf(r *recording.Record) string {
	if r.Namespace == "" && isNamespaces(r.Key()) {
		return r.Name
	}
	return r.Namespace
}

// apply follows what the record says of the cluster after it.
func (s *states) apply(r *recording.Record) {
	for _, k := range s.store.forgotten() {
		s.forget(k)
	}
	if s.stateless {
		return
	}
	namespace := namespaceOf(r)
	for _, e := range r.Effects {
		switch {
		case e.Unknown != "":
		case e.Key.Namespace == "":
			s.applyShared(e)
		case e.Key.Namespace == namespace && r.Skip.Code != recording.OtherShard:
			s.applyOwn(e)
		}
	}
}

func (s *states) applyShared(e recording.Effect) {
	c, ok := s.changeOf(e.Key, e.Object)
	if !ok {
		return
	}
	s.changeShared(c)
}

func (s *states) changeShared(c change) {
	s.shared = c.on(s.shared)
	if s.changes = append(s.changes, c); len(s.changes) > 2*keptChanges {
		s.first += len(s.changes) - keptChanges
		s.changes = slices.Clone(s.changes[len(s.changes)-keptChanges:])
	}
	crds, policies := s.revisions()
	if crds != s.crds {
		if sim, err := s.sim.With(s.shared); err == nil {
			s.sim = sim
		}
		s.crds = crds
		s.readKinds()
	}
	if policies != s.policies {
		s.policies = policies
		s.readPolicies()
	}
}

func (s *states) applyOwn(e recording.Effect) {
	v := s.namespaces[e.Key.Namespace]
	if v == nil {
		v = &view{state: s.shared, seen: s.first + len(s.changes), own: map[cluster.Key]change{}, raw: map[recording.Key]rawObject{}}
		s.namespaces[e.Key.Namespace] = v
	}
	if isBulk(e.Key) {
		s.applyBulk(v, e)
		return
	}
	if c, ok := s.changeOf(e.Key, e.Object); ok {
		c.stored = s.store.peek(e.Key)
		s.changeOwn(v, c)
	}
}

func (s *states) changeOwn(v *view, c change) {
	s.catchUp(v)
	v.state = c.on(v.state)
	if c.object == nil && !s.inWorld(c.key) {
		delete(v.own, c.key)
		return
	}
	v.own[c.key] = c
}

// applyBulk keeps the object as it is. One of the world that is under its key is not true
// any more.
func (s *states) applyBulk(v *view, e recording.Effect) {
	key, ok := s.keyOf(e.Key)
	if !ok {
		return
	}
	if s.inWorld(key) {
		s.changeOwn(v, change{key: key})
	}
	if object := s.store.peek(e.Key); e.Object != nil && object != nil {
		v.raw[e.Key] = rawObject{key, object}
		return
	}
	delete(v.raw, e.Key)
}

// forget drops what the store does not hold any more.
func (s *states) forget(k recording.Key) {
	key, ok := s.keyOf(k)
	if !ok {
		return
	}
	if k.Namespace == "" {
		if _, found := s.shared.Find(key); found && !s.inWorld(key) {
			s.changeShared(change{key: key})
		}
		return
	}
	v := s.namespaces[k.Namespace]
	if v == nil {
		return
	}
	delete(v.raw, k)
	if c, found := v.own[key]; found && c.object != nil {
		s.changeOwn(v, change{key: key})
	}
	if len(v.raw) == 0 && len(v.own) == 0 {
		delete(s.namespaces, k.Namespace)
	}
}

// catchUp brings the cluster-scoped objects of a namespace's view to where they are now.
func (s *states) catchUp(v *view) {
	now := s.first + len(s.changes)
	if v.seen >= s.first {
		for _, c := range s.changes[v.seen-s.first:] {
			v.state = c.on(v.state)
		}
	} else {
		v.state = s.shared
		for _, c := range v.own {
			v.state = c.on(v.state)
		}
	}
	v.seen = now
}

func (s *states) inWorld(k cluster.Key) bool {
	_, ok := s.world.Find(k)
	return ok
}

// changeOf reads what became of an object; nil JSON: it is gone.
func (s *states) changeOf(k recording.Key, json []byte) (change, bool) {
	if json == nil {
		key, ok := s.keyOf(k)
		return change{key: key}, ok
	}
	object, err := s.sim.Stored(json)
	if err != nil {
		return change{}, false // of a kind that the cluster does not know
	}
	return change{key: cluster.KeyOf(object), object: &cluster.Object{Object: object}}, true
}

func (s *states) keyOf(k recording.Key) (cluster.Key, bool) {
	kind, ok := s.kinds[schema.GroupResource{Group: k.Group, Resource: k.Resource}]
	return cluster.Key{GroupKind: kind, Namespace: k.Namespace, Name: k.Name}, ok
}

var (
	crdKind    = schema.GroupKind{Group: apiextensionsv1.GroupName, Kind: "CustomResourceDefinition"}
	policyKind = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}
)

func (s *states) revisions() (crds, policies cluster.Revision) {
	return s.shared.Revision(crdKind), s.shared.Revision(policyKind)
}

func (s *states) readKinds() {
	s.kinds = map[schema.GroupResource]schema.GroupKind{}
	for _, r := range s.sim.Resources().All() {
		s.kinds[r.GroupResource()] = r.Storage.GroupKind()
	}
}

func (s *states) readPolicies() {
	s.bulkParams = false
	for o := range s.shared.List(policyKind, "") {
		policy, ok := o.Object.(*admissionregistrationv1.ValidatingAdmissionPolicy)
		if !ok || policy.Spec.ParamKind == nil {
			continue
		}
		group, _, _ := strings.Cut(policy.Spec.ParamKind.APIVersion, "/")
		if !strings.Contains(policy.Spec.ParamKind.APIVersion, "/") {
			group = ""
		}
		for _, resource := range bulk[group] {
			s.bulkParams = s.bulkParams || s.kinds[schema.GroupResource{Group: group, Resource: resource}].Kind == policy.Spec.ParamKind.Kind
		}
	}
}

func compareKeys(a, b recording.Key) int { return strings.Compare(a.String(), b.String()) }
