// Package controllers has the few controllers without which clients hang: they remove deleted namespaces, give new ones
// a service account and the server's CA certificate, collect garbage, establish CustomResourceDefinitions, check
// APIServices, repair addresses and ports, recalculate quotas, aggregate roles, and end pods that are deleted.
//
// Start with [Start]. The controllers watch a store, and write to it through admission, as the users that they are in a
// real cluster. None of them starts anything: a Deployment gets no pods.
//
// Each controller is a file, and a row in the table in this one.
package controllers

import (
	"cmp"
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
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// A controller reacts to each write, in order.
type controller struct {
	name string
	// start is called with each initial object; may be nil.
	start func(c *Controllers, object runtime.Object)
	// react is called with each write; may be nil.
	react func(c *Controllers, ctx context.Context, e *store.Event)
	// lists says that the controller lists all objects when something happens, also those that are not initialized.
	lists bool
	// run does what the controller does without a write; may be nil.
	run func(c *Controllers, ctx context.Context)
	// before returns the initial state with what the controller would have done to it by now, which is not admitted
	// again.
	before func(*simulator.Simulator) (*cluster.State, error)
	// takes makes the cluster leave to the controller what it would do at once; may be nil.
	takes func(*simulator.Simulator) (*simulator.Simulator, error)
}

// table has all controllers, named as in kube-controller-manager if they exist there.
var table = []controller{
	{name: "customresourcedefinition-controller", react: establish, before: established, takes: (*simulator.Simulator).KeepDefinitions},
	{name: "crd-autoregister-controller", react: register, before: registered},
	{name: "apiservice-status-available-controller", react: checkAPIServices, before: availableAPIServices},
	{name: repairName, react: repairWritten, run: runRepairs, takes: (*simulator.Simulator).FreeAddresses},
	{name: portRepairName, run: runPortRepairs},
	{name: "serviceaccount-controller", react: addAccount},
	{name: "serviceaccount-token-controller", start: fillTokenAtFirst, react: fillToken},
	{name: "root-ca-certificate-publisher-controller", react: addCertificate},
	{name: "pod-termination", react: endPod},
	{name: "garbage-collector-controller", start: (*Controllers).noteOwners, react: collect},
	{name: "namespace-controller", react: emptyNamespace, lists: true},
	{name: "resourcequota-controller", react: recount},
	{name: "clusterrole-aggregation-controller", react: aggregate},
}

// Names returns the names of all controllers.
func Names() (names []string) {
	for _, c := range table {
		names = append(names, c.name)
	}
	return names
}

// Options configure which controllers run.
type Options struct {
	// Which holds the names of the controllers that run, as for kube-controller-manager: * is all, -NAME excludes one.
	// Empty: all.
	Which []string

	// Token returns the token for a Secret of a service account. Nil: Secrets get no tokens.
	Token func(account *corev1.ServiceAccount, secret string) (string, error)

	// Wrote is called for each answer to a request of a controller, by several goroutines. May be nil.
	Wrote func(Write)

	// Failed is called with the errors of controllers, by several goroutines. Nil: errors are dropped.
	Failed func(error)
}

// A Write is a request of a controller, and the answer.
type Write struct {
	Request rest.Request
	Began   time.Time
	Found   *simulator.Simulator // of the cluster before it
	Result  *simulator.Result
}

// Check refuses the names of unknown controllers.
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
	for _, word := range o.Which {
		switch word {
		case name:
			return true
		case "-" + name:
			return false
		case "*":
			all = true
		}
		if strings.HasPrefix(word, "-") && !slices.ContainsFunc(o.Which, func(s string) bool { return !strings.HasPrefix(s, "-") }) {
			all = true // only exclusions are named
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
	waiting sync.WaitGroup // what happens later
	owned   owners
	repairs repairs

	checking         sync.Mutex // of addresses and ports
	addressAllocator allocator
	portAllocator    allocator
	lastEvent        time.Time

	mutex   sync.Mutex
	reached int64 // all writes up to this revision were handled
	moved   chan struct{}
}

// Start starts the controllers. They run until ctx is done.
func Start(ctx context.Context, s *store.Store, o Options) (*Controllers, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	c := &Controllers{
		options: o, store: s, done: make(chan struct{}), moved: make(chan struct{}), owned: newOwners(), repairs: newRepairs(),
		addressAllocator: allocator{recorder: newRecorder(repairName)}, portAllocator: allocator{recorder: newRecorder(portRepairName), ports: true},
	}
	for _, one := range table {
		if !o.runs(one.name) {
			continue
		}
		c.running = append(c.running, one)
		if one.before != nil {
			if err := s.Write(one.before); err != nil {
				return nil, err
			}
		}
		if one.takes != nil {
			if err := s.Reconfigure(one.takes); err != nil {
				return nil, err
			}
		}
	}
	state := s.Latest().State()
	c.reached = state.Writes()
	for object := range c.cached().All() {
		for _, one := range c.running {
			if one.start != nil {
				one.start(c, object.Object)
			}
		}
	}
	go func() {
		defer close(c.done)
		for _, one := range c.running {
			if one.run != nil {
				one.run(c, ctx)
			}
		}
		c.run(ctx)
	}()
	return c, nil
}

// Wait waits until the controllers have ended, which they do once the context of [Start] is done.
func (c *Controllers) Wait() {
	<-c.done
	c.waiting.Wait()
}

// later does something after some time, unless the controllers end before.
func (c *Controllers) later(ctx context.Context, after time.Duration, do func()) {
	c.waiting.Go(func() {
		select {
		case <-time.After(after):
			do()
		case <-ctx.Done():
		}
	})
}

// Settled waits until the controllers have handled all writes up to a revision, for a second at most: one of them may
// be waiting for a webhook that waits for the caller.
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
		if err != nil { // they were too slow, and missed events
			c.failed(err)
			c.reach(c.store.Latest().State().Writes())
			continue
		}
		for i := range events {
			seen := c.seen(&events[i])
			for _, one := range c.running {
				if ctx.Err() != nil {
					return
				}
				switch {
				case one.react == nil:
				case one.lists:
					one.react(c, ctx, &events[i])
				case seen != nil:
					one.react(c, ctx, seen)
				}
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

// cached returns the cluster as the caches of controllers have it.
func (c *Controllers) cached() *cluster.State { return cachedOf(c.store.Latest()) }

func cachedOf(sim *simulator.Simulator) *cluster.State {
	return objects.Cached(sim.State(), sim.Release())
}

// sees reports whether controllers see an object.
func (c *Controllers) sees(o cluster.Object) bool {
	return o.Object != nil && objects.IsCached(o.Object, c.store.Latest().Release())
}

// seen returns an event as controllers see it, or nil if they do not: an object that becomes initialized is new to them.
func (c *Controllers) seen(e *store.Event) *store.Event {
	before, after := c.sees(e.Before), c.sees(e.After)
	if before == (e.Before.Object != nil) && after == (e.After.Object != nil) {
		return e
	}
	if !before && !after {
		return nil
	}
	seen := *e
	if !before {
		seen.Before = cluster.Object{}
	}
	if !after {
		seen.After = cluster.Object{}
	}
	return &seen
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

// userAgent is the user agent of all controllers in a cluster, and the manager of the fields that they write.
const userAgent = "kube-controller-manager"

// do sends a request, and returns false if it was refused. That an object is already gone or already exists is not a
// failure: another writer was faster.
func (c *Controllers) do(ctx context.Context, req rest.Request) (done bool) {
	w, err := c.ask(ctx, req)
	if err == nil && w.Result.Waits > 0 { // the controller waits, and does not stop others
		c.waiting.Go(func() {
			if w.Result, err = c.store.Initialized(ctx, w.Result); ctx.Err() == nil {
				c.wrote(w, err)
			}
		})
		return false
	}
	return c.wrote(w, err)
}

// wrote reports a request of do, and returns false if it was refused.
func (c *Controllers) wrote(w Write, err error) bool {
	if err != nil {
		c.failed(err)
		return false
	}
	c.report(w)
	req, result := w.Request, w.Result
	if result.Code < 400 {
		return true
	}
	if result.Code != 404 && result.Code != 409 {
		c.failed(fmt.Errorf("%s could not %s %s %s/%s: %s", req.User.Username, req.Verb, req.Resource.Resource, req.Namespace, req.Name, result.Status().Message))
	}
	return false
}

// send sends a request that never waits for another client.
func (c *Controllers) send(ctx context.Context, req rest.Request) (*simulator.Result, error) {
	w, err := c.ask(ctx, req)
	if err == nil {
		c.report(w)
	}
	return w.Result, err
}

// ask sends a request, and does not report it yet.
func (c *Controllers) ask(ctx context.Context, req rest.Request) (w Write, err error) {
	req.UserAgent = cmp.Or(req.UserAgent, userAgent)
	w = Write{Request: req, Began: time.Now(), Found: c.store.Latest()}
	w.Result, err = c.store.Do(ctx, req)
	return w, err
}

func (c *Controllers) report(w Write) {
	if c.options.Wrote != nil {
		c.options.Wrote(w)
	}
}

// as returns the user of a controller of kube-controller-manager.
func as(name string) authenticationv1.UserInfo { return admission.Controller(name) }

func (c *Controllers) create(ctx context.Context, user authenticationv1.UserInfo, resource schema.GroupVersionResource, object runtime.Object) {
	if req, ok := c.about(object, resource, user); ok {
		req.Verb, req.Name = rest.Create, ""
		c.do(ctx, req)
	}
}

// about returns a request with an object as its body; ok is false on failure.
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

// patch sends req as a merge patch of an object.
func (c *Controllers) patch(ctx context.Context, req rest.Request, k cluster.Key, subresource string, patch any) bool {
	body, err := json.Marshal(patch)
	if err != nil {
		c.failed(err)
		return false
	}
	resource, ok := resourceOf(c.store.Latest(), k.GroupKind)
	req.Verb, req.PatchType, req.Body = rest.Patch, rest.MergePatch, body
	req.Resource, req.Subresource, req.Namespace, req.Name = resource, subresource, k.Namespace, k.Name
	return ok && c.do(ctx, req)
}

// apply makes a controller the owner of the fields in an object, whoever owned them before. Servers without server-side
// apply merge it.
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

// resourceOf returns the resource that serves objects of a stored kind.
func resourceOf(sim *simulator.Simulator, kind schema.GroupKind) (schema.GroupVersionResource, bool) {
	for _, r := range sim.Resources().All() {
		if r.Served && r.Storage.GroupKind() == kind {
			return r.GroupVersionResource, true
		}
	}
	return schema.GroupVersionResource{}, false
}
