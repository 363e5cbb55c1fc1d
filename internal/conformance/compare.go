package conformance

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// Compare returns how an answer, in the form of a recording's `expect`, differs from the answer of the recorded server.
func Compare(r *Recording, req *Request, got map[string]any) string {
	want, _ := req.Expect.(map[string]any)
	want, _ = clone(want).(map[string]any)
	want, _ = dropTransport(r, Normalize(usualSpaces(r, want))).(map[string]any)
	got, _ = clone(got).(map[string]any)
	got, _ = dropTransport(r, Normalize(got)).(map[string]any)
	if calls, ok := want["calls"].([]any); ok && len(calls) == 0 {
		delete(want, "calls")
	}
	for _, path := range strings.Split(req.Vary, ",") {
		if path != "" {
			forget(want, path)
			forget(got, path)
		}
	}
	return Difference(want, got)
}

// forget removes what differs between runs of the server: a part of the answer, or a field of the object in it and in
// the reviews.
func forget(answer map[string]any, path string) {
	part, _, _ := strings.Cut(path, ".")
	switch part {
	case "code", "body", "warnings", "auditAnnotations", "calls":
		remove(answer, strings.Split(path, "."))
		return
	}
	fields := strings.Split(path, ".")
	remove(answer, append([]string{"body"}, fields...))
	calls, _ := answer["calls"].([]any)
	for _, c := range calls {
		call, _ := c.(map[string]any)
		remove(call, append([]string{"review", "request", "object"}, fields...))
		remove(call, append([]string{"review", "request", "oldObject"}, fields...))
	}
}

func remove(v map[string]any, path []string) {
	for len(path) > 1 {
		v, _ = v[path[0]].(map[string]any)
		path = path[1:]
	}
	delete(v, path[0])
}

func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for k := range v {
			copied[k] = clone(v[k])
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i := range v {
			copied[i] = clone(v[i])
		}
		return copied
	}
	return v
}

// stepsOf lists the steps of a result, one per line.
func stepsOf(r *simulator.Result) string {
	var b strings.Builder
	for _, a := range r.Admissions {
		for _, s := range a.Steps {
			fmt.Fprintf(&b, "  %-10s r%d %-28s %s: %s\n", s.Phase, s.Round, s.Plugin, s.Outcome, s.Because)
			for _, h := range s.Hooks {
				if h.Outcome != trace.Skipped {
					fmt.Fprintf(&b, "  %14s %s/%s %s: %s\n", "", h.Configuration, h.Name, h.Outcome, h.Because)
				}
			}
		}
	}
	return b.String()
}
