// Package survey answers questions about all possible requests, not only about those of a corpus: which requests
// webhooks and policies are asked about, and how that changes from one world to another.
//
// Start with [NewWorld], which prepares a simulated cluster, and [Diff]. Answers are documents. The regions of requests
// in them have a sentence that describes them and a witness, which is one of the requests and can be run.
//
// Package space determines which requests are possible. This package calls no webhook.
package survey

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/space"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/matcher"
	"github.com/admsim/admsim/pkg/simulator"
)

// A World is a cluster that questions are about.
type World struct {
	Name  string // its name in answers
	hooks []hook
	space space.World

	conversions []conversion // by webhook
	unbound     []string     // policies without a binding
}

// A hook is a webhook, or a policy with one of its bindings, with its names.
type hook struct {
	space.Hook
	actor   document.Actor
	id      string // the same in all worlds
	backend string // of a webhook: the server that answers for it
	denies  bool   // it can refuse what it is asked about

	settings []setting // fields that do not affect which requests it is asked about

	// Of a policy: the expressions by which it decides, and what they mention besides the request.
	decisive  []string
	variables map[string]string
	params    []map[string]any
}

// failsOpen reports whether requests pass when the hook fails.
func (h *hook) failsOpen() bool {
	return h.FailurePolicy != nil && *h.FailurePolicy == admissionregistrationv1.Ignore
}

// kind returns the kind of hook, in words.
func (h *hook) kind() string {
	kind := "validating "
	if h.Mutating {
		kind = "mutating "
	}
	if h.Policy {
		return kind + "policy"
	}
	return kind + "webhook"
}

// apart returns the actor of a hook, with a kind if another hook has the same name.
func (w *World) apart(h *hook) document.Actor {
	actor := h.actor
	for i := range w.hooks {
		if other := w.hooks[i].actor; other.Configuration == actor.Configuration && other.Name == actor.Name && other.Plugin != actor.Plugin {
			actor.Kind, _, _ = strings.Cut(h.kind(), " ")
		}
	}
	return actor
}

// NewWorld returns the world of a simulator in which these plugins run.
func NewWorld(name string, sim *simulator.Simulator, plugins []string) World {
	w := World{Name: name, space: space.World{Release: sim.Release(), State: sim.State(), Resources: sim.Resources()}, conversions: conversionsOf(sim)}
	static := map[runtime.Object]bool{}
	for _, o := range sim.Static() {
		static[o.Object] = true
	}
	for o := range sim.WebhookConfigurations() {
		w.addWebhooks(o, static[o.Object], plugins)
	}
	policies, _ := sim.Policies()
	for _, p := range policies {
		w.addPolicy(p, static[p.Object.Object], plugins)
	}
	seen := map[string]int{}
	for i := range w.hooks {
		id := &w.hooks[i].id
		seen[*id]++
		*id = fmt.Sprintf("%s %d", *id, seen[*id])
	}
	return w
}

// pluginOf returns the plugin that calls webhooks or evaluates policies.
func pluginOf(mutating bool, what string) string {
	if mutating {
		return "MutatingAdmission" + what
	}
	return "ValidatingAdmission" + what
}

func (w *World) addWebhooks(o cluster.Object, static bool, plugins []string) {
	for i, one := range objects.Webhooks(o.Object) {
		plugin := pluginOf(one.Mutating != nil, "Webhook")
		if !slices.Contains(plugins, plugin) {
			continue
		}
		h := hook{actor: document.Actor{Plugin: plugin, Configuration: one.Configuration, Name: one.Name, Source: o.PlaceOf(fmt.Sprintf("webhooks[%d]", i))}}
		h.Mutating, h.Static, h.SideEffects, h.FailurePolicy = one.Mutating != nil, static, one.SideEffects, one.FailurePolicy
		h.Criteria = []matcher.Criteria{matcher.Webhook(one.ValidatingWebhook, nil)}
		if w.space.Release.Has(kubeversion.MatchConditions) {
			h.Conditions = one.MatchConditions
		}
		h.id = fmt.Sprintf("%s %v %s/%s", plugin, static, one.Configuration, one.Name)
		h.backend, h.denies = backendOf(one.ClientConfig), true
		h.settings = settingsOf(one.ValidatingWebhook, o, fmt.Sprintf("webhooks[%d].", i))
		if one.Mutating != nil {
			h.settings = settingsOf(one.Mutating, o, fmt.Sprintf("webhooks[%d].", i))
		}
		w.hooks = append(w.hooks, h)
	}
}

// backendOf returns the server at an address, in words.
func backendOf(c admissionregistrationv1.WebhookClientConfig) string {
	switch {
	case c.Service != nil:
		return "service " + c.Service.Namespace + "/" + c.Service.Name
	case c.URL != nil:
		if u, err := url.Parse(*c.URL); err == nil && u.Host != "" {
			return "server " + u.Host
		}
		return "server " + *c.URL
	}
	return "no server"
}

// A spec holds the fields that both kinds of policies share.
type spec struct {
	mutating   bool
	where      *admissionregistrationv1.MatchResources
	conditions []admissionregistrationv1.MatchCondition
	failure    *admissionregistrationv1.FailurePolicyType
	params     *admissionregistrationv1.ParamKind
}

func (w *World) addPolicy(p simulator.Policy, static bool, plugins []string) {
	var s spec
	switch o := p.Object.Object.(type) {
	case *admissionregistrationv1.ValidatingAdmissionPolicy:
		s = spec{false, o.Spec.MatchConstraints, o.Spec.MatchConditions, o.Spec.FailurePolicy, o.Spec.ParamKind}
	case *admissionregistrationv1.MutatingAdmissionPolicy:
		s = spec{true, o.Spec.MatchConstraints, o.Spec.MatchConditions, o.Spec.FailurePolicy, o.Spec.ParamKind}
	}
	plugin := pluginOf(s.mutating, "Policy")
	if s.where == nil || !slices.Contains(plugins, plugin) {
		return
	}
	if len(p.Bindings) == 0 {
		w.unbound = append(w.unbound, p.Key.Name)
	}
	for _, b := range p.Bindings {
		var where *admissionregistrationv1.MatchResources
		var params *admissionregistrationv1.ParamRef
		denies := false
		switch o := b.Object.Object.(type) {
		case *admissionregistrationv1.ValidatingAdmissionPolicyBinding:
			where, params = o.Spec.MatchResources, o.Spec.ParamRef
			denies = slices.Contains(objects.ActionsOf(o, w.space.Release), admissionregistrationv1.Deny)
		case *admissionregistrationv1.MutatingAdmissionPolicyBinding:
			where, params = o.Spec.MatchResources, o.Spec.ParamRef
		}
		h := hook{actor: document.Actor{Plugin: plugin, Configuration: p.Key.Name, Name: b.Key.Name, Source: p.PlaceOf("spec.matchConstraints")}}
		h.Policy, h.Mutating, h.Static = true, s.mutating, static
		h.FailurePolicy, h.Conditions, h.ParamKind, h.ParamRef = s.failure, s.conditions, s.params, params
		h.Criteria = []matcher.Criteria{matcher.Resources(*s.where)}
		if where != nil {
			h.Criteria = append(h.Criteria, matcher.Resources(*where))
		}
		h.id = fmt.Sprintf("%s %v %s/%s", plugin, static, p.Key.Name, b.Key.Name)
		h.denies = denies
		h.settings = slices.Concat(settingsIn(p.Object, "spec"), settingsIn(b.Object, "spec"))
		h.readPolicy(p.Object.Object)
		h.readParams(w.space)
		w.hooks = append(w.hooks, h)
	}
}

// nothing returns an error if the world has no hooks. A question about such a world is a mistake, and its answer would
// look like good news.
func (w *World) nothing() error {
	if len(w.hooks) > 0 {
		return nil
	}
	if w.Name == "" {
		return hint.Add(errors.New("the world has no webhooks and no policies"), "name manifests with -C")
	}
	if len(w.unbound) > 0 {
		return hint.Add(fmt.Errorf("no binding in %s names policy %s: it is never asked", w.Name, words.Few(w.unbound)), "load its binding, too")
	}
	return hint.Add(fmt.Errorf("there are no webhooks and no policies in %s", w.Name), "name the files or folders that have some with -C; a policy counts with its bindings")
}

// spaceOf returns the space of worlds.
func spaceOf(worlds ...*World) *space.Space {
	var all []space.World
	var hooks [][]space.Hook
	for _, w := range worlds {
		list := make([]space.Hook, len(w.hooks))
		for i := range w.hooks {
			list[i] = w.hooks[i].Hook
		}
		all, hooks = append(all, w.space), append(hooks, list)
	}
	return space.New(all, hooks...)
}

// newSurvey returns a survey without subjects.
func newSurvey(question string, w *World) *document.Survey {
	return &document.Survey{TypeMeta: document.TypeMeta(document.SurveyKind), Question: question, World: w.Name, Subjects: []document.SurveySubject{}}
}

// sized adds the size of the space to a survey, which is known only at the end.
func sized(d *document.Survey, s *space.Space) *document.Survey {
	d.Size.Endpoints, d.Size.Dimensions, _ = s.Size()
	return d
}

// subjectOf returns a hook with its regions.
func subjectOf(s *space.Space, h *hook, regions []document.SurveyRegion) document.SurveySubject {
	subject := document.SurveySubject{Kind: h.kind(), Webhook: h.actor, Regions: regions}
	if len(regions) == 0 {
		subject.About, subject.Regions = silent(s, h), []document.SurveyRegion{} // an empty list in JSON, not null
	}
	return subject
}

// withReasons adds to the witnesses of requests that a policy refuses without being asked which params are missing.
func (w *World) withReasons(h *hook, all []document.SurveyRegion) []document.SurveyRegion {
	for _, r := range all {
		if r.Witness == nil || r.What != document.IsRefused && r.What != document.NewlyRefused {
			continue
		}
		of := r.Witness.Request
		if of.Resource == "namespaces" {
			of.Namespace = of.Name
		}
		r.Witness.Because = w.space.NotEvaluated(&h.Hook, of.Namespace)
	}
	return all
}

// regions converts requests to regions. of is the hook that they belong to, or nil.
func regions(s *space.Space, what string, r space.Requests, of *space.Hook) []document.SurveyRegion {
	return regionsOf(s, what, r, space.Whole{Of: of}, "")
}

// regionsOf converts requests to regions. A note becomes the first condition of each region.
func regionsOf(s *space.Space, what string, r space.Requests, whole space.Whole, note string) (all []document.SurveyRegion) {
	for _, line := range s.Lines(r, whole) {
		if note != "" {
			line.Where = slices.Insert(line.Where, 0, note)
		}
		all = append(all, region(s, what, line))
	}
	return all
}

// region converts one line to a region.
func region(s *space.Space, what string, line space.Line) document.SurveyRegion {
	shown := document.SurveyRegion{What: what, Resources: line.Resources, Where: line.Where, Text: line.String(), Open: line.Open, Vague: line.Vague}
	for _, o := range line.Operations {
		shown.Operations = append(shown.Operations, string(o))
	}
	if w, ok := s.Witness(line.Requests); ok {
		shown.Witness = witness(w)
	}
	return shown
}

func witness(w space.Witness) *document.SurveyWitness {
	req := w.Review.Request
	items := []any{}
	if w.Namespace != nil {
		items = append(items, plain{w.Namespace.APIVersion, w.Namespace.Kind, metadata{w.Namespace.Name, w.Namespace.Labels}})
	}
	items = append(items, map[string]any{"apiVersion": w.Review.APIVersion, "kind": w.Review.Kind, "request": request(req)})
	manifest, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil {
		panic(fmt.Sprintf("a witness does not encode: %v", err))
	}
	resource := req.Resource.Resource
	if req.Resource.Group != "" {
		resource += "." + req.Resource.Group
	}
	if req.SubResource != "" {
		resource += "/" + req.SubResource
	}
	shown := &document.SurveyWitness{
		Request:  document.Sample{User: req.UserInfo.Username, Verb: strings.ToLower(string(req.Operation)), Resource: resource, Namespace: req.Namespace, Name: req.Name},
		Manifest: manifest,
	}
	if req.Namespace == req.Name && req.Resource.Resource == "namespaces" {
		shown.Request.Namespace = ""
	}
	for _, c := range w.Open {
		shown.Needs = append(shown.Needs, fmt.Sprintf("%s is %s", c.Text, c.Result))
	}
	return shown
}

// request returns a request as people write it, without empty fields.
func request(req *admissionv1.AdmissionRequest) map[string]any {
	data, err := json.Marshal(req)
	var fields map[string]any
	if err == nil {
		err = json.Unmarshal(data, &fields)
	}
	if err != nil {
		panic(fmt.Sprintf("a witness does not encode: %v", err))
	}
	maps.DeleteFunc(fields, func(_ string, value any) bool { return value == nil || value == false })
	return fields
}

// A plain object has no contents except labels.
type plain struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
}

type metadata struct {
	Name   string            `json:"name"`
	Labels map[string]string `json:"labels,omitempty"`
}
