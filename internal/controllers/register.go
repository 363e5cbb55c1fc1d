package controllers

import (
	"context"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

var apiServices = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

// register keeps the APIServices of served versions of custom resources as they should be:
// kubernetes/kubernetes:pkg/controlplane/controller/crdregistration/crdregistration_controller.go.
func register(c *Controllers, ctx context.Context, e *store.Event) {
	switch e.GroupKind {
	case definition:
		for gv := range versionsOf(c.definitionOf(e.Before), c.definitionOf(e.After)) {
			c.register(ctx, gv)
		}
	case apiService:
		for _, o := range []cluster.Object{e.Before, e.After} {
			if s, ok := o.Object.(*builtin.APIService); ok {
				c.register(ctx, schema.GroupVersion{Group: s.Spec.Group, Version: s.Spec.Version})
				break // neither of the two changes
			}
		}
	}
}

// versionsOf returns the versions of definitions, and whether they are served.
func versionsOf(all ...*apiextensionsv1.CustomResourceDefinition) map[schema.GroupVersion]bool {
	versions := map[schema.GroupVersion]bool{}
	for _, crd := range all {
		if crd == nil {
			continue
		}
		for _, v := range crd.Spec.Versions {
			gv := schema.GroupVersion{Group: crd.Spec.Group, Version: v.Name}
			versions[gv] = versions[gv] || v.Served
		}
	}
	return versions
}

// definitions returns all definitions.
func (c *Controllers) definitions() (all []*apiextensionsv1.CustomResourceDefinition) {
	for o := range c.store.Latest().State().List(definition, "") {
		all = append(all, c.definitionOf(o))
	}
	return all
}

func (c *Controllers) register(ctx context.Context, gv schema.GroupVersion) {
	sim := c.store.Latest()
	if sim.Release().Serves(gv) {
		return
	}
	wanted := bootstrap.CustomAPIService(gv)
	found, exists := cluster.Get[*builtin.APIService](sim.State(), apiService, "", wanted.Name)
	switch served := versionsOf(c.definitions()...)[gv]; {
	case !exists && served:
		c.registerAs(ctx, rest.Create, wanted)
	case !exists || found.Labels[bootstrap.AutoManaged] != bootstrap.Always:
		// It is not needed, or somebody else's.
	case !served:
		c.delete(ctx, rest.Request{}.ByServer().User, cluster.KeyOf(found), map[string]any{"preconditions": map[string]any{"uid": found.UID}})
	case !apiequality.Semantic.DeepEqual(found.Spec, wanted.Spec):
		changed := found.DeepCopy()
		changed.Spec = wanted.Spec
		c.registerAs(ctx, rest.Update, changed)
	}
}

// registerAs sends an APIService.
func (c *Controllers) registerAs(ctx context.Context, verb string, s *builtin.APIService) {
	if req, ok := c.about(s, apiServices, rest.Request{}.ByServer().User); ok {
		if req.Verb = verb; verb == rest.Create {
			req.Name = ""
		}
		c.do(ctx, req.ByServer())
	}
}

// registered returns the cluster with the APIServices of all initial definitions.
func registered(sim *simulator.Simulator) (*cluster.State, error) {
	state, now := sim.State(), time.Now()
	for o := range state.List(definition, "") {
		crd, ok := sim.View().Types().InV1(o.Object, definition).(*apiextensionsv1.CustomResourceDefinition)
		if !ok {
			continue
		}
		for gv, served := range versionsOf(crd) {
			key := cluster.KeyOf(bootstrap.CustomAPIService(gv))
			if _, exists := state.Find(key); !served || exists || sim.Release().Serves(gv) {
				continue
			}
			state = state.With(cluster.Object{Object: bootstrap.Registered(gv, sim.Release(), now)})
		}
	}
	return state, nil
}
