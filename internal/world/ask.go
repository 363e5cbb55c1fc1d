package world

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// Asked is a request that is ready for a cluster: everything that its author left open is filled in.
type Asked struct {
	From scenario.Request // as its author wrote it

	// API is the request to the API server. Review is set instead if the server has already prepared the objects, as in
	// a recorded AdmissionReview.
	API    rest.Request
	Review *admission.Request

	// Simulator is the simulator of the cluster that the request finds, including the object that the request itself
	// says was there before.
	Simulator *simulator.Simulator

	// Warnings are about how the request was written.
	Warnings []*scenario.Error
}

// HasNamespace reports whether the cluster that the request finds has a namespace.
func (a Asked) HasNamespace(name string) bool {
	_, there := a.Simulator.State().Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "Namespace"}, Name: name})
	return there
}

// PlaceOf returns where the object of that name, of the resource of the request, was written; empty if it was not
// written in a file, or is not in the cluster.
func (a Asked) PlaceOf(namespace, name string) string {
	o, _ := a.Find(a.Simulator, namespace, name)
	return o.Source
}

// Find returns the object of that name, of the resource of the request, that is in the cluster of a simulator.
func (a Asked) Find(in *simulator.Simulator, namespace, name string) (o cluster.Object, exists bool) {
	resource, ok := in.Resources().Resource(a.API.Resource)
	if !ok {
		return o, false
	}
	return in.State().Find(cluster.Key{GroupKind: resource.Storage.GroupKind(), Namespace: namespace, Name: name})
}

// Lacks says that a request without a body is about an object that does not exist, and which one may be meant. It returns
// "" if the object exists, or if the request creates it.
func (a Asked) Lacks() string {
	q := a.API
	creates := q.Verb == rest.Create && q.Subresource == ""
	resource, ok := a.Simulator.Resources().Resource(q.Resource)
	if a.Review != nil || q.Name == "" || len(q.Body) > 0 || creates || !ok {
		return ""
	}
	if _, exists := a.Find(a.Simulator, q.Namespace, q.Name); exists {
		return ""
	}
	if q.Verb == rest.Update && a.Simulator.View().Types().Behaviour(resource.Kind).CreateOnUpdate {
		return ""
	}
	text := "the server would answer 404: "
	if q.Verb == rest.Patch {
		text = "the server would answer 404, unless the patch is an apply: "
	}
	var names []string
	for o := range a.Simulator.State().List(resource.Storage.GroupKind(), q.Namespace) {
		names = append(names, cluster.KeyOf(o.Object).Name)
	}
	return text + resource.HintObject(q.Namespace, q.Name, names)
}

// Ask prepares r for the cluster of sim, which is w's or one that earlier requests left. The error may be a
// [scenario.Errors].
func (w *World) Ask(sim *simulator.Simulator, r scenario.Request, d scenario.Defaults) (a Asked, err error) {
	a = Asked{From: r, Simulator: sim}
	defer func() { err = a.aboutBug(err) }()
	defer bug.Catch(&err)
	if r.Review != nil {
		req, err := r.Admission(sim.Resources(), sim.View().Types(), d)
		a.Review = &req
		return a, err
	}
	if a.API, err = r.API(sim.Resources(), d); err != nil {
		return a, err
	}
	if err = w.addOld(&a); err != nil {
		return a, err
	}
	return a, a.startFromCurrent()
}

// addOld puts the old object of a request into the cluster that the request finds.
func (w *World) addOld(a *Asked) error {
	old := a.From.OldObject
	if old == nil {
		return nil
	}
	reader, err := scenario.NewObjectReader(a.Simulator.State(), w.reading)
	if err != nil {
		return err
	}
	object, warnings, err := reader.Read(*old)
	a.Warnings = warnings
	if err != nil || object.Object == nil {
		return err
	}
	if m, err := meta.Accessor(object.Object); err == nil && old.Namespace == "" && m.GetNamespace() != "" {
		m.SetNamespace(a.API.Namespace)
	}
	a.Simulator, err = a.Simulator.With(a.Simulator.State().With(object))
	return err
}

// startFromCurrent gives an update without a resourceVersion that of the stored object, as kubectl replace does. The
// server would otherwise refuse the update of most custom resources (W-024). Requests of programs are left as they are.
func (a *Asked) startFromCurrent() error {
	r, ok := a.Simulator.Resources().Resource(a.API.Resource)
	if a.API.Verb != rest.Update || a.From.Source == (scenario.Source{}) || !ok || !a.Simulator.View().Types().Behaviour(r.Kind).NeedsVersion {
		return nil
	}
	stored, ok := a.Find(a.Simulator, a.API.Namespace, a.API.Name)
	if !ok {
		return nil
	}
	current, err := meta.Accessor(stored.Object)
	if err != nil {
		return err
	}
	var object map[string]any
	numbers := json.NewDecoder(bytes.NewReader(a.API.Body))
	numbers.UseNumber()
	if numbers.Decode(&object) != nil {
		return nil // reported by the server
	}
	metadata, ok := object["metadata"].(map[string]any)
	if !ok || metadata["resourceVersion"] != nil {
		return nil
	}
	metadata["resourceVersion"] = current.GetResourceVersion()
	a.API.Body, err = json.Marshal(object)
	return err
}

// Then returns a request that a client sends because of the answer to a, to the cluster after that answer.
func (a Asked) Then(label string, r rest.Request, answer *simulator.Result) Asked {
	return Asked{From: scenario.Request{Label: label, Source: a.From.Source}, API: r, Simulator: answer.Next}
}

// Answer makes the simulated server answer the request. If controllers are assumed, the next request finds what they
// add because of the object that this one created.
func (a Asked) Answer(ctx context.Context) (result *simulator.Result, err error) {
	defer func() { err = a.about(err) }()
	defer bug.Catch(&err)
	if a.Review != nil {
		return a.Simulator.Admit(ctx, *a.Review)
	}
	if result, err = a.Simulator.Do(ctx, a.API); err != nil {
		return nil, err
	}
	result.Next, err = a.Simulator.After(result)
	return result, err
}

// NotAdmitted returns the error that the server refused the request before admission, with the mistakes in its file that
// the refusal is about.
func (a Asked) NotAdmitted(answer *simulator.Result) error {
	why := ""
	if s := answer.Status(); s != nil {
		why = s.Message
	}
	e := &scenario.Error{Source: a.From.Source, Message: "the request does not reach admission: " + why}
	slips := append(a.From.PatchSlips(), a.From.Slips(answer.Status(), nil, a.Simulator.View().Types())...)
	if len(slips) != 1 {
		return append(scenario.Errors{e}, slips...)
	}
	e.Source, e.Hint = slips[0].Source, strings.TrimSuffix(slips[0].Message+": "+slips[0].Hint, ": ")
	return e
}

// Explain says which webhooks would be called for the request, without calling them.
func (a Asked) Explain(ctx context.Context) (explained []simulator.Explanation, err error) {
	defer func() { err = a.about(err) }()
	defer bug.Catch(&err)
	if a.Review != nil {
		one, err := a.Simulator.ExplainAdmission(ctx, *a.Review)
		return []simulator.Explanation{one}, err
	}
	return a.Simulator.Explain(ctx, a.API)
}

// aboutBug is about for bugs only: other errors of Ask already name a place where it matters.
func (a Asked) aboutBug(err error) error {
	if caught := (*bug.Error)(nil); errors.As(err, &caught) {
		return a.about(err)
	}
	return err
}

// about puts the place of the request in front of an error without a place.
func (a Asked) about(err error) error {
	var placed *scenario.Error
	if err == nil || a.From.Source == (scenario.Source{}) || errors.As(err, &placed) {
		return err
	}
	return fmt.Errorf("%s: %w", a.From.Source, err)
}
