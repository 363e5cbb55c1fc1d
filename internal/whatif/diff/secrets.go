package diff

import (
	"bytes"
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/pkg/simulator"
)

// objectsOf returns the resulting objects of a request in both worlds, as JSON values, without what differs by chance
// and, unless redactor is nil, without secrets. Both are nil unless both worlds admit the request and it has an object.
func objectsOf(base, head *simulator.Result, redactor *redact.Redactor) (before, after any) {
	a, b := stored(base), stored(head)
	if a == nil || b == nil || !whatif.Allowed(base) || !whatif.Allowed(head) {
		return nil, nil
	}
	x, y := comparables(base, head, a, b)
	pass := secrets.Of(redactor, base, head)
	return shown(pass, x), shown(pass, y)
}

// shown returns an object as a JSON value, without the secrets that the pass finds; the pass may be nil.
func shown(pass *redact.Pass, text []byte) any {
	var object map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if d.Decode(&object) != nil {
		return nil
	}
	if pass == nil {
		return object
	}
	return pass.Shown(object)
}

// hide removes the secrets of two answers from their differences, except from messages: see secrets.Denial.
func hide(redactor *redact.Redactor, base, head *simulator.Result, all []document.Difference) {
	if len(all) == 0 {
		return
	}
	pass := secrets.Of(redactor, base, head)
	if pass == nil {
		return
	}
	kind := kindAsked(base, head)
	for i := range all {
		d := &all[i]
		if d.Change == document.DifferentWarning { // one of the two is empty
			d.Base, d.Head = pass.Text(d.Base), pass.Text(d.Head)
			d.What = whatif.Shape(d.Base + d.Head)
		}
		if d.Change != document.DifferentObject {
			continue
		}
		for _, value := range []*string{&d.Base, &d.Head} {
			*value = string(pass.Value(kind.Group, kind.Kind, d.What, json.RawMessage(*value)))
		}
		d.What = pass.Text(d.What) // a key may be derived from a secret
	}
}

// kindAsked returns the kind of the object that answers are about.
func kindAsked(answers ...*simulator.Result) (kind schema.GroupKind) {
	for _, r := range answers {
		for _, a := range r.Admissions {
			return a.Request.Kind.GroupKind()
		}
	}
	return kind
}
