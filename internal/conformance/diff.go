package conformance

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// Difference lists where two JSON values differ, one difference per line: the path, then the server's value after a
// minus and admsim's after a plus.
func Difference(want, got any) string {
	var d differ
	d.values("", want, got)
	return d.String()
}

type differ struct{ strings.Builder }

func (d *differ) values(path string, want, got any) {
	if reflect.DeepEqual(want, got) {
		return
	}
	wantMap, ok1 := want.(map[string]any)
	gotMap, ok2 := got.(map[string]any)
	if ok1 && ok2 {
		d.maps(path, wantMap, gotMap)
		return
	}
	wantList, ok1 := want.([]any)
	gotList, ok2 := got.([]any)
	if ok1 && ok2 {
		d.lists(path, wantList, gotList)
		return
	}
	d.line("-", path, want)
	d.line("+", path, got)
}

func (d *differ) maps(path string, want, got map[string]any) {
	keys := map[string]bool{}
	for k := range want {
		keys[k] = true
	}
	for k := range got {
		keys[k] = true
	}
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		w, inWant := want[k]
		g, inGot := got[k]
		switch at := join(path, k); {
		case !inWant:
			d.line("+", at, g)
		case !inGot:
			d.line("-", at, w)
		default:
			d.values(at, w, g)
		}
	}
}

func (d *differ) lists(path string, want, got []any) {
	for i := range max(len(want), len(got)) {
		switch at := fmt.Sprintf("%s[%d]", path, i); {
		case i >= len(want):
			d.line("+", at, got[i])
		case i >= len(got):
			d.line("-", at, want[i])
		default:
			d.values(at, want[i], got[i])
		}
	}
}

func (d *differ) line(sign, path string, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		text = fmt.Append(nil, v)
	}
	fmt.Fprintf(d, "%s %s: %s\n", sign, path, text)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
