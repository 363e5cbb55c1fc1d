package serve

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/rest"
)

// watch is a verb that package rest does not know: a list followed by its changes.
const watch = "watch"

// A target is the resource that a request is for.
type target struct {
	verb        string
	resource    schema.GroupVersionResource
	subresource string // including the path after proxy/
	namespace   string
	name        string
}

// targetOf parses the path of a request; ok is false if it is not the path of a resource:
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
	watches := parts[0] == watch && len(parts) > 1 && t.verb == rest.Get // the deprecated form of the path
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
	case t.verb == rest.Get && (watches || t.name == "" && asksToWatch(r.URL.Query())):
		t.verb = watch
	case t.verb == rest.Get && t.name == "":
		t.verb = rest.List
	case t.verb == rest.Delete && t.name == "":
		t.verb = rest.DeleteCollection
	case t.verb == rest.Create && t.name != "" && t.subresource == "":
		t.verb = "post" // the path does not contain a verb
	}
	return t, true
}

// split returns the segments of the path. A slash that is encoded as %2F does not end a segment.
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

// verbOf returns the verb for an HTTP method. Methods without a verb are returned as they are.
func verbOf(method string) string {
	switch method {
	case http.MethodPost:
		return rest.Create
	case http.MethodGet, http.MethodHead:
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

// infoVerb returns the verb of a request as authorizers and audit logs name it, whether the router knows the method or
// not: kubernetes/apiserver:pkg/endpoints/request/requestinfo.go.
func (t target) infoVerb(method string) string {
	switch {
	case t.verb == "": // not for a resource
		return strings.ToLower(method)
	case method == http.MethodPost:
		return rest.Create
	case slices.Contains([]string{http.MethodGet, http.MethodHead, http.MethodPut, http.MethodPatch, http.MethodDelete}, method):
		return t.verb
	}
	return ""
}

// asksToWatch reports whether the parameter watch of a list is set. Like the server, it reads a boolean.
func asksToWatch(query url.Values) (watches bool) {
	values := query[watch]
	_ = runtime.Convert_Slice_string_To_bool(&values, &watches, nil) // cannot fail
	return watches
}
