package replay

import (
	"encoding/json"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
)

// hide takes secrets out of two answers that belong together, and out of what they say of
// one: in objects, in the patches of webhooks, in messages. One pass goes over both, so
// that the same secret is the same word.
func (w *worker) hide(r *recording.Record, want, got *answered) {
	pass := w.begun(r)
	for _, a := range []*answered{want, got} {
		event := map[string]any{"annotations": anyOf(a.annotations)}
		if a.body != nil {
			event["responseObject"] = a.body
		}
		group, kind := w.kindOf(r)
		pass.Event(event, nil, group, kind)
		a.body = event["responseObject"]
		for key, value := range event["annotations"].(map[string]any) {
			a.annotations[key], _ = value.(string)
		}
	}
}

// begun is a pass that knows the secrets of the request.
func (w *worker) begun(r *recording.Record) *redact.Pass {
	pass := w.redactor.Begin()
	event, request := map[string]any{}, map[string]any{}
	if r.Request != nil {
		event["requestObject"] = decoded(r.Request.Body)
	}
	if r.Review != nil {
		request["object"] = decoded(r.Review.Object.Raw)
	}
	request["oldObject"] = decoded(r.Old.Object)
	event["responseObject"] = decoded(r.Answer.Object)
	group, kind := w.kindOf(r)
	pass.Event(event, map[string]any{"request": request}, group, kind)
	return pass
}

// said is a text without the secrets of the request.
func (w *worker) said(r *recording.Record, text string) string {
	if w.redactor == nil {
		return text
	}
	return w.begun(r).Text(text)
}

// kindOf is the kind of the body.
func (w *worker) kindOf(r *recording.Record) (group, kind string) {
	if r.Review != nil {
		return r.Review.Kind.Group, r.Review.Kind.Kind
	}
	resource, _ := w.sim.Resources().Resource(r.Resource)
	return resource.Kind.Group, resource.Kind.Kind
}

// decoded is a body as JSON; one that is none has nothing to hide.
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

// hidden is a value of a difference, text as JSON, without the secrets that are known.
func hidden(pass *redact.Pass, value json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(value, &text) != nil {
		return value
	}
	return jsonOf(pass.Text(text))
}
