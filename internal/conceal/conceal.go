// Package conceal finds the secrets that the answers of a simulator may reveal: those of the objects that a request is
// about, those in the params of policies, what CEL expressions made of either, and those of the world. The answers
// themselves are not changed; secrets are hidden only in what is shown of them.
//
// Start with [In]. Package redact decides how a secret is found in a text and what replaces it.
package conceal

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// Behind lists where secrets may come from. Every field is optional.
type Behind struct {
	Asked      []Request
	States     []*cluster.State
	Admissions []trace.Admission
	Objects    []runtime.Object // objects in answers
	Public     []string         // texts that are shown in any case, such as names, and are not secrets
}

// A Request is a request that was sent.
type Request struct {
	Kind  schema.GroupKind // kind of the object, if known
	Body  []byte
	State *cluster.State // the cluster that the request found; nil if there was none
}

// In returns a pass that knows the secrets in b, or nil if there are none or redactor is nil.
func In(redactor *redact.Redactor, b Behind) *redact.Pass {
	if redactor == nil {
		return nil
	}
	for _, asked := range b.Asked {
		if asked.State != nil {
			b.States = append(b.States, asked.State)
		}
	}
	c := &concealer{redactor: redactor, states: b.States}
	if !c.concerns(b) {
		return nil
	}
	c.pass = c.begin()
	c.pass.Public(b.Public...)
	for _, a := range b.Admissions {
		c.public(a)
	}
	for _, asked := range b.Asked {
		c.body(asked)
	}
	for _, a := range b.Admissions {
		if redactor.Has(a.Request.Kind.Group, a.Request.Kind.Kind) {
			c.objects(a)
		}
	}
	for _, o := range b.Objects {
		c.note(o)
	}
	hooks := func(do func(a trace.Admission, plugin string, h *trace.Hook)) {
		for _, a := range b.Admissions {
			for _, s := range a.Steps {
				for i := range s.Hooks {
					do(a, s.Plugin, &s.Hooks[i])
				}
			}
		}
	}
	hooks(func(_ trace.Admission, _ string, h *trace.Hook) { c.note(c.param(h.Param)) })
	hooks(func(a trace.Admission, plugin string, h *trace.Hook) {
		for _, e := range h.Expressions {
			c.expression(a.Request.Kind.GroupKind(), plugin, h, e)
		}
	})
	return c.pass
}

// A Hook is one hook of an admission, with what its expressions could read.
type Hook struct {
	*trace.Hook
	Plugin string
	Kind   schema.GroupKind // of the request
	State  *cluster.State
}

// Expressions returns the expressions of the hook without what was derived from secrets. The pass must come from [In]
// for the admission.
func (h Hook) Expressions(redactor *redact.Redactor, pass *redact.Pass) []trace.Expression {
	c := &concealer{redactor: redactor, pass: pass, states: []*cluster.State{h.State}}
	all := make([]trace.Expression, len(h.Hook.Expressions))
	for i, e := range h.Hook.Expressions {
		all[i] = c.expression(h.Kind, h.Plugin, h.Hook, e)
	}
	return all
}

// Value returns the value of an expression, in JSON, without what was derived from secrets.
func (h Hook) Value(redactor *redact.Redactor, pass *redact.Pass, text, value string) string {
	c := &concealer{redactor: redactor, pass: pass, states: []*cluster.State{h.State}}
	return pass.Text(c.expression(h.Kind, h.Plugin, h.Hook, trace.Expression{Text: text, Value: value}).Value)
}

// Error returns the error of an expression that cannot be evaluated, without what was derived from secrets.
func (h Hook) Error(redactor *redact.Redactor, pass *redact.Pass, text, message string) string {
	c := &concealer{redactor: redactor, pass: pass, states: []*cluster.State{h.State}}
	return pass.Text(c.expression(h.Kind, h.Plugin, h.Hook, trace.Expression{Text: text, Error: message}).Error)
}

type concealer struct {
	redactor *redact.Redactor
	states   []*cluster.State
	pass     *redact.Pass
}

var secretKind = corev1.SchemeGroupVersion.WithKind("Secret").GroupKind()

// concerns reports whether there may be secrets in b.
func (c *concealer) concerns(b Behind) bool {
	for _, s := range c.states {
		for range s.List(secretKind, "") {
			return true
		}
	}
	for _, asked := range b.Asked {
		if kind := asked.Kind; c.redactor.Has(kind.Group, kind.Kind) {
			return true
		}
	}
	for _, a := range b.Admissions {
		if c.redactor.Has(a.Request.Kind.Group, a.Request.Kind.Kind) {
			return true
		}
		for _, s := range a.Steps {
			if slices.ContainsFunc(s.Hooks, func(h trace.Hook) bool { return c.secretParam(h.Param) }) {
				return true
			}
		}
	}
	return false
}

// body adds the secrets in the body of a request to the pass. The request may be refused before there is an object.
func (c *concealer) body(asked Request) {
	kind := asked.Kind
	if !c.redactor.Has(kind.Group, kind.Kind) {
		return
	}
	var body any
	if json.Unmarshal(asked.Body, &body) != nil {
		return
	}
	if operations, ok := body.([]any); ok {
		c.pass.Patch(kind.Group, kind.Kind, operations)
		return
	}
	c.pass.Part(kind.Group, kind.Kind, nil, body)
}

// begin begins a pass that knows the Secrets of the world.
func (c *concealer) begin() *redact.Pass {
	if len(c.states) == 0 {
		return c.redactor.Begin()
	}
	var key [2]cluster.Revision // nobody passes more than two
	for i, s := range c.states {
		key[min(i, 1)] = s.Revision(secretKind)
	}
	return c.redactor.BeginBeside(key, func() (all []string) {
		for _, s := range c.states {
			for o := range s.List(secretKind, "") {
				if secret, ok := o.Object.(*corev1.Secret); ok {
					for key, value := range secret.Data {
						if !isPublic(secret, key) {
							all = append(all, string(value))
						}
					}
					for _, value := range secret.StringData {
						all = append(all, value)
					}
				}
			}
		}
		slices.Sort(all)
		return slices.Compact(all)
	}, c.named)
}

// isPublic reports whether a key of a Secret holds what every pod may know: the namespace of its service account, or the
// certificate of the server.
func isPublic(secret *corev1.Secret, key string) bool {
	return secret.Type == corev1.SecretTypeServiceAccountToken &&
		(key == corev1.ServiceAccountNamespaceKey || key == corev1.ServiceAccountRootCAKey)
}

// public adds what is shown of a request in any case to the pass.
func (c *concealer) public(a trace.Admission) {
	q := a.Request
	c.pass.Public(q.Namespace, q.Name, q.Kind.Group, q.Kind.Kind, q.Resource.Resource, q.User.Username)
	c.pass.Public(q.User.Groups...)
	for _, o := range []runtime.Object{q.Object, q.OldObject, a.Object} {
		if m, err := meta.Accessor(o); err == nil {
			c.pass.Public(m.GetName(), m.GetNamespace())
		}
	}
	for _, s := range a.Steps {
		c.pass.Public(s.Plugin)
		for _, h := range s.Hooks {
			c.pass.Public(h.Configuration, h.Name)
		}
	}
}

// objects adds the secrets in all versions of the object of a request.
func (c *concealer) objects(a trace.Admission) {
	var last runtime.Object
	note := func(o runtime.Object) {
		if o != nil && o != last {
			c.note(o)
			last = o
		}
	}
	note(a.Request.Object)
	for _, s := range a.Steps {
		for _, h := range s.Hooks {
			note(h.After)
		}
		note(s.After)
	}
	note(a.Object)
	note(a.Request.OldObject)
}

func (c *concealer) note(o runtime.Object) {
	if o == nil {
		return
	}
	var object map[string]any
	if data, err := json.Marshal(o); err == nil && json.Unmarshal(data, &object) == nil && object != nil {
		c.pass.Object(object)
	}
}

// secretParam reports whether params, given as kind and name, may hold secrets.
func (c *concealer) secretParam(param string) bool {
	kind, _, ok := strings.Cut(param, " ")
	return ok && c.redactor.HasKind(kind)
}

// param returns the params of a policy, or nil if they hold no secrets.
func (c *concealer) param(text string) runtime.Object {
	if !c.secretParam(text) {
		return nil
	}
	kind, name, _ := strings.Cut(text, " ")
	namespace, name, ok := strings.Cut(name, "/")
	if !ok {
		namespace, name = "", namespace
	}
	for _, s := range c.states {
		if kind == secretKind.Kind {
			if o, ok := s.Find(cluster.Key{GroupKind: secretKind, Namespace: namespace, Name: name}); ok {
				return o.Object
			}
		}
		for o := range s.All() {
			if key := cluster.KeyOf(o.Object); key.Kind == kind && key.Namespace == namespace && key.Name == name {
				return o.Object
			}
		}
	}
	return nil
}

// expression returns an expression without what was derived from secrets. The pass then knows the derived secrets, too.
func (c *concealer) expression(kind schema.GroupKind, plugin string, h *trace.Hook, e trace.Expression) trace.Expression {
	s := &secretsOf{concealer: c, kind: kind, plugin: plugin, hook: h}
	s.param, _, _ = strings.Cut(h.Param, " ")
	if !c.redactor.Has(kind.Group, kind.Kind) && !c.secretParam(h.Param) || !expression.MayContainSecrets(e.Text, s) {
		return e
	}
	s.leaves = !strings.HasPrefix(e.Field, "variables[")
	if e.Value != "" {
		var value any
		d := json.NewDecoder(strings.NewReader(e.Value))
		d.UseNumber()
		if d.Decode(&value) != nil {
			value = e.Value
		}
		e.Value = `"REDACTED"`
		if text, err := json.Marshal(expression.WithoutSecrets(e.Text, value, s)); err == nil {
			e.Value = string(text)
		}
	}
	e.Error = s.errorWithout(e.Error)
	return e
}

// secretsOf holds the secrets that the expressions of one hook can read.
type secretsOf struct {
	*concealer
	kind      schema.GroupKind
	plugin    string
	hook      *trace.Hook
	param     string // kind of the params
	leaves    bool   // the result is shown to others
	variables map[string]string
}

func (s *secretsOf) Has(variable string, path []string) bool {
	switch variable {
	case "object", "oldObject":
		return s.redactor.Reaches(s.kind.Group, s.kind.Kind, path)
	case "params":
		return s.redactor.HasKind(s.param) && (s.param != secretKind.Kind || s.redactor.Reaches("", s.param, path))
	case "self", "oldSelf": // somewhere in the object
		return s.redactor.Has(s.kind.Group, s.kind.Kind)
	}
	return false
}

func (s *secretsOf) HasKeys(variable string, path []string) bool {
	switch variable {
	case "object", "oldObject":
		return s.redactor.HasKeys(s.kind.Group, s.kind.Kind, path)
	case "params":
		return s.redactor.HasKeys("", s.param, path)
	}
	return false
}

func (s *secretsOf) Part(variable string, path []string, value any) any {
	switch variable {
	case "object", "oldObject":
		return s.pass.Part(s.kind.Group, s.kind.Kind, path, value)
	case "params":
		if s.param == secretKind.Kind {
			return s.pass.Part("", s.param, path, value)
		}
	}
	return s.Made(value)
}

// maxShort is the length up to which a text is looked for only if it left the policy: the single letters that a
// variable may hold are in every text.
const maxShort = 5

func (s *secretsOf) Made(value any) any {
	switch value := value.(type) {
	case string:
		if s.leaves || len(value) > maxShort {
			return s.pass.Made(value)
		}
	case json.Number:
		if s.leaves && len(value) > 1 {
			s.pass.Made(value.String())
		}
	case []any: // the length of the list may be the length of a secret
		for _, part := range value {
			s.Made(part)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			s.Made(key)
			s.Made(value[key])
		}
	case nil:
		return nil
	}
	return "REDACTED"
}

// Variable returns the expression of a variable as it was recorded, or else as it is in the policy.
func (s *secretsOf) Variable(name string) (text string, ok bool) {
	if s.variables == nil {
		s.variables = map[string]string{}
		s.readVariables()
	}
	text, ok = s.variables[name]
	return text, ok
}

func (s *secretsOf) readVariables() {
	for _, e := range s.hook.Expressions {
		if strings.HasPrefix(e.Field, "variables[") {
			s.variables[e.Name] = e.Text
		}
	}
	for _, state := range s.states {
		key := cluster.Key{GroupKind: schema.GroupKind{Group: "admissionregistration.k8s.io", Kind: s.plugin}, Name: s.hook.Configuration}
		o, ok := state.Find(key)
		if !ok {
			continue
		}
		var policy struct {
			Spec struct {
				Variables []struct{ Name, Expression string }
			}
		}
		if data, err := json.Marshal(o.Object); err == nil && json.Unmarshal(data, &policy) == nil {
			for _, v := range policy.Spec.Variables {
				s.variables[v.Name] = v.Expression
			}
		}
	}
}

// errorWithout returns the error of an expression that reads secrets: what went wrong, without the value.
func (s *secretsOf) errorWithout(text string) string {
	const resulted = " resulted in error: "
	head := ""
	if i := strings.Index(text, resulted); i >= 0 {
		head, text = text[:i+len(resulted)], text[i+len(resulted):]
	}
	what, value, ok := strings.Cut(text, ": ")
	if !ok {
		return head + text
	}
	return head + what + ": " + s.pass.Made(value)
}
