package patch

import (
	"encoding/json"
	"maps"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// OnStrings applies a patch that only sets and removes labels and annotations, as most webhooks do, without encoding
// the object. It returns false, and leaves m unchanged, if the patch does anything else or does not apply.
//
// Without it, a ConfigMap that gets a label from each of 10 webhooks, and is validated by 10 more, takes 1.36 times as
// long (BenchmarkAdmit in package simulator).
func (p Patch) OnStrings(m metav1.Object) bool {
	labels, annotations := stringMap{now: m.GetLabels()}, stringMap{now: m.GetAnnotations()}
	for _, op := range p.ops {
		path, err := op.Path()
		if err != nil {
			return false
		}
		of := &labels
		at, found := strings.CutPrefix(path, "/metadata/labels")
		if !found {
			of = &annotations
			at, found = strings.CutPrefix(path, "/metadata/annotations")
		}
		if !found || !of.apply(op, at) {
			return false
		}
	}
	if labels.changed {
		m.SetLabels(labels.now)
	}
	if annotations.changed {
		m.SetAnnotations(annotations.now)
	}
	return true
}

// A stringMap is a map of labels or annotations while a patch is applied.
type stringMap struct {
	now     map[string]string
	changed bool // so now is no longer the map of the object
}

// apply applies an operation to a member, or to the whole map if the path is empty.
func (s *stringMap) apply(op jsonpatch.Operation, at string) bool {
	kind := op.Kind()
	sets := kind == "add" || kind == "replace"
	if at == "" {
		text, ok := valueLike(op, '{')
		s.now, s.changed = nil, true
		return sets && ok && json.Unmarshal(text, &s.now) == nil
	}
	key := at[1:]
	if at[0] != '/' || key == "" || strings.ContainsAny(key, "/~") {
		return false
	}
	if !s.changed {
		if len(s.now) == 0 {
			return false // the member is not written, so nothing can be added to it
		}
		s.now, s.changed = maps.Clone(s.now), true
	}
	if kind == "remove" {
		_, existed := s.now[key]
		delete(s.now, key)
		return existed
	}
	var value string
	text, ok := valueLike(op, '"')
	if !sets || !ok || json.Unmarshal(text, &value) != nil {
		return false
	}
	s.now[key] = value
	return true
}

// valueLike returns the value of an operation if its JSON starts with first.
func valueLike(op jsonpatch.Operation, first byte) ([]byte, bool) {
	text := op["value"]
	if text == nil || len(*text) == 0 || (*text)[0] != first {
		return nil, false
	}
	return *text, true
}
