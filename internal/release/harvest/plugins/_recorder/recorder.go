//go:build go1.21

// Package recorder records what admission plugins are asked and what they answer while upstream's tests run: the
// request, what the plugin knows about the cluster, and the result. It is compiled into these tests.
package recorder

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	goruntime "runtime"
	"strings"

	"admsim.example/harvest/lines"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
)

// A call is a line in the file that a test process writes.
type call struct {
	Plugin, Method, Test string
	Handles              []string        // operations about which the server asks the plugin; nil: not known
	Gates                map[string]bool // feature gates that differ from the defaults of the release
	Settings             map[string]json.RawMessage

	Operation                                   string
	Group, Version, Resource, Subresource, Kind string
	Namespace, Name                             string
	DryRun                                      bool
	Options, Object, OldObject                  json.RawMessage
	User                                        json.RawMessage

	Listed []json.RawMessage // what the listers of the plugin have
	Stored []json.RawMessage // what its client has

	Questions []*question // to the authorizer, with its answers
	Exchanges []exchange  // with the service that the plugin calls

	// The answers of some plugins depend on earlier calls.
	Instance string `json:",omitempty"` // which plugin it is; empty: it remembers nothing
	Number   int    `json:",omitempty"` // of the call
	At       int64  `json:",omitempty"` // on the clock of the plugin, in nanoseconds

	After       json.RawMessage   // the object as the plugin left it
	Written     []json.RawMessage // the objects that it created and updated
	Status      *metav1.Status
	Warnings    []string
	Annotations map[string]string

	Live bool   // whether it asks a client that the test answers with errors
	Lost string // why the call cannot be recorded
}

// Begin is the first statement of a method of a plugin. gates lists the feature gates that the plugin reads, as field=Gate if
// a field of the plugin holds the value. It returns what the method continues with, and a function that gets the error of the
// method and the value of a panic.
func Begin(plugin, method, gates string, receiver interface{}, ctx context.Context, a admission.Attributes) (context.Context, admission.Attributes, func(interface{}, error)) {
	if lines.Folder == "" || a == nil {
		return ctx, a, func(interface{}, error) {}
	}
	if full := completed(receiver); full != nil {
		try(func() { ask(full, method, ctx, a) })
		return ctx, a, func(interface{}, error) {}
	}
	c := &call{Plugin: plugin, Method: method, Test: caller(), Annotations: map[string]string{}}
	c.about(a)
	seen := lookAt(receiver)
	c.Listed, c.Stored, c.Settings = seen.listed, seen.stored, seen.settings
	c.Gates = gatesOf(receiver, gates)
	c.lose(seen.lost)
	restore, stop := c.askedThrough(receiver), c.callsThrough(receiver)
	c.limited(receiver)
	for _, operation := range []admission.Operation{admission.Create, admission.Update, admission.Delete, admission.Connect} {
		try(func() {
			if receiver.(admission.Interface).Handles(operation) {
				c.Handles = append(c.Handles, string(operation))
			}
		})
	}
	ctx, annotated := withAudit(ctx)
	return withWarnings(ctx, c), noting{a, c}, func(panicked interface{}, err error) {
		restore()
		stop()
		if panicked != nil {
			c.lose("it panics in the test")
			c.write()
			panic(panicked)
		}
		if err != nil {
			c.Status = responsewriters.ErrorToAPIStatus(err)
		}
		try(func() { c.After = c.encode(a.GetObject()) })
		after := lookAt(receiver)
		try(func() { c.answered(after.reads[len(seen.reads):]) })
		c.wrote(after.writes[len(seen.writes):])
		if len(c.Written) == 0 { // a plugin waits until its caches are filled
			c.Listed = sorted(append(c.Listed, missingIn(c.Listed, after.listed)...))
		}
		annotated(c.Annotations)
		c.write()
	}
}

// about records the attributes of a request. Those of some tests lack what the plugin does not ask for.
func (c *call) about(a admission.Attributes) {
	try(func() { c.Operation = string(a.GetOperation()) })
	try(func() {
		c.Group, c.Version, c.Resource = a.GetResource().Group, a.GetResource().Version, a.GetResource().Resource
	})
	try(func() { c.Subresource = a.GetSubresource() })
	try(func() { c.Kind = a.GetKind().Kind })
	try(func() { c.Namespace = a.GetNamespace() })
	try(func() { c.Name = a.GetName() })
	try(func() { c.DryRun = a.IsDryRun() })
	try(func() { c.Object = c.encode(a.GetObject()) })
	try(func() { c.OldObject = c.encode(a.GetOldObject()) })
	try(func() { c.Options = c.encode(a.GetOperationOptions()) })
	try(func() {
		u := a.GetUserInfo()
		if u == nil || isNil(u) {
			return
		}
		text, err := json.Marshal(map[string]interface{}{
			"username": u.GetName(), "uid": u.GetUID(), "groups": u.GetGroups(), "extra": u.GetExtra(),
		})
		if err != nil {
			c.lose(err.Error())
		}
		c.User = text
	})
}

// try runs a function that may panic.
func try(f func()) {
	defer func() { _ = recover() }()
	f()
}

func (c *call) lose(reason string) {
	if c.Lost == "" {
		c.Lost = reason
	}
}

func isNil(v interface{}) bool {
	r := reflect.ValueOf(v)
	return r.Kind() == reflect.Ptr && r.IsNil()
}

// encode returns an object as JSON in the preferred version of its kind, with its kind.
func (c *call) encode(object runtime.Object) json.RawMessage {
	if object == nil || isNil(object) {
		return nil
	}
	text, err := encode(object, c.Group)
	if err != nil {
		c.lose(err.Error())
		return nil
	}
	return text
}

// noting passes on the annotations that a plugin makes, and notes them.
type noting struct {
	admission.Attributes
	call *call
}

func (n noting) AddAnnotation(key, value string) error {
	n.call.Annotations[key] = value
	return n.Attributes.AddAnnotation(key, value)
}

// A question is one that a plugin asks its authorizer.
type question struct {
	User, Verb, Namespace, Group, Version, Resource, Subresource, Name, Path string
	Decision, Reason, Error                                                  string
}

// asking is an authorizer that notes what it is asked.
type asking struct {
	authorizes
	call *call
}

func (a asking) asked(of authorizer.Attributes) *question {
	q := &question{
		Verb: of.GetVerb(), Namespace: of.GetNamespace(), Group: of.GetAPIGroup(), Version: of.GetAPIVersion(),
		Resource: of.GetResource(), Subresource: of.GetSubresource(), Name: of.GetName(), Path: of.GetPath(),
	}
	if u := of.GetUser(); u != nil {
		q.User = u.GetName()
	}
	a.call.Questions = append(a.call.Questions, q)
	return q
}

func (q *question) answered(decision authorizer.Decision, reason string, err error) (authorizer.Decision, string, error) {
	q.Reason = reason
	switch decision {
	case authorizer.DecisionAllow:
		q.Decision = "allow"
	case authorizer.DecisionDeny:
		q.Decision = "deny"
	case authorizer.DecisionNoOpinion:
		q.Decision = "no opinion"
	}
	if err != nil {
		q.Error = err.Error()
	}
	return decision, reason, err
}

// askedThrough puts a recorder before the authorizers of a plugin, and returns a function that removes it.
func (c *call) askedThrough(receiver interface{}) (restore func()) {
	var undo []func()
	eachField(receiver, func(name string, f reflect.Value) {
		if f.Kind() != reflect.Interface || f.IsNil() {
			return
		}
		inner, ok := f.Interface().(authorizes)
		if !ok {
			return
		}
		wrapped := reflect.ValueOf(asking{inner, c})
		if !wrapped.Type().Implements(f.Type()) {
			c.lose("the authorizer has more than one method")
			return
		}
		before := reflect.ValueOf(f.Interface())
		f.Set(wrapped)
		undo = append(undo, func() { f.Set(before) })
	})
	return func() {
		for _, f := range undo {
			f()
		}
	}
}

// caller names the test that calls a plugin.
func caller() string {
	pcs := make([]uintptr, 50)
	frames := goruntime.CallersFrames(pcs[:goruntime.Callers(2, pcs)])
	for {
		frame, more := frames.Next()
		if strings.HasSuffix(frame.File, "_test.go") {
			name := frame.Function[strings.LastIndexByte(frame.Function, '/')+1:]
			return fmt.Sprintf("%s:%d %s", filepath.Base(frame.File), frame.Line, name)
		}
		if !more {
			return ""
		}
	}
}

func (c *call) write() {
	if err := lines.Write(c); err != nil {
		panic(fmt.Sprintf("harvest: %v", err))
	}
}
