package compare

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/replay/lines"
)

// differences collects differences.
type differences struct{ all []lines.Difference }

func (d *differences) add(what lines.What, path string, want, got any, webhook string) {
	d.all = append(d.all, lines.Difference{What: what, Path: path, Recorded: jsonOf(want), Simulated: jsonOf(got), Webhook: webhook})
}

func jsonOf(v any) json.RawMessage {
	if v == nil {
		return nil
	}
	text, err := json.Marshal(v)
	if err != nil {
		text, _ = json.Marshal(fmt.Sprint(v)) // text can always be encoded
	}
	return text
}

// bodies compares two objects, or two denials.
func (d *differences) bodies(want, got answered, denier string) {
	wantStatus, gotStatus := isStatus(want.body), isStatus(got.body)
	if !wantStatus || !gotStatus {
		if wantStatus == gotStatus {
			d.values(lines.Object, "", pair{want.body, got.body}, pair{want.shown, got.shown})
		}
		return // one was allowed, the other was not; this is reported elsewhere
	}
	w, g := want.body.(map[string]any), got.body.(map[string]any)
	if w["message"] != g["message"] {
		d.add(lines.Message, "", w["message"], g["message"], denier)
	}
	if len(w) > 2 { // the whole status is known
		for _, k := range slices.Sorted(maps.Keys(union(w, g))) {
			if k != "message" && k != "code" {
				both := pair{w[k], g[k]}
				d.values(lines.Status, k, both, both)
			}
		}
	}
}

func isStatus(v any) bool {
	m, ok := v.(map[string]any)
	return ok && m["kind"] == "Status"
}

// The annotations about webhooks.
const (
	patchAnnotation = "patch.webhook.admission.k8s.io/"
)

func (d *differences) annotations(want, got map[string]string, patches bool) {
	for _, k := range slices.Sorted(maps.Keys(union(want, got))) {
		w, inWant := want[k]
		g, inGot := got[k]
		if inWant == inGot && (w == g || sameJSON(w, g)) {
			continue
		}
		what := lines.Annotations
		switch {
		case strings.HasPrefix(k, patchAnnotation):
			if what = lines.Patches; !patches {
				continue
			}
		case strings.Contains(k, lines.HookAnnotation):
			what = lines.Webhooks
		}
		at := lines.Difference{What: what, Path: k, Webhook: lines.WebhookIn(k, w, g)}
		if inWant {
			at.Recorded = jsonOf(w)
		}
		if inGot {
			at.Simulated = jsonOf(g)
		}
		d.all = append(d.all, at)
	}
}

// A pair holds a value of each answer.
type pair struct{ want, got any }

// values adds the places where two JSON values differ. shown are the same values as they were answered.
func (d *differences) values(what lines.What, path string, v, shown pair) {
	if reflect.DeepEqual(v.want, v.got) {
		return
	}
	if w, ok := v.want.(map[string]any); ok {
		if g, ok := v.got.(map[string]any); ok {
			d.members(what, path, w, g, shown)
			return
		}
	}
	if w, ok := v.want.([]any); ok {
		if g, ok := v.got.([]any); ok {
			d.elements(what, path, w, g, shown)
			return
		}
	}
	d.add(what, path, shown.want, shown.got, "")
}

func (d *differences) members(what lines.What, path string, want, got map[string]any, shown pair) {
	shownWant, _ := shown.want.(map[string]any)
	shownGot, _ := shown.got.(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(union(want, got))) {
		at := k
		if strings.ContainsAny(k, ".[") {
			at = fmt.Sprintf("['%s']", k)
		} else if path != "" {
			at = "." + k
		}
		d.values(what, path+at, pair{want[k], got[k]}, pair{shownWant[k], shownGot[k]})
	}
}

func (d *differences) elements(what lines.What, path string, want, got []any, shown pair) {
	shownWant, _ := shown.want.([]any)
	shownGot, _ := shown.got.([]any)
	for i := range max(len(want), len(got)) {
		v, s := pair{element(want, i), element(got, i)}, pair{element(shownWant, i), element(shownGot, i)}
		at := fmt.Sprintf("%s[%d]", path, i)
		if i >= len(want) || i >= len(got) {
			d.add(what, at, s.want, s.got, "")
		} else {
			d.values(what, at, v, s)
		}
	}
}

// element returns nil beyond the end of a list.
func element(list []any, i int) any {
	if i < len(list) {
		return list[i]
	}
	return nil
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

// sameJSON reports whether two texts are the same JSON, whatever the order of keys.
func sameJSON(a, b string) bool {
	var va, vb any
	return strings.HasPrefix(a, "{") && json.Unmarshal([]byte(a), &va) == nil && json.Unmarshal([]byte(b), &vb) == nil &&
		reflect.DeepEqual(va, vb)
}
