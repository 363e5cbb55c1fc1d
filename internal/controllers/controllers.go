// Package controllers is the few controllers of a living cluster without which clients hang: a
// namespace that is deleted goes, new ones have an account and the certificate of the server, what is owned goes
// with its owner, CustomResourceDefinitions are established, quotas are counted anew, roles are aggregated, and pods that
// are deleted end.
//
// Start with [Start]. They watch a store, and write to it as the users that they are in a cluster, through
// admission. Nothing here starts anything: a Deployment has no pods.
//
// A controller is a file, and a row in the table of this one.
package controllers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A controller looks at each write, in order.
type controller struct {
	name string
	// start is called with each object that exists at first; may be nil.
	start func(c *Controllers, object runtime.Object)
	react func(c *Controllers, ctx context.Context, e *store.Event)
	// before is what it would have done by now with what is there at first, which is not admitted again.
	before func(*simulator.Simulator) (*cluster.State, error)
}

// table has all of them, by their names in kube-controller-manager where they have one there.
var table = []controller{
	{name: "customresourcedefinition-controller", react: establish, before: established},
	{name: "serviceaccount-controller", react: addAccount},
	{name: "serviceaccount-token-controller", start: fillTokenAtFirst, react: fillToken},
	{name: "root-ca-certificate-publisher-controller", react: addCertificate},
	{name: "pod-termination", react: endPod},
	{name: "garbage-collector-controller", start: (*Controllers).noteOwners, react: collect},
	{name: "namespace-controller", react: emptyNamespace},
	{name: "resourcequota-controller", react: recount},
	{name: "clusterrole-aggregation-controller", react: aggregate},
}

// Names are those of all controllers.
func Names() (names []string) {
	for _, c := range table {
		names = append(names, c.name)
	}
	return names
}

// Options say which controllers run.
type Options struct {
	// Which are the names of those that run, as for kube-controller-manager: * is all, -NAME is not that
	// one. Empty: all.
	Which []string

	// Token makes the token that a Secret of an account holds. Nil: they get none.
	Token func(account *corev1.ServiceAccount, secret string) (string, error)

	// Wrote is called for each answer to a request of a controller. Nil: nobody is told.
	Wrote func(Write)

	// Failed is called with the errors of controllers. Nil: errors are dropped.
	Failed func(error)
}

// A Write is a request of a controller, and the answer.
type Write struct {
	Request rest.Request
	Began   time.Time
	Found   *simulator.Simulator // of the cluster before it
	Result  *simulator.Result
}

// Check refuses names that no controller has.
func (o Options) Check() error {
	for _, name := range o.Which {
		plain := strings.TrimPrefix(name, "-")
		if name != "*" && !slices.Contains(Names(), plain) {
			return didyoumean.Unknown(fmt.Sprintf("unknown controller %q", plain), plain, Names())
		}
	}
	return nil
}

func (o Options) runs(name string) bool {
	all := len(o.Which) == 0
	for _, said := range o.Which {
		switch said {
		case name:
			return true
		case "-" + name:
			return false
		case "*":
			all = true
		}
		if strings.HasPrefix(said, "-") && !slices.ContainsFunc(o.Which, func(s string) bool { return !strings.HasPrefix(s, "-") }) {
			all = true // only those that do not run are named
		}
	}
	return all
}

// Controllers watch a store.
type Controllers struct {
	options Options
	store   *store.Store
	running []controller
	done    chan struct{}
	owned   owners

	mutex   sync.Mutex
	reached int64 // all writes up to this revision were looked at
	moved   chan struct{}
}

// Start starts them. They run until ctx is done.
func Start(ctx context.Context, s *store.Store, o Options) (*Controllers, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	c := &Controllers{options: o, store: s, done: make(chan struct{}), moved: make(chan struct{}), owned: newOwners()}
	for _, one := range table {
		if o.runs(one.name) {
			c.running = append(c.running, one)
		}
		if o.runs(one.name) && one.before != nil {
			if err := s.Write(one.before); err != nil {
				return nil, err
			}
		}
	}
	state := s.Latest().State()
	c.reached = state.Writes()
	for object := range state.All() {
		for _, one := range c.running {
			if one.start != nil {
				one.start(c, object.Object)
			}
		}
	}
	go func() {
		defer close(c.done)
		c.run(ctx)
	}()
	return c, nil
}

// Wait waits until they have ended, which they do when the context of [Start] does.
func (c *Controllers) Wait() { <-c.done }

// Settled waits until they looked at all writes up to a revision, but not for long: one of them may be
// waiting for a webhook, and that for whoever waits here.
func (c *Controllers) Settled(ctx context.Context, revision int64) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	for {
		c.mutex.Lock()
		reached, moved := c.reached, c.moved
		c.mutex.Unlock()
		if reached >= revision {
			return
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return
		case <-c.done:
			return
		}
	}
}

func (c *Controllers) run(ctx context.Context) {
	for {
		events, upTo, more, err := c.store.Since(c.reached)
		if err != nil { // they were too slow: what happened in between they have not seen
			c.failed(err)
			c.reach(c.store.Latest().State().Writes())
			continue
		}
		for i := range events {
			for _, one := range c.running {
				if ctx.Err() != nil {
					return
				}
				one.react(c, ctx, &events[i])
			}
			c.reach(events[i].Revision)
		}
		c.reach(upTo)
		select {
		case <-more:
		case <-ctx.Done():
			return
		}
	}
}

func (c *Controllers) reach(revision int64) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if revision > c.reached {
		c.reached = revision
		close(c.moved)
		c.moved = make(chan struct{})
	}
}

func (c *Controllers) failed(err error) {
	if c.options.Failed != nil {
		c.options.Failed(err)
	}
}

// do sends a request, and is false if it was refused. That something is gone, or there already, is no
// failure: another writer was faster.
func (c *Controllers) do(ctx context.Context, req rest.Request) (done bool) {
	w := Write{Request: req, Began: time.Now(), Found: c.store.Latest()}
	result, err := c.store.Do(ctx, req)
	if err != nil {
		c.failed(err)
		return false
	}
	if c.options.Wrote != nil {
		w.Result = result
		c.options.Wrote(w)
	}
	if result.Code < 400 {
		return true
	}
	if result.Code != 404 && result.Code != 409 {
		c.failed(fmt.Errorf("%s could not %s %s %s/%s: %s", req.User.Username, req.Verb, req.Resource.Resource, req.Namespace, req.Name, result.Status().Message))
	}
	return false
}

// as is a controller of kube-controller-manager as a user.
func as(name string) authenticationv1.UserInfo { return admission.Controller(name) }

func (c *Controllers) create(ctx context.Context, user authenticationv1.UserInfo, resource schema.GroupVersionResource, object runtime.Object) {
	if req, ok := c.about(object, resource, user); ok {
		req.Verb, req.Name = rest.Create, ""
		c.do(ctx, req)
	}
}

// about is a request with an object as its body; ok is false if it has failed.
func (c *Controllers) about(object runtime.Object, resource schema.GroupVersionResource, user authenticationv1.UserInfo) (req rest.Request, ok bool) {
	body, err := json.Marshal(object)
	if err != nil {
		c.failed(err)
		return req, false
	}
	m, err := meta.Accessor(object)
	if err != nil {
		c.failed(err)
		return req, false
	}
	return rest.Request{Resource: resource, Namespace: m.GetNamespace(), Name: m.GetName(), Body: body, User: user}, true
}

// patch changes an object by a merge patch.
func (c *Controllers) patch(ctx context.Context, user authenticationv1.UserInfo, k cluster.Key, subresource string, patch any) bool {
	body, err := json.Marshal(patch)
	if err != nil {
		c.failed(err)
		return false
	}
	resource, ok := resourceOf(c.store.Latest(), k.GroupKind)
	return ok && c.do(ctx, rest.Request{
		Verb: rest.Patch, PatchType: rest.MergePatch, Resource: resource, Subresource: subresource, Namespace: k.Namespace, Name: k.Name, Body: body, User: user,
	})
}

// apply has a controller own what it says of an object, whoever owned it before. A server that knows nothing of owners merges it.
func (c *Controllers) apply(ctx context.Context, name string, resource schema.GroupVersionResource, object runtime.Object) {
	req, ok := c.about(object, resource, as(name))
	if !ok {
		return
	}
	req.Verb, req.PatchType = rest.Patch, rest.MergePatch
	if c.store.Latest().Release().Has(kubeversion.ServerSideApply) {
		req.PatchType, req.Query = rest.ApplyPatch, url.Values{"fieldManager": {name}, "force": {"true"}}
	}
	c.do(ctx, req)
}

// delete deletes an object.
func (c *Controllers) delete(ctx context.Context, user authenticationv1.UserInfo, k cluster.Key, options map[string]any) bool {
	resource, ok := resourceOf(c.store.Latest(), k.GroupKind)
	if !ok {
		return false
	}
	options["apiVersion"], options["kind"] = "v1", "DeleteOptions"
	body, err := json.Marshal(options)
	if err != nil {
		c.failed(err)
		return false
	}
	return c.do(ctx, rest.Request{Verb: rest.Delete, Resource: resource, Namespace: k.Namespace, Name: k.Name, Body: body, User: user})
}

// resourceOf is the resource that objects of a stored kind are reached by.
func resourceOf(sim *simulator.Simulator, kind schema.GroupKind) (schema.GroupVersionResource, bool) {
	for _, r := range sim.Resources().All() {
		if r.Served && r.Storage.GroupKind() == kind {
			return r.GroupVersionResource, true
		}
	}
	return schema.GroupVersionResource{}, false
}
