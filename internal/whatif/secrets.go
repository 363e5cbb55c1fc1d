package whatif

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/answer/secrets"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/simulator"
)

// together is a redactor that calls the secrets of answers the same in all of them; nil, if r is.
func together(r *redact.Redactor, answers ...*simulator.Result) *redact.Redactor {
	if pass := secrets.Of(r, answers...); pass != nil {
		return r.After(pass)
	}
	return r
}

// said is why an answer is a denial, without secrets.
func said(redactor *redact.Redactor, r *simulator.Result) string {
	if pass := secrets.Of(redactor, r); pass != nil {
		return pass.Text(message(r))
	}
	return message(r)
}

// objectsOf are what became of the object of a request in each world, as values of JSON, without
// what differs by chance and without secrets. A redactor that is nil leaves those. Both are nil
// where not both worlds let the request in, or it has no object.
func objectsOf(base, head *simulator.Result, redactor *redact.Redactor) (before, after any) {
	a, b := object(base), object(head)
	if a == nil || b == nil || !allowed(base) || !allowed(head) {
		return nil, nil
	}
	x, y := comparables(base, head, a, b)
	pass := secrets.Of(redactor, base, head)
	return shown(pass, x), shown(pass, y)
}

// shown is an object as a value of JSON, without the secrets that a pass finds; nil: with them.
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

// hide takes the secrets of two answers out of how they differ, but for messages: see said.
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
		if d.Change == document.DifferentWarning { // one of the two is none
			d.Base, d.Head = pass.Text(d.Base), pass.Text(d.Head)
			d.What = shape(d.Base + d.Head)
		}
		if d.Change != document.DifferentObject {
			continue
		}
		for _, value := range []*string{&d.Base, &d.Head} {
			*value = string(pass.Value(kind.Group, kind.Kind, d.What, json.RawMessage(*value)))
		}
		d.What = pass.Text(d.What) // a key can be made of one
	}
}

// Hide takes secrets out of a blame for an answer. A nil redactor leaves them.
func (b *Blame) Hide(redactor *redact.Redactor, of *simulator.Result) {
	pass := secrets.Of(redactor, of)
	if pass == nil {
		return
	}
	kind := kindAsked(of)
	b.Denied = pass.Text(b.Denied)
	hideField(&b.Object, "", pass, kind)
	for i := range b.Removed {
		b.Removed[i].Value = pass.Value(kind.Group, kind.Kind, b.Removed[i].Path, b.Removed[i].Value)
	}
	*b = redact.Without(pass, *b)
}

func hideField(f *document.Field, path string, pass *redact.Pass, kind schema.GroupKind) {
	if !f.IsMap && !f.IsList {
		f.Value = pass.Value(kind.Group, kind.Kind, path, f.Value)
	}
	for i := range f.Parts {
		step := f.Parts[i].Name
		if f.IsList {
			step = strconv.Itoa(i)
		}
		hideField(&f.Parts[i], path+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(step), pass, kind)
	}
}

// kindAsked is the kind of the object that answers are about.
func kindAsked(answers ...*simulator.Result) (kind schema.GroupKind) {
	for _, r := range answers {
		for _, a := range r.Admissions {
			return a.Request.Kind.GroupKind()
		}
	}
	return kind
}
