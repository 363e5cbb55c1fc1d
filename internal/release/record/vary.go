package record

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/conformance"
)

// Vary marks in first what differs in second, another run of the same recording: parts of an answer, or of the Status
// in it.
func Vary(first, second *conformance.Recording) {
	for i := range first.Requests {
		a, _ := first.Requests[i].Expect.(map[string]any)
		b, _ := second.Requests[i].Expect.(map[string]any)
		if conformance.Compare(first, &first.Requests[i], b) == "" {
			continue // except for what is known to vary
		}
		var paths []string
		if known := first.Requests[i].Vary; known != "" {
			paths = strings.Split(known, ",")
		}
		for _, path := range varying(a, b) {
			part, _, _ := strings.Cut(path, ".")
			if !slices.Contains(paths, path) && !slices.Contains(paths, part) {
				paths = append(paths, path)
			}
		}
		first.Requests[i].Vary = strings.Join(paths, ",")
	}
}

func varying(a, b map[string]any) []string {
	var paths []string
	for _, part := range []string{"code", "body", "warnings", "auditAnnotations", "calls"} {
		if reflect.DeepEqual(a[part], b[part]) {
			continue
		}
		x, ok1 := a[part].(map[string]any)
		y, ok2 := b[part].(map[string]any)
		if part != "body" || !ok1 || !ok2 || x["kind"] != "Status" || y["kind"] != "Status" {
			paths = append(paths, part)
			continue
		}
		fields := maps.Clone(x)
		maps.Copy(fields, y)
		for _, field := range slices.Sorted(maps.Keys(fields)) {
			if !reflect.DeepEqual(x[field], y[field]) {
				paths = append(paths, part+"."+field)
			}
		}
	}
	return paths
}
