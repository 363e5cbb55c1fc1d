package traffic

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/ordered"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Runner answers the requests of a corpus in one world.
type Runner struct {
	maker    world.Maker
	key      *world.CaseKey // of world
	world    *world.World
	sim      *simulator.Simulator // of the current cluster
	defaults scenario.Defaults
}

// NewRunner returns the runner of a world, which begins with the cluster as it was loaded.
func NewRunner(maker world.Maker, d scenario.Defaults) (*Runner, error) {
	run := &Runner{maker: maker, defaults: d}
	return run, run.enter(nil)
}

// enter starts anew in the world of a key.
func (run *Runner) enter(key *world.CaseKey) (err error) {
	if run.world == nil || run.key != key {
		if run.world, err = run.maker(key, nil); err != nil {
			return err
		}
		run.key = key
	}
	run.sim = run.world.Simulator()
	return nil
}

// Add adds objects to the cluster of the runner, except for those that exist.
func (run *Runner) Add(objects []scenario.Manifest) (err error) {
	state := run.sim.State()
	for _, m := range objects {
		object, err := run.sim.Stored(m.JSON)
		if err != nil {
			return fmt.Errorf("%s: %w", m, err)
		}
		if m, err := meta.Accessor(object); err == nil {
			m.SetUID(types.UID("added-" + m.GetName())) // every stored object has one
			m.SetResourceVersion("1")
		}
		if _, found := state.Find(cluster.KeyOf(object)); !found {
			state = state.With(cluster.Object{Object: object})
		}
	}
	if state != run.sim.State() {
		run.sim, err = run.sim.With(state)
	}
	return err
}

// Runners each answer all requests of a corpus. Trials are the changes that are tried separately, in the world of the
// first runner.
type Runners struct {
	All    []*Runner
	Trials []func(world.Resolver) world.Resolver
}

// A World holds what all items in one world share.
type World struct {
	Dependencies func() *dependency.Graph // of the webhooks of the first runner

	key    *world.CaseKey
	trials []*trial
}

// A trial is a world with one change.
type trial struct {
	build func() (*world.World, error) // once, on first use: few requests need most trials

	mutex sync.Mutex
	last  *simulator.Simulator // with what it compiled for the last cluster, which the next one may share
}

func (t *trial) in(state *cluster.State) (*simulator.Simulator, error) {
	w, err := t.build()
	if err != nil {
		return nil, err
	}
	t.mutex.Lock()
	last := cmp.Or(t.last, w.Simulator())
	t.mutex.Unlock()
	next, err := last.With(state)
	if err != nil {
		return nil, err
	}
	t.mutex.Lock()
	t.last = next
	t.mutex.Unlock()
	return next, nil
}

// World returns what items share in the loaded world.
func (c Runners) World() *World { return c.world(nil) }

func (c Runners) world(key *world.CaseKey) *World {
	maker, sim := c.All[0].maker, c.All[0].sim
	s := &World{key: key, Dependencies: sync.OnceValue(func() *dependency.Graph { return Dependencies(sim) })}
	for _, change := range c.Trials {
		s.trials = append(s.trials, &trial{build: sync.OnceValues(func() (*world.World, error) { return maker(key, change) })})
	}
	return s
}

// Trial returns the simulator of a trial in a cluster.
func (s *World) Trial(trial int, in *cluster.State) (*simulator.Simulator, error) {
	return s.trials[trial].in(in)
}

// ask prepares a request. It is called in the order of the corpus.
func (run *Runner) ask(r Request) (_ world.Asked, err error) {
	defer bug.Catch(&err)
	switch {
	case r.Written != nil:
		return run.world.Ask(run.sim, *r.Written, run.defaults)
	case r.Prepared != nil:
		return run.askPrepared(r.Prepared)
	case r.Step != nil:
		return r.Step.Ask(run.world, run.sim)
	}
	if err := run.assumeNamespace(r.Recorded); err != nil {
		return world.Asked{}, err
	}
	return run.askRecorded(r.Recorded)
}

func (run *Runner) askRecorded(r *recording.Record) (world.Asked, error) {
	from := scenario.Request{Source: scenario.Source{File: r.File, Line: r.Line}, Review: r.Review}
	if r.Review != nil {
		return run.world.Ask(run.sim, from, run.defaults)
	}
	return world.Asked{From: from, API: *r.Request, Simulator: run.sim}, nil // without its object: see restore
}

// askPrepared adds the namespace and the service account that the request needs, if they do not exist.
func (run *Runner) askPrepared(r *Prepared) (a world.Asked, err error) {
	state := run.sim.State()
	if r.Request.Namespace != "" {
		state = withNamespace(state, r.Request.Namespace)
	}
	state = withAccount(state, r.Request.Object)
	if state != run.sim.State() {
		if run.sim, err = run.sim.With(state); err != nil {
			return a, err
		}
	}
	return world.Asked{From: scenario.Request{Label: r.Label}, Review: &r.Request, Simulator: run.sim}, nil
}

// assumeNamespace adds the namespace of a recorded request: it existed.
func (run *Runner) assumeNamespace(r *recording.Record) error {
	name := r.Namespace
	if name == "" || r.Resource.GroupResource() == (schema.GroupResource{Resource: "namespaces"}) {
		return nil
	}
	state := withNamespace(run.sim.State(), name)
	if state == run.sim.State() {
		return nil
	}
	sim, err := run.sim.With(state)
	if err == nil {
		run.sim = sim
	}
	return err
}

// Resources that admission looks up when it handles other objects, and of which there are few objects. Webhooks and
// policies are not among them: they define a world.
var settings = []schema.GroupResource{
	{Resource: "namespaces"},
	{Resource: "serviceaccounts"},
	{Resource: "limitranges"},
	{Group: "scheduling.k8s.io", Resource: "priorityclasses"},
	{Group: "node.k8s.io", Resource: "runtimeclasses"},
	{Group: "storage.k8s.io", Resource: "storageclasses"},
	{Group: "networking.k8s.io", Resource: "ingressclasses"},
	definitions,
}

// definitions is the resource of CustomResourceDefinitions. Those that a world defines are not changed: they may be
// what distinguishes it from another world.
var definitions = schema.GroupResource{Group: apiextensionsv1.GroupName, Resource: "customresourcedefinitions"}

// settle applies the effects of a recorded request on objects that admission looks up.
func (run *Runner) settle(r *recording.Record) error {
	for _, e := range r.Effects {
		gr := schema.GroupResource{Group: e.Key.Group, Resource: e.Key.Resource}
		if e.Unknown != "" || !slices.Contains(settings, gr) || gr == definitions && run.defines(e.Key.Name) {
			continue
		}
		state := run.sim.State()
		if e.Object == nil {
			state = run.without(state, gr, e.Key)
		} else {
			object, err := run.sim.Stored(e.Object)
			if err != nil {
				continue // in a version that this release does not have
			}
			if m, err := meta.Accessor(object); err != nil || m.GetName() == "" {
				continue
			}
			state = state.With(cluster.Object{Object: object})
			if gr.Resource == "namespaces" {
				state = simulator.AssumeControllers(state)
			}
		}
		sim, err := run.sim.With(state)
		if err != nil {
			return err
		}
		run.sim = sim
	}
	return nil
}

// defines reports whether the definition with that name belongs to the world itself.
func (run *Runner) defines(name string) bool {
	_, ok := run.world.Simulator().State().Find(cluster.Key{GroupKind: apiextensionsv1.Kind("CustomResourceDefinition"), Name: name})
	return ok
}

func (run *Runner) without(s *cluster.State, gr schema.GroupResource, k recording.Key) *cluster.State {
	kinds := map[string]string{
		"namespaces": "Namespace", "serviceaccounts": "ServiceAccount", "limitranges": "LimitRange", "priorityclasses": "PriorityClass",
		"runtimeclasses": "RuntimeClass", "storageclasses": "StorageClass", "ingressclasses": "IngressClass", "customresourcedefinitions": "CustomResourceDefinition",
	}
	return s.Without(cluster.Key{GroupKind: schema.GroupKind{Group: gr.Group, Kind: kinds[gr.Resource]}, Namespace: k.Namespace, Name: k.Name})
}

// An Item is one request of a corpus, with the answers of all runners.
type Item struct {
	Request
	Number  int // in the order of the corpus
	World   *World
	Asked   []world.Asked // by runner; sometimes only the first is answered, see Answer
	Results []*simulator.Result
	Errs    []error // why admsim has no result

	old        runtime.Object       // the object before a recorded request
	oldRelease *kubeversion.Release // release of the decoded object
}

// Answer makes runner i answer, unless it has answered.
func (it *Item) Answer(ctx context.Context, i int) {
	if it.Results[i] != nil || it.Errs[i] != nil {
		return
	}
	if it.Errs[i] = it.restore(i); it.Errs[i] == nil {
		it.Results[i], it.Errs[i] = it.Asked[i].Answer(ctx)
	}
}

// restore puts the object of a recorded request, as it was then, into the cluster of runner i. It decodes the object
// here, where many goroutines run, and once for all worlds that decode it in the same way.
func (it *Item) restore(i int) (err error) {
	r := it.Recorded
	if r == nil || r.Review != nil || r.Old.Knowledge != recording.Exists {
		return nil
	}
	asked := &it.Asked[i]
	release := asked.Simulator.Release()
	_, custom := it.old.(runtime.Unstructured)
	if it.old == nil || custom || it.oldRelease.Version != release.Version {
		if it.old, err = asked.Simulator.Stored(r.Old.Object); err != nil {
			return fmt.Errorf("%s: the object before: %w", asked.From.Source, err)
		}
		it.oldRelease = release
	}
	asked.Simulator, err = asked.Simulator.With(asked.Simulator.State().With(cluster.Object{Object: it.old}))
	return err
}

// Err returns the first error in Errs.
func (it *Item) Err() error {
	for _, err := range it.Errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// Run has the runners answer the requests of a corpus. It calls judge for each request, many at once, and then take, in
// order, with the result of judge. Written requests are answered one after the other, since each finds the cluster as
// the one before left it.
func Run[J any](ctx context.Context, corpus Corpus, all Runners, jobs int, judge func(context.Context, *Item) J, take func(*Item, J) error) error {
	workers := make([]func(context.Context, *judged[J]), max(jobs, 1))
	for i := range workers {
		workers[i] = func(ctx context.Context, j *judged[J]) { j.judge(ctx, judge) }
	}
	return ordered.Run(ctx, 16*len(workers), workers, func(ctx context.Context, put func(*judged[J]) bool) error {
		f := &feeder{Runners: all, world: all.World(), put: func(it *Item) bool { return put(&judged[J]{Item: it}) }}
		return f.feed(ctx, corpus)
	}, func(j *judged[J]) error { return j.taken(take) })
}

// A judged is an item with the result of judge.
type judged[J any] struct {
	*Item
	made J
}

// judge calls judge for the item. A panic is recorded as an error of the item.
func (it *judged[J]) judge(ctx context.Context, judge func(context.Context, *Item) J) {
	var err error
	defer func() {
		if err != nil {
			it.Errs[0] = fmt.Errorf("%s: %w", it.Source(), err)
		}
	}()
	defer bug.Catch(&err)
	it.made = judge(ctx, it.Item)
}

// taken calls take for the item. If take panics, it is called again with the panic as an error of the item.
func (it *judged[J]) taken(take func(*Item, J) error) error {
	guarded := func() (err error) {
		defer bug.Catch(&err)
		return take(it.Item, it.made)
	}
	err := guarded()
	if caught := (*bug.Error)(nil); it.Err() != nil || !errors.As(err, &caught) {
		return err
	}
	it.Errs[0] = fmt.Errorf("%s: %w", it.Source(), err)
	return guarded()
}

// after moves the runner to the cluster after the request.
func (run *Runner) after(ctx context.Context, it *Item, i int) (err error) {
	defer bug.Catch(&err)
	switch {
	case it.Recorded != nil:
		return run.settle(it.Recorded)
	case it.Prepared != nil:
		return nil
	}
	it.Answer(ctx, i)
	if it.Results[i] != nil {
		run.sim = it.Results[i].Next
	}
	return nil
}
