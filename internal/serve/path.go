package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/rest"
)

// watch is a verb that package rest does not know: a list that goes on.
const watch = "watch"

// A target is what a request is about, where that is a resource.
type target struct {
	verb        string
	resource    schema.GroupVersionResource
	subresource string // with the path behind proxy/
	namespace   string
	name        string
}

// targetOf reads the path of a request; ok is false if it is not that of a resource:
// kubernetes/apiserver:pkg/endpoints/request/requestinfo.go.
func targetOf(r *http.Request) (t target, ok bool) {
	parts := split(r.URL)
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		t.resource.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		t.resource.Group, t.resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return target{}, false
	}
	t.verb = verbOf(r.Method)
	watches := parts[0] == watch && len(parts) > 1 && t.verb == rest.Get // the old way
	if watches {
		parts = parts[1:]
	}
	if parts[0] == "namespaces" && len(parts) > 2 && !slices.Contains([]string{"status", "finalize"}, parts[2]) {
		t.namespace, parts = parts[1], parts[2:]
	}
	t.resource.Resource = parts[0]
	if len(parts) > 1 {
		t.name = parts[1]
	}
	if len(parts) > 2 {
		t.subresource = strings.Join(parts[2:], "/")
	}
	switch {
	case t.verb == rest.Get && (watches || t.name == "" && isTrue(r.URL.Query().Get("watch"))):
		t.verb = watch
	case t.verb == rest.Get && t.name == "":
		t.verb = rest.List
	case t.verb == rest.Delete && t.name == "":
		t.verb = rest.DeleteCollection
	case t.verb == rest.Create && t.name != "" && t.subresource == "":
		t.verb = "post" // which the path does not have
	}
	return t, true
}

// split are the parts of the path. A slash that is written %2F is no end of one.
func split(u *url.URL) []string {
	path := strings.Trim(u.EscapedPath(), "/")
	if path == "" {
		return nil
	}
	parts := strings.Split(path, "/")
	for i, p := range parts {
		if plain, err := url.PathUnescape(p); err == nil {
			parts[i] = plain
		}
	}
	return parts
}

// verbOf is the verb of a method. One that there is not for resources stands for itself.
func verbOf(method string) string {
	switch method {
	case http.MethodPost:
		return rest.Create
	case http.MethodGet:
		return rest.Get
	case http.MethodPut:
		return rest.Update
	case http.MethodPatch:
		return rest.Patch
	case http.MethodDelete:
		return rest.Delete
	}
	return strings.ToLower(method)
}

// isTrue reads a flag in a query as the server does: what is not false is true.
func isTrue(value string) bool {
	switch strings.ToLower(value) {
	case "", "false", "0":
		return false
	}
	return true
}
