// Package states tracks what a cluster held while it was recorded, as far as the recording shows it, and returns the
// cluster that each recorded request found.
//
// A [Tracker] takes the records in order. It does not know what admsim answers: a request finds what the cluster made
// of the requests before it.
package states

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

// A Tracker knows what the cluster holds, as far as the recording shows it. A request sees all cluster-scoped objects;
// of namespaced objects it sees those of the world and those that requests in its own namespace showed. A shard, which
// has all requests of a namespace, therefore knows as much as the whole.
type Tracker struct {
	stateless bool
	store     *store
	sim       *simulator.Simulator // of the world, with the current CRDs
	world     *cluster.State

	shared     *cluster.State
	changes    []change // the latest changes of shared
	first      int      // the number of the first of changes
	namespaces map[string]*view
	written    ownWrites // of objects outside namespaces

	crds, policies cluster.Revision
	kinds          map[schema.GroupResource]schema.GroupKind
	bulkParams     bool // policies have params of bulk kinds
}

// A change is one object that was added or changed or, if object is nil, removed.
type change struct {
	key    cluster.Key
	object *cluster.Object
	stored []byte // the JSON in the store that object was decoded from, if known
}

func (c change) on(s *cluster.State) *cluster.State {
	if c.object == nil {
		return s.Without(c.key)
	}
	return s.With(*c.object)
}

// A view is what is known about one namespace.
type view struct {
	state *cluster.State // shared up to the change seen, with own
	seen  int
	own   map[cluster.Key]change      // removal is recorded for objects of the world only
	raw   map[recording.Key]rawObject // large, decoded when needed

	written ownWrites
}

type rawObject struct {
	key  cluster.Key
	json []byte
}

// A Snapshot is the cluster that a request finds.
type Snapshot struct {
	state *cluster.State
	more  [][]byte // objects that still have to be decoded, by key
	exact bool     // state has the object of the request as it was before
}

// keptChanges is how many changes a namespace may be behind before its view is rebuilt.
const keptChanges = 4096

// New returns the tracker of a cluster that starts as options describe it. If it is stateless, every request finds that
// cluster.
func New(o simulator.Options, stateless bool) (*Tracker, error) {
	sim, err := simulator.New(o)
	if err != nil {
		return nil, err
	}
	t := &Tracker{
		stateless:  stateless,
		store:      newStore(),
		sim:        sim,
		world:      sim.State(),
		shared:     sim.State(),
		namespaces: map[string]*view{},
	}
	t.crds, t.policies = t.revisions()
	t.readKinds()
	t.readPolicies()
	return t, nil
}

// Store returns the store for the reader of the recording, so that reader and tracker forget the same objects.
func (t *Tracker) Store() recording.Store { return t.store }

// Before returns the cluster that the request of r finds.
func (t *Tracker) Before(r *recording.Record) Snapshot {
	if t.stateless {
		return Snapshot{state: t.world}
	}
	v := t.namespaces[namespaceOf(r)]
	if v == nil {
		return Snapshot{state: t.found(r, t.shared, nil)}
	}
	t.catchUp(v)
	found := Snapshot{state: t.found(r, v.state, v.written), exact: t.knows(v, r)}
	if len(v.raw) > 0 && (t.bulkParams || wantsAll(r)) {
		for _, k := range slices.SortedFunc(maps.Keys(v.raw), compareKeys) {
			found.more = append(found.more, v.raw[k].json)
		}
	}
	return found
}

// knows reports whether the view has the object of r, decoded from the same text that r has. Custom resources also
// depend on their CRDs.
func (t *Tracker) knows(v *view, r *recording.Record) bool {
	key, ok := t.keyOf(r.Key())
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

// wantsAll reports whether the request may look at bulk objects other than its own: this is so for collections,
// evictions, tokens and the like, for namespaces with Pod Security, and where NodeRestriction looks at pods.
func wantsAll(r *recording.Record) bool {
	return r.Verb == rest.DeleteCollection || isNamespaces(r.Key()) || strings.HasPrefix(r.User.Username, "system:node:") ||
		!slices.Contains([]string{"", "status", "scale"}, r.Subresource)
}

func isNamespaces(k recording.Key) bool { return k.Group == "" && k.Resource == "namespaces" }

// namespaceOf returns the namespace that the record belongs to, or "" for requests for cluster-scoped objects; see
// [recording.Shard].
func namespaceOf(r *recording.Record) string {
	if r.Namespace == "" && isNamespaces(r.Key()) {
		return r.Name
	}
	return r.Namespace
}

// Apply applies what the record shows of the cluster after it.
func (t *Tracker) Apply(r *recording.Record) {
	for _, k := range t.store.forgotten() {
		t.forget(k)
	}
	if t.stateless {
		return
	}
	namespace := namespaceOf(r)
	for _, e := range r.Effects {
		switch {
		case e.Unknown != "":
		case e.Key.Namespace == "":
			t.applyShared(r, e)
		case e.Key.Namespace == namespace && r.Skip.Code != recording.OtherShard:
			t.applyOwn(r, e)
		}
	}
}

func (t *Tracker) applyShared(r *recording.Record, e recording.Effect) {
	c, ok := t.changeOf(e.Key, e.Object)
	if !ok {
		return
	}
	if isOwn(r) {
		t.written.note(r, c.key, t.shared)
	}
	t.changeShared(c)
}

func (t *Tracker) changeShared(c change) {
	t.shared = c.on(t.shared)
	if t.changes = append(t.changes, c); len(t.changes) > 2*keptChanges {
		t.first += len(t.changes) - keptChanges
		t.changes = slices.Clone(t.changes[len(t.changes)-keptChanges:])
	}
	crds, policies := t.revisions()
	if crds != t.crds {
		if sim, err := t.sim.With(t.shared); err == nil {
			t.sim = sim
		}
		t.crds = crds
		t.readKinds()
	}
	if policies != t.policies {
		t.policies = policies
		t.readPolicies()
	}
}

func (t *Tracker) applyOwn(r *recording.Record, e recording.Effect) {
	v := t.namespaces[e.Key.Namespace]
	if v == nil {
		v = &view{state: t.shared, seen: t.first + len(t.changes), own: map[cluster.Key]change{}, raw: map[recording.Key]rawObject{}}
		t.namespaces[e.Key.Namespace] = v
	}
	if isBulk(e.Key) {
		t.applyBulk(v, e)
		return
	}
	if c, ok := t.changeOf(e.Key, e.Object); ok {
		c.stored = t.store.peek(e.Key)
		if isOwn(r) {
			v.written.note(r, c.key, v.state)
		}
		t.changeOwn(v, c)
	}
}

func (t *Tracker) changeOwn(v *view, c change) {
	t.catchUp(v)
	v.state = c.on(v.state)
	if c.object == nil && !t.inWorld(c.key) {
		delete(v.own, c.key)
		return
	}
	v.own[c.key] = c
}

// applyBulk keeps the object undecoded. If the world has an object with the same key, that one is out of date.
func (t *Tracker) applyBulk(v *view, e recording.Effect) {
	key, ok := t.keyOf(e.Key)
	if !ok {
		return
	}
	if t.inWorld(key) {
		t.changeOwn(v, change{key: key})
	}
	if object := t.store.peek(e.Key); e.Object != nil && object != nil {
		v.raw[e.Key] = rawObject{key, object}
		return
	}
	delete(v.raw, e.Key)
}

// forget removes an object that the store has forgotten.
func (t *Tracker) forget(k recording.Key) {
	key, ok := t.keyOf(k)
	if !ok {
		return
	}
	if k.Namespace == "" {
		if _, found := t.shared.Find(key); found && !t.inWorld(key) {
			t.changeShared(change{key: key})
		}
		return
	}
	v := t.namespaces[k.Namespace]
	if v == nil {
		return
	}
	delete(v.raw, k)
	if c, found := v.own[key]; found && c.object != nil {
		t.changeOwn(v, change{key: key})
	}
	if len(v.raw) == 0 && len(v.own) == 0 {
		delete(t.namespaces, k.Namespace)
	}
}

// catchUp updates the cluster-scoped objects in the view of a namespace.
func (t *Tracker) catchUp(v *view) {
	now := t.first + len(t.changes)
	if v.seen >= t.first {
		for _, c := range t.changes[v.seen-t.first:] {
			v.state = c.on(v.state)
		}
	} else {
		v.state = t.shared
		for _, c := range v.own {
			v.state = c.on(v.state)
		}
	}
	v.seen = now
}

func (t *Tracker) inWorld(k cluster.Key) bool {
	_, ok := t.world.Find(k)
	return ok
}

// changeOf decodes a change of an object; nil JSON means that it was removed.
func (t *Tracker) changeOf(k recording.Key, json []byte) (change, bool) {
	if json == nil {
		key, ok := t.keyOf(k)
		return change{key: key}, ok
	}
	object, err := t.sim.Stored(json)
	if err != nil {
		return change{}, false // the cluster does not know its kind
	}
	return change{key: cluster.KeyOf(object), object: &cluster.Object{Object: object}}, true
}

func (t *Tracker) keyOf(k recording.Key) (cluster.Key, bool) {
	kind, ok := t.kinds[schema.GroupResource{Group: k.Group, Resource: k.Resource}]
	return cluster.Key{GroupKind: kind, Namespace: k.Namespace, Name: k.Name}, ok
}

var (
	crdKind    = schema.GroupKind{Group: apiextensionsv1.GroupName, Kind: "CustomResourceDefinition"}
	policyKind = schema.GroupKind{Group: admissionregistrationv1.GroupName, Kind: "ValidatingAdmissionPolicy"}
)

func (t *Tracker) revisions() (crds, policies cluster.Revision) {
	return t.shared.Revision(crdKind), t.shared.Revision(policyKind)
}

func (t *Tracker) readKinds() {
	t.kinds = map[schema.GroupResource]schema.GroupKind{}
	for _, r := range t.sim.Resources().All() {
		t.kinds[r.GroupResource()] = r.Storage.GroupKind()
	}
}

func (t *Tracker) readPolicies() {
	t.bulkParams = false
	for o := range t.shared.List(policyKind, "") {
		policy, ok := o.Object.(*admissionregistrationv1.ValidatingAdmissionPolicy)
		if !ok || policy.Spec.ParamKind == nil {
			continue
		}
		group, _, _ := strings.Cut(policy.Spec.ParamKind.APIVersion, "/")
		if !strings.Contains(policy.Spec.ParamKind.APIVersion, "/") {
			group = ""
		}
		for _, resource := range bulk[group] {
			t.bulkParams = t.bulkParams || t.kinds[schema.GroupResource{Group: group, Resource: resource}].Kind == policy.Spec.ParamKind.Kind
		}
	}
}

func compareKeys(a, b recording.Key) int { return strings.Compare(a.String(), b.String()) }
