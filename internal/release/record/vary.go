package record

import (
	"bytes"
	"encoding/json"
	"maps"
	"net"
	"reflect"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/conformance"
)

// Vary marks in first what differs in second, another run of the same recording: parts of an answer, or of the Status
// in it. An address that the server drew counts as different, because two runs may draw the same one. Requests that were
// not answered in both runs are removed.
func Vary(first, second *conformance.Recording) {
	again := map[string]*conformance.Request{}
	for i := range second.Requests {
		again[second.Requests[i].ID] = &second.Requests[i]
	}
	first.Requests = slices.DeleteFunc(first.Requests, func(r conformance.Request) bool { return again[r.ID] == nil })
	for i := range first.Requests {
		request := &first.Requests[i]
		a, _ := request.Expect.(map[string]any)
		b, _ := again[request.ID].Expect.(map[string]any)
		if hasDrawnAddress(first, request, a) {
			request.Vary = addPaths(request.Vary, "spec.clusterIP", "spec.clusterIPs")
		}
		if conformance.Compare(first, request, b) != "" { // except for what is known to vary
			request.Vary = addPaths(request.Vary, varying(a, b)...)
		}
	}
}

// addPaths adds those paths to a list that it does not contain, as a whole or as part of another path.
func addPaths(list string, paths ...string) string {
	var all []string
	if list != "" {
		all = strings.Split(list, ",")
	}
	for _, path := range paths {
		part, _, _ := strings.Cut(path, ".")
		if !slices.Contains(all, path) && !slices.Contains(all, part) {
			all = append(all, path)
		}
	}
	return strings.Join(all, ",")
}

// hasDrawnAddress reports whether an answer is a Service with an address that neither the request nor an existing object
// has.
func hasDrawnAddress(r *conformance.Recording, request *conformance.Request, answer map[string]any) bool {
	body, _ := answer["body"].(map[string]any)
	spec, _ := body["spec"].(map[string]any)
	address, _ := spec["clusterIP"].(string)
	if body["kind"] != "Service" || net.ParseIP(address) == nil {
		return false
	}
	asked := *request
	asked.Expect = nil
	text, err := json.Marshal([]any{asked, r.Cluster})
	return err == nil && !bytes.Contains(text, []byte(`"`+address+`"`))
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
