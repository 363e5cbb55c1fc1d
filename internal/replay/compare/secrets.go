package compare

import (
	"encoding/json"
	"slices"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/replay/lines"
	"github.com/admsim/admsim/pkg/simulator"
)

// Secrets hides the secrets of one recorded request: those of its objects and its answer.
type Secrets struct {
	Redactor  *redact.Redactor // nil: secrets are shown
	Simulator *simulator.Simulator
	Record    *recording.Record
}

// hide removes secrets from two answers to the same request: from objects, the patches of webhooks, and messages. One
// pass handles both answers, so that the same secret is replaced by the same word.
func (s Secrets) hide(want, got *answered) {
	pass := s.begun()
	for _, a := range []*answered{want, got} {
		event := map[string]any{"annotations": anyOf(a.annotations)}
		group, kind := s.kindOf()
		if a.body != nil {
			event["responseObject"] = a.body
		}
		pass.Event(event, nil, group, kind)
		a.body = event["responseObject"]
		if isStatus(a.body) {
			a.shown = a.body
		} else if a.shown != nil {
			shown := map[string]any{"responseObject": a.shown}
			pass.Event(shown, nil, group, kind)
			a.shown = shown["responseObject"]
		}
		for key, value := range event["annotations"].(map[string]any) {
			a.annotations[key], _ = value.(string)
		}
	}
}

// begun returns a pass that knows the secrets of the request.
func (s Secrets) begun() *redact.Pass {
	r, pass := s.Record, s.Redactor.Begin()
	event, request := map[string]any{}, map[string]any{}
	if r.Request != nil {
		event["requestObject"] = decoded(r.Request.Body)
	}
	if r.Review != nil {
		request["object"] = decoded(r.Review.Object.Raw)
	}
	request["oldObject"] = decoded(r.Old.Object)
	event["responseObject"] = decoded(r.Answer.Object)
	group, kind := s.kindOf()
	pass.Event(event, map[string]any{"request": request}, group, kind)
	return pass
}

// Text returns a text without the secrets.
func (s Secrets) Text(text string) string {
	if s.Redactor == nil {
		return text
	}
	return s.begun().Text(text)
}

// Calls returns the recorded calls, without the secrets.
func (s Secrets) Calls() []lines.Call {
	shown := make([]lines.Call, len(s.Record.Calls))
	for i, c := range s.calls() {
		shown[i] = lines.CallOf(c)
	}
	return shown
}

func (s Secrets) calls() []recording.Call {
	calls := slices.Clone(s.Record.Calls)
	if s.Redactor == nil {
		return calls
	}
	pass := s.begun()
	group, kind := s.kindOf()
	for i := range calls {
		c := &calls[i]
		c.Denied, c.Failed = pass.Text(c.Denied), pass.Text(c.Failed)
		var operations []any
		if json.Unmarshal(c.Patch, &operations) == nil {
			c.Patch = jsonOf(pass.Patch(group, kind, operations))
		} else {
			c.Patch = nil // what is in it is unknown
		}
	}
	return calls
}

// kindOf returns the kind of the body.
func (s Secrets) kindOf() (group, kind string) {
	r := s.Record
	if r.Review != nil {
		return r.Review.Kind.Group, r.Review.Kind.Kind
	}
	resource, _ := s.Simulator.Resources().Resource(r.Resource)
	return resource.Kind.Group, resource.Kind.Kind
}

// decoded returns a body as JSON. If it is not JSON, it has nothing to hide.
func decoded(text []byte) (v any) {
	_ = json.Unmarshal(text, &v)
	return v
}

func anyOf(texts map[string]string) map[string]any {
	all := make(map[string]any, len(texts))
	for k, v := range texts {
		all[k] = v
	}
	return all
}

// hidden returns a value in a difference, which is text as JSON, without the known secrets.
func hidden(pass *redact.Pass, value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	return jsonOf(pass.Text(text))
}
