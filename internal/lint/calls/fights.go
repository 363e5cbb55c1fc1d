package calls

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/jsonpointer"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/rest"
)

// fights finds fields that webhooks set again and again because somebody undoes it, in a recording. The recording says
// that a webhook was called and what it changed, so its backend need not be known.
type fights struct {
	set   map[recording.Key]map[field]string // what webhooks set last
	found map[fought]*fight
	order []fought
}

// A field is a field of an object that a webhook sets.
type field struct {
	hook *lint.Hook
	path string
}

// byHook is the order of findings.
func byHook(a, b field) int {
	return cmp.Or(strings.Compare(a.hook.String(), b.hook.String()), strings.Compare(a.path, b.path))
}

type fought struct {
	object recording.Key
	field
}

type fight struct {
	times int
	users []string // who undid it
	first scenario.Source
}

// againAndAgain is how often something must be undone and redone.
const againAndAgain = 3

// absent is the value of a field that does not exist: no JSON text is empty.
const absent = ""

// record looks at what webhooks did with a recorded write.
func (f *fights) record(s *lint.Subject, r *recording.Record) {
	if f.set == nil {
		f.set, f.found = map[recording.Key]map[field]string{}, map[fought]*fight{}
	}
	object := r.Key()
	switch {
	case r.Request == nil || r.Subresource != "" || object.Name == "":
		return
	case r.Verb == rest.Delete || r.Verb == rest.Create:
		delete(f.set, object)
	case r.Verb != rest.Update && r.Verb != rest.Patch:
		return
	}
	var old any
	known := r.Old.Knowledge == recording.Exists && json.Unmarshal(r.Old.Object, &old) == nil
	all := patched(s, r)
	for _, at := range slices.SortedFunc(maps.Keys(all), byHook) {
		value := all[at]
		undone := r.Verb != rest.Create && undoes(r.Request, at.path, value)
		before, set := f.set[object][at]
		if undone && (set && before == value || known && valueAt(old, at.path) == value) {
			f.add(fought{object, at}, r)
		}
		if f.set[object] == nil {
			f.set[object] = map[field]string{}
		}
		f.set[object][at] = value
	}
}

func (f *fights) add(about fought, r *recording.Record) {
	one := f.found[about]
	if one == nil {
		one = &fight{first: scenario.Source{File: r.File, Line: r.Line}}
		f.found[about] = one
		f.order = append(f.order, about)
	}
	one.times++
	if !slices.Contains(one.users, r.User.Username) {
		one.users = append(one.users, r.User.Username)
	}
}

// patched returns the fields that each webhook set last in a request, with their values as JSON.
func patched(s *lint.Subject, r *recording.Record) map[field]string {
	all := map[field]string{}
	for _, call := range r.Calls {
		i := slices.IndexFunc(s.Hooks, func(h *lint.Hook) bool {
			return h.Mutating && h.Name == call.Webhook && h.Configuration == call.Configuration
		})
		var operations []operation
		if i < 0 || json.Unmarshal(call.Patch, &operations) != nil {
			continue
		}
		for _, o := range operations {
			switch o.Op {
			case "add", "replace":
				for path, value := range leaves(o.Path, o.Value) {
					all[field{s.Hooks[i], path}] = value
				}
			case "remove":
				all[field{s.Hooks[i], o.Path}] = absent
			}
		}
	}
	return all
}

// An operation is an operation of a JSON patch.
type operation struct {
	Op, Path string
	Value    any
}

// leaves returns the fields below a path, with their values as JSON. An item that is added at the end of a list has no
// path of its own.
func leaves(path string, value any) map[string]string {
	if strings.HasSuffix(path, "/-") {
		return nil
	}
	in, isMap := value.(map[string]any)
	if !isMap || len(in) == 0 {
		return map[string]string{path: jsonOf(value)}
	}
	all := map[string]string{}
	for key, one := range in {
		for below, text := range leaves(path+"/"+jsonpointer.Escape(key), one) {
			all[below] = text
		}
	}
	return all
}

// undoes reports whether a request itself gives a field another value. Fields that a patch does not mention stay the
// same.
func undoes(r *rest.Request, path, value string) bool {
	var body any
	if json.Unmarshal(r.Body, &body) != nil {
		return false
	}
	if r.PatchType == rest.JSONPatch {
		var operations []operation
		if json.Unmarshal(r.Body, &operations) != nil {
			return false
		}
		return slices.ContainsFunc(operations, func(o operation) bool {
			return o.Path == path && (o.Op == "remove" && value != absent || (o.Op == "add" || o.Op == "replace") && jsonOf(o.Value) != value)
		})
	}
	sent, mentioned := jsonpointer.Lookup(body, path)
	switch {
	case r.Verb == rest.Patch && (!mentioned || sent == nil && value == absent):
		return false
	case r.Verb == rest.Patch && sent == nil:
		return true
	}
	return valueAt(body, path) != value
}

func valueAt(object any, path string) string {
	value, ok := jsonpointer.Lookup(object, path)
	if !ok {
		return absent
	}
	return jsonOf(value)
}

func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return absent
	}
	return string(text)
}

func undoneAgain(c *Corpus, _ *lint.Subject, r *lint.Reporter) {
	for _, about := range c.fights.order {
		one := c.fights.found[about]
		if one.times < againAndAgain {
			continue
		}
		who := one.users[0]
		if len(one.users) > 1 {
			who = fmt.Sprintf("%s and %d more", who, len(one.users)-1)
		}
		name := about.object.Name
		if about.object.Namespace != "" {
			name = about.object.Namespace + "/" + name
		}
		f := r.At(about.hook.Field(""), "sets %s of %s %s again and again: %s undid it %d times", about.path, about.object.Resource, name, who, one.times)
		f.Related = append(f.Related, lint.Related{Source: one.first, Message: "the first time"})
	}
}
