package whatif

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/redact"
	"github.com/admsim/admsim/pkg/simulator"
)

// secrets is a pass that knows the secrets in the objects of answers; nil where there can be
// none.
func secrets(redactor *redact.Redactor, answers ...*simulator.Result) (pass *redact.Pass) {
	if redactor == nil {
		return nil
	}
	for _, r := range answers {
		for _, a := range r.Admissions {
			if !redactor.Has(a.Request.Kind.Group, a.Request.Kind.Kind) {
				continue
			}
			if pass == nil {
				pass = redactor.Begin()
			}
			note(pass, a.Request.Object)
			note(pass, a.Request.OldObject)
			note(pass, r.Object)
			for _, s := range a.Steps {
				note(pass, s.After)
			}
		}
	}
	return pass
}

func note(pass *redact.Pass, o runtime.Object) {
	var object map[string]any
	if data, err := json.Marshal(o); err == nil && json.Unmarshal(data, &object) == nil && object != nil {
		pass.Object(object)
	}
}

// said is why an answer is a denial, without secrets.
func said(redactor *redact.Redactor, r *simulator.Result) string {
	if pass := secrets(redactor, r); pass != nil {
		return pass.Text(message(r))
	}
	return message(r)
}

// hide takes the secrets of two answers out of how they differ, but for messages: see said.
func hide(redactor *redact.Redactor, base, head *simulator.Result, all []Difference) {
	if len(all) == 0 {
		return
	}
	pass := secrets(redactor, base, head)
	if pass == nil {
		return
	}
	kind := base.Admissions
	if len(kind) == 0 {
		kind = head.Admissions
	}
	for i := range all {
		d := &all[i]
		if d.Change == DifferentWarning { // one of the two is none
			d.Base, d.Head = pass.Text(d.Base), pass.Text(d.Head)
			d.What = shape(d.Base + d.Head)
		}
		if d.Change != DifferentObject {
			continue
		}
		for _, value := range []*string{&d.Base, &d.Head} {
			var v any
			if json.Unmarshal([]byte(*value), &v) != nil {
				continue
			}
			hidden, _ := pass.Patch(kind[0].Request.Kind.Group, kind[0].Request.Kind.Kind, []any{map[string]any{"path": d.What, "value": v}})[0].(map[string]any)
			if data, err := json.Marshal(hidden["value"]); err == nil {
				*value = string(data)
			}
		}
	}
}
