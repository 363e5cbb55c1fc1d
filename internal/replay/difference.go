package replay

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/replay/lines"
)

// values notes where two JSON values differ.
func (d *differences) values(what lines.What, path string, want, got any) {
	if reflect.DeepEqual(want, got) {
		return
	}
	if w, ok := want.(map[string]any); ok {
		if g, ok := got.(map[string]any); ok {
			d.members(what, path, w, g)
			return
		}
	}
	if w, ok := want.([]any); ok {
		if g, ok := got.([]any); ok {
			d.elements(what, path, w, g)
			return
		}
	}
	d.add(what, path, want, got, "")
}

func (d *differences) members(what lines.What, path string, want, got map[string]any) {
	for _, k := range slices.Sorted(maps.Keys(union(want, got))) {
		at := k
		if strings.ContainsAny(k, ".[") {
			at = fmt.Sprintf("['%s']", k)
		} else if path != "" {
			at = "." + k
		}
		d.values(what, path+at, want[k], got[k])
	}
}

func (d *differences) elements(what lines.What, path string, want, got []any) {
	for i := range max(len(want), len(got)) {
		at := fmt.Sprintf("%s[%d]", path, i)
		switch {
		case i >= len(want):
			d.add(what, at, nil, got[i], "")
		case i >= len(got):
			d.add(what, at, want[i], nil, "")
		default:
			d.values(what, at, want[i], got[i])
		}
	}
}

func union[V any](a, b map[string]V) map[string]bool {
	keys := make(map[string]bool, len(a))
	for k := range a {
		keys[k] = true
	}
	for k := range b {
		keys[k] = true
	}
	return keys
}

// sameJSON reports whether two texts are the same JSON, in whatever order of keys.
func sameJSON(a, b string) bool {
	var va, vb any
	return strings.HasPrefix(a, "{") && json.Unmarshal([]byte(a), &va) == nil && json.Unmarshal([]byte(b), &vb) == nil &&
		reflect.DeepEqual(va, vb)
}
