package whatif

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

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

// A player has one world answer the requests of a corpus.
type player struct {
	maker    Maker
	ground   *Ground // that it stands on
	world    *world.World
	sim      *simulator.Simulator // of the cluster as it is by now
	defaults scenario.Defaults
}

func newPlayer(maker Maker, d scenario.Defaults) (*player, error) {
	p := &player{maker: maker, defaults: d}
	return p, p.enter(nil)
}

// enter has the player begin anew on a ground.
func (p *player) enter(on *Ground) (err error) {
	if p.world == nil || p.ground != on {
		if p.world, err = p.maker(on, nil); err != nil {
			return err
		}
		p.ground = on
	}
	p.sim = p.world.Simulator()
	return nil
}

// A cast is who answers the requests of a corpus: the players, all of them, and who would answer
// for webhooks in what is tried out beside, in the world of the first player.
type cast struct {
	players []*player
	trials  []func(Who) Who
}

// A stage is what all turns on one ground have in common.
type stage struct {
	ground *Ground
	trials []func() (*world.World, error) // made when they are first asked for: few requests need most of them
	graph  func() *dependency.Graph
}

func (c cast) stage(ground *Ground) *stage {
	maker, sim := c.players[0].maker, c.players[0].sim
	s := &stage{ground: ground, graph: sync.OnceValue(func() *dependency.Graph { return Dependencies(sim) })}
	for _, change := range c.trials {
		s.trials = append(s.trials, sync.OnceValues(func() (*world.World, error) { return maker(ground, change) }))
	}
	return s
}

// tried is the simulator of a trial in a cluster.
func (s *stage) tried(trial int, in *cluster.State) (*simulator.Simulator, error) {
	w, err := s.trials[trial]()
	if err != nil {
		return nil, err
	}
	return w.Simulator().With(in)
}

// ask makes a request ready. It is called in the order of the corpus.
func (p *player) ask(r Request) (_ world.Asked, err error) {
	defer bug.Catch(&err)
	switch {
	case r.Written != nil:
		return p.world.Ask(p.sim, *r.Written, p.defaults)
	case r.Prepared != nil:
		return p.askPrepared(r.Prepared)
	case r.Step != nil:
		return r.Step.Ask(p.world, p.sim)
	}
	if err := p.assumeNamespace(r.Recorded); err != nil {
		return world.Asked{}, err
	}
	return p.askRecorded(r.Recorded)
}

func (p *player) askRecorded(r *recording.Record) (world.Asked, error) {
	from := scenario.Request{Source: scenario.Source{File: r.File, Line: r.Line}, Review: r.Review}
	if r.Review != nil {
		return p.world.Ask(p.sim, from, p.defaults)
	}
	return world.Asked{From: from, API: *r.Request, Simulator: p.sim}, nil // without its object: see restore
}

// askPrepared has the namespace and the account there that the request is about.
func (p *player) askPrepared(r *Prepared) (a world.Asked, err error) {
	state := p.sim.State()
	if r.Request.Namespace != "" {
		state = withNamespace(state, r.Request.Namespace)
	}
	state = withAccount(state, r.Request.Object)
	if state != p.sim.State() {
		if p.sim, err = p.sim.With(state); err != nil {
			return a, err
		}
	}
	return world.Asked{From: scenario.Request{Label: r.Label}, Review: &r.Request, Simulator: p.sim}, nil
}

// assumeNamespace has the namespace there that a recorded request is in: it was.
func (p *player) assumeNamespace(r *recording.Record) error {
	name := r.Namespace
	if name == "" || r.Resource.GroupResource() == (schema.GroupResource{Resource: "namespaces"}) {
		return nil
	}
	state := withNamespace(p.sim.State(), name)
	if state == p.sim.State() {
		return nil
	}
	sim, err := p.sim.With(state)
	if err == nil {
		p.sim = sim
	}
	return err
}

// Kinds that admission looks up while it is about others, and that are few. Webhooks and
// policies are not among them: they are what a world is made of.
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

// definitions are of custom resources. Those that a world is made of stay as they are: they may
// be what differs from the other one.
var definitions = schema.GroupResource{Group: apiextensionsv1.GroupName, Resource: "customresourcedefinitions"}

// settle takes over what a recorded request did to things that admission looks up.
func (p *player) settle(r *recording.Record) error {
	for _, e := range r.Effects {
		gr := schema.GroupResource{Group: e.Key.Group, Resource: e.Key.Resource}
		if e.Unknown != "" || !slices.Contains(settings, gr) || gr == definitions && p.defines(e.Key.Name) {
			continue
		}
		state := p.sim.State()
		if e.Object == nil {
			state = p.without(state, gr, e.Key)
		} else {
			object, err := p.sim.Stored(e.Object)
			if err != nil {
				continue // of a version that this release does not have
			}
			if m, err := meta.Accessor(object); err != nil || m.GetName() == "" {
				continue
			}
			state = state.With(cluster.Object{Object: object})
			if gr.Resource == "namespaces" {
				state = simulator.AssumeControllers(state)
			}
		}
		sim, err := p.sim.With(state)
		if err != nil {
			return err
		}
		p.sim = sim
	}
	return nil
}

// defines tells whether the world has the definition of that name by itself.
func (p *player) defines(name string) bool {
	_, ok := p.world.Simulator().State().Find(cluster.Key{GroupKind: apiextensionsv1.Kind("CustomResourceDefinition"), Name: name})
	return ok
}

func (p *player) without(s *cluster.State, gr schema.GroupResource, k recording.Key) *cluster.State {
	kinds := map[string]string{
		"namespaces": "Namespace", "serviceaccounts": "ServiceAccount", "limitranges": "LimitRange", "priorityclasses": "PriorityClass",
		"runtimeclasses": "RuntimeClass", "storageclasses": "StorageClass", "ingressclasses": "IngressClass", "customresourcedefinitions": "CustomResourceDefinition",
	}
	return s.Without(cluster.Key{GroupKind: schema.GroupKind{Group: gr.Group, Kind: kinds[gr.Resource]}, Namespace: k.Namespace, Name: k.Name})
}

// A turn is one request of a corpus as all players see it.
type turn struct {
	Request
	number int // in the order of the corpus
	*stage
	asked   []world.Asked // by player; only the first of them may be asked
	results []*simulator.Result
	errs    []error // admsim cannot tell

	old        runtime.Object       // of a recorded request, before it
	oldRelease *kubeversion.Release // whose object that is
}

// answer has player i answer, unless it did.
func (t *turn) answer(ctx context.Context, i int) {
	if t.results[i] != nil || t.errs[i] != nil {
		return
	}
	if t.errs[i] = t.restore(i); t.errs[i] == nil {
		t.results[i], t.errs[i] = t.asked[i].Answer(ctx)
	}
}

// restore puts the object that a recorded request is about into the cluster of player i, as
// it was then. It is read here, where many are at once, and once for worlds that read it in
// the same way.
func (t *turn) restore(i int) (err error) {
	r := t.Recorded
	if r == nil || r.Review != nil || r.Old.Knowledge != recording.Exists {
		return nil
	}
	asked := &t.asked[i]
	release := asked.Simulator.Types().Release()
	_, custom := t.old.(runtime.Unstructured)
	if t.old == nil || custom || t.oldRelease.Version != release.Version {
		if t.old, err = asked.Simulator.Stored(r.Old.Object); err != nil {
			return fmt.Errorf("%s: the object before: %w", asked.From.Source, err)
		}
		t.oldRelease = release
	}
	asked.Simulator, err = asked.Simulator.With(asked.Simulator.State().With(cluster.Object{Object: t.old}))
	return err
}

// err is the first of errs.
func (t *turn) err() error {
	for _, err := range t.errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// play has the players answer the requests of a corpus: judge is called for each request,
// many side by side, and take afterwards, in order. Written requests are answered one
// after the other, since each finds what the one before left.
func play(ctx context.Context, corpus Corpus, c cast, jobs int, judge func(context.Context, *turn), take func(*turn) error) error {
	crew := make([]func(context.Context, *turn), max(jobs, 1))
	for i := range crew {
		crew[i] = func(ctx context.Context, t *turn) { t.judged(ctx, judge) }
	}
	return ordered.Run(ctx, 16*len(crew), crew, func(ctx context.Context, put func(*turn) bool) error {
		f := &feeder{cast: c, stage: c.stage(nil), put: put}
		return f.feed(ctx, corpus)
	}, func(t *turn) error { return t.taken(take) })
}

// judged has judge look at the turn. A bug is why admsim cannot tell.
func (t *turn) judged(ctx context.Context, judge func(context.Context, *turn)) {
	var err error
	defer func() {
		if err != nil {
			t.errs[0] = fmt.Errorf("%s: %w", t.Source(), err)
		}
	}()
	defer bug.Catch(&err)
	judge(ctx, t)
}

// taken has take have the turn; if that is a bug, as one of which admsim cannot tell.
func (t *turn) taken(take func(*turn) error) error {
	guarded := func() (err error) {
		defer bug.Catch(&err)
		return take(t)
	}
	err := guarded()
	if caught := (*bug.Error)(nil); t.err() != nil || !errors.As(err, &caught) {
		return err
	}
	t.errs[0] = fmt.Errorf("%s: %w", t.Source(), err)
	return guarded()
}

// after moves the player on to the cluster behind the request.
func (p *player) after(ctx context.Context, t *turn, i int) (err error) {
	defer bug.Catch(&err)
	switch {
	case t.Recorded != nil:
		return p.settle(t.Recorded)
	case t.Prepared != nil:
		return nil
	}
	t.answer(ctx, i)
	if t.results[i] != nil {
		p.sim = t.results[i].Next
	}
	return nil
}
