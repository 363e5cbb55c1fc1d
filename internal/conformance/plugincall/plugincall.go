// Package plugincall asks a single admission plugin, as Kubernetes' own unit tests of plugins do.
//
// Start with [New]. The package does not know the tests, and does not judge the answers.
package plugincall

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authorization/authorizer"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/plugins"
	"github.com/admsim/admsim/pkg/trace"
)

// A Call asks an admission plugin in one of its phases: about one request, or about several if the answers depend on
// earlier ones. Nothing is done to the objects: they have no defaults, and may be invalid.
type Call struct {
	Name          string          `json:"name"`
	Phase         trace.Phase     `json:"phase"`
	Gates         map[string]bool `json:"gates,omitempty"`         // that differ from the defaults of the release
	Configuration json.RawMessage `json:"configuration,omitempty"` // of the plugin

	Moment          // of the first request
	Later  []Moment `json:"later,omitempty"` // of the following requests
}

// A Moment has the circumstances of a request.
type Moment struct {
	After time.Duration `json:"after,omitempty"` // since the first request

	User      authenticationv1.UserInfo `json:"user"`
	OldObject json.RawMessage           `json:"oldObject,omitempty"`
	Options   json.RawMessage           `json:"options,omitempty"`
	DryRun    bool                      `json:"dryRun,omitempty"`

	// Answers are those of the authorizer to the questions that the plugin asked. It must ask the same.
	Answers []Question `json:"answers,omitempty"`

	// Exchanges are those with the service that the plugin called. It must send the same.
	Exchanges []Exchange `json:"exchanges,omitempty"`
}

// A Question is one that a plugin asked its authorizer, with the answer. It has no version, since tests invent the
// version of a request.
type Question struct {
	User        string `json:"user,omitempty"`
	Verb        string `json:"verb,omitempty"`
	Namespace   string `json:"namespace,omitempty"`
	Group       string `json:"group,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	Name        string `json:"name,omitempty"`
	Path        string `json:"path,omitempty"`

	Decision Decision `json:"decision"`
	Reason   string   `json:"reason,omitempty"`
	Error    string   `json:"error,omitempty"`
}

// A Decision is the answer to a question.
type Decision string

const (
	Allows    Decision = "allow"
	Denies    Decision = "deny"
	NoOpinion Decision = "no opinion"
)

// A Request has the parts of a call that every request has.
type Request struct {
	Verb, Group, Version, Resource, Subresource, Namespace, Name string
	Object                                                       json.RawMessage
}

// A World is a plugin and the cluster that it knows.
type World struct {
	call      *Call
	resources *discovery.Resources
	types     *objects.Types
	state     *cluster.State
	plugin    chain.Plugin
	answers   *answers
	service   *service
	at        time.Time
	asked     int // number of requests so far
}

// New creates the plugin of a call in a cluster of a release.
func New(version string, call *Call, objectsOf []json.RawMessage) (*World, error) {
	release, err := kubeversion.Parse(version)
	if err != nil {
		return nil, err
	}
	release, err = release.With(kubeversion.Flags{FeatureGates: call.Gates, RuntimeConfig: map[string]bool{"api/all": true}})
	if err != nil {
		return nil, err
	}
	w := &World{
		call: call, resources: discovery.New(release, cluster.New()), state: cluster.New(),
		answers: &answers{}, service: &service{}, at: start,
	}
	w.types = kinds.New(func(kind schema.GroupVersionKind) (objects.Resource, bool) {
		r, ok := w.resources.ForKind(kind)
		return objects.Resource{Namespaced: r.Namespaced, Storage: r.Storage, CRD: r.CRD}, ok
	}, objects.Options{Release: release, Clock: w.now})
	for _, raw := range objectsOf {
		object, err := w.decode(raw)
		if err != nil {
			return nil, err
		}
		if of, ok := w.resources.ForKind(object.GetObjectKind().GroupVersionKind()); ok {
			if object, err = w.types.Convert(object, of.Storage); err != nil {
				return nil, err
			}
		}
		w.state = w.state.With(cluster.Object{Object: object})
	}
	return w, w.build(release)
}

// Suffix completes the names that plugins generate.
const Suffix = "-xxxxx"

// start is the time of the first request.
var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// now is the time on the clock of the plugin.
func (w *World) now() time.Time { return w.at }

// build creates the plugin.
func (w *World) build(release *kubeversion.Release) error {
	known := kubeversion.Plugin{Name: w.call.Name}
	set, err := plugins.NewSet([]kubeversion.Plugin{known}, plugins.Options{
		Release:    release,
		Resources:  w.resources,
		Types:      w.types,
		Authorizer: w.answers,
		Backends:   func(string, string) dispatch.Backend { return w.service },
		Send:       w.send,
		Now:        w.now,
		Suffix:     func() string { return strings.TrimPrefix(Suffix, "-") },
	}, map[string][]byte{w.call.Name: w.call.Configuration}, func(_ string, err error) error { return err })
	if err != nil {
		return err
	}
	var ok bool
	if w.plugin, ok = set.Link(w.call.Name); !ok {
		return fmt.Errorf("there is no plugin %s", w.call.Name)
	}
	return nil
}

// decode reads an object without its defaults.
func (w *World) decode(raw json.RawMessage) (runtime.Object, error) {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, err
	}
	return w.types.Patched(raw, kind.GroupVersionKind())
}

// send writes an object for the plugin as it is.
func (w *World) send(_ context.Context, _ *cluster.State, _, _ string, object runtime.Object) (trace.Sent, []cluster.Object, error) {
	return trace.Sent{}, []cluster.Object{{Object: object}}, nil
}

// request returns the request that the plugin is asked about.
func (w *World) request(r Request, of Moment) (admission.Request, error) {
	req := admission.Request{
		Operation:   admissionv1.Operation(strings.ToUpper(r.Verb)),
		Resource:    schema.GroupVersionResource{Group: r.Group, Version: r.Version, Resource: r.Resource},
		Subresource: r.Subresource,
		Namespace:   r.Namespace,
		Name:        r.Name,
		DryRun:      of.DryRun,
		User:        of.User,
	}
	var ok bool
	if req.Kind, ok = w.resources.KindFor(req.Resource, r.Subresource); !ok {
		return req, fmt.Errorf("%s is not served", req.Resource)
	}
	for _, o := range []struct {
		raw  json.RawMessage
		into *runtime.Object
	}{{r.Object, &req.Object}, {of.OldObject, &req.OldObject}} {
		if len(o.raw) == 0 {
			continue
		}
		object, err := w.decode(o.raw)
		if err == nil {
			*o.into, err = w.types.Convert(object, req.Kind)
		}
		if err != nil {
			return req, err
		}
	}
	var err error
	if len(of.Options) > 0 {
		req.Options, err = optionsOf(of.Options)
	}
	return req, err
}

// optionsOf reads the options of a request.
func optionsOf(raw json.RawMessage) (runtime.Object, error) {
	var kind metav1.TypeMeta
	if err := json.Unmarshal(raw, &kind); err != nil {
		return nil, err
	}
	for _, o := range []runtime.Object{&metav1.CreateOptions{}, &metav1.UpdateOptions{}, &metav1.DeleteOptions{}} {
		if reflect.TypeOf(o).Elem().Name() == kind.Kind {
			return o, json.Unmarshal(raw, o)
		}
	}
	return nil, nil // those of a connection are the object
}

// Ask returns what the plugin does about the next request of the call, and why: the code and body of a refusal, the object
// if it changed, the objects that it wrote, warnings, audit annotations. What it asks the authorizer and a service is only
// part of it if it differs from the call.
func (w *World) Ask(ctx context.Context, r Request) (did map[string]any, because string, err error) {
	of := w.call.Moment
	if w.asked > 0 {
		if w.asked > len(w.call.Later) {
			return nil, "", errors.New("the call has fewer requests")
		}
		of = w.call.Later[w.asked-1]
	}
	w.asked++
	w.at = start.Add(of.After)
	*w.answers, *w.service = answers{known: of.Answers}, service{known: of.Exchanges}
	req, err := w.request(r, of)
	if err != nil {
		return nil, "", err
	}
	c := chain.New(w.plugin)
	var pass chain.Pass
	if w.call.Phase == trace.Mutating {
		pass, err = c.Mutate(ctx, w.state, req)
	} else {
		pass, err = c.Validate(ctx, w.state, req, nil)
	}
	if err != nil {
		return nil, "", err
	}
	if len(pass.Steps) == 0 {
		return nil, "", fmt.Errorf("%s is not asked in the %s phase", w.call.Name, w.call.Phase)
	}
	w.state = pass.State
	did, err = w.did(req, &pass.Steps[0])
	return did, string(pass.Steps[0].Outcome) + ": " + pass.Steps[0].Because, err
}

func (w *World) did(req admission.Request, step *trace.Step) (map[string]any, error) {
	did := map[string]any{}
	if step.Denial != nil {
		status, err := tree(step.Denial)
		if err != nil {
			return nil, err
		}
		did["code"], did["body"] = float64(step.Denial.Code), status
	} else if step.Outcome == trace.Changed {
		object, err := w.encode(step.After)
		if err != nil {
			return nil, err
		}
		did["object"] = object
	}
	effects := step.Did()
	var written []any
	for _, o := range effects.Writes {
		object, err := w.encode(o.Object)
		if err != nil {
			return nil, err
		}
		written = append(written, object)
	}
	if len(written) > 0 {
		did["writes"] = written
	}
	if len(effects.Warnings) > 0 {
		var err error
		if did["warnings"], err = tree(effects.Warnings); err != nil {
			return nil, err
		}
	}
	annotations := map[string]any{}
	for _, a := range effects.Annotations {
		annotations[a.Key] = a.Value
	}
	if len(annotations) > 0 {
		did["auditAnnotations"] = annotations
	}
	if missing := w.answers.unasked(); len(missing) > 0 {
		did["not asked"] = missing
	}
	if len(w.answers.unknown) > 0 {
		did["asked"] = w.answers.unknown
	}
	if missing := w.service.unasked(); len(missing) > 0 {
		did["not sent"] = missing
	}
	if len(w.service.unknown) > 0 {
		did["sent"] = w.service.unknown
	}
	return did, nil
}

// Encoded returns an object as admsim writes it: which fields are there although they are not set differs between the
// codecs of releases.
func (w *World) Encoded(object any) (any, error) {
	text, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	decoded, err := w.decode(text)
	if err != nil {
		return nil, err
	}
	return w.encode(decoded)
}

func (w *World) encode(object runtime.Object) (any, error) {
	text, err := w.types.Encode(object)
	if err != nil {
		return nil, err
	}
	var decoded any
	return decoded, json.Unmarshal(text, &decoded)
}

func tree(v any) (any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	var decoded any
	return decoded, json.Unmarshal(text, &decoded)
}

// answers is an authorizer that answers as recorded, and notes all other questions.
type answers struct {
	known   []Question
	asked   []Question
	unknown []any
}

// Authorize implements [authorizer.UnconditionalAuthorizer].
func (a *answers) Authorize(_ context.Context, of authorizer.Attributes) (authorizer.Decision, string, error) {
	q := Question{
		Verb: of.GetVerb(), Namespace: of.GetNamespace(), Group: of.GetAPIGroup(), Resource: of.GetResource(),
		Subresource: of.GetSubresource(), Name: of.GetName(), Path: of.GetPath(),
	}
	if u := of.GetUser(); u != nil {
		q.User = u.GetName()
	}
	for _, k := range a.known {
		if k.withoutAnswer() == q {
			a.asked = append(a.asked, q)
			return k.answer()
		}
	}
	asked, err := tree(q)
	a.unknown = append(a.unknown, asked)
	return authorizer.DecisionNoOpinion, "", errors.Join(err, apierrors.NewInternalError(errors.New("the plugin did not ask this in the test")))
}

func (q Question) withoutAnswer() Question {
	q.Decision, q.Reason, q.Error = "", "", ""
	return q
}

func (q Question) answer() (authorizer.Decision, string, error) {
	var err error
	if q.Error != "" {
		err = errors.New(q.Error)
	}
	switch q.Decision {
	case Allows:
		return authorizer.DecisionAllow, q.Reason, err
	case Denies:
		return authorizer.DecisionDeny, q.Reason, err
	}
	return authorizer.DecisionNoOpinion, q.Reason, err
}

// unasked returns the known questions that were not asked.
func (a *answers) unasked() (missing []any) {
	for _, k := range a.known {
		asked := false
		for _, q := range a.asked {
			asked = asked || q == k.withoutAnswer()
		}
		if asked {
			continue
		}
		if q, err := tree(k.withoutAnswer()); err == nil {
			missing = append(missing, q)
		}
	}
	return missing
}
