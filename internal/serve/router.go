package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// notFound answers a request for a path that does not exist. Below the root of a web service, that is what the router
// says: kubernetes/apiserver:pkg/server/handler.go.
func (x *exchange) notFound(parts []string) {
	switch {
	case x.isRouted(parts):
		x.routerSays(http.StatusNotFound, "")
	case parts[0] == "apis" || x.sim.Release().Has(kubeversion.NoIndexOfOthers):
		x.noFile()
	default:
		x.rawJSON(http.StatusNotFound, metav1.RootPaths{Paths: x.customPaths()})
	}
}

// isRouted reports whether a web service has its root at the path or above it, except for those of documents of which the
// server has none.
func (x *exchange) isRouted(parts []string) bool {
	if parts[0] == "apis" && len(parts) > 1 {
		return slices.ContainsFunc(x.sim.Resources().All(), func(r discovery.Resource) bool {
			return r.CRD == nil && r.Served && r.Group == parts[1]
		})
	}
	return parts[0] == "api" || parts[0] == "version"
}

// routerSays answers in the place of a handler, as the router of web services does.
func (x *exchange) routerSays(code int, message string) {
	x.status(routerStatus(code, message))
}

// accepts reports whether the client accepts the only format of a document. If not, it answers.
func (x *exchange) accepts(contentType string) bool {
	types := []string{contentType}
	if wire.Routes(x.r.Header.Get("Accept"), types) {
		return true
	}
	x.status(x.notRouted(types))
	return false
}

// openID returns the document about tokens at a path.
func (x *exchange) openID(path string) (contentType string, text []byte, ok bool) {
	if x.options.Page == nil || !x.sim.Release().Has(kubeversion.OpenIDPages) {
		return "", nil, false
	}
	return x.options.Page(path, x.address())
}

// page answers with a document that does not belong to the Kubernetes API. It returns false if the path is neither that of
// one nor below it.
func (x *exchange) page(parts []string) bool {
	for n := len(parts); n > 0; n-- {
		contentType, text, ok := x.openID("/" + strings.Join(parts[:n], "/"))
		switch {
		case !ok:
			continue
		case n < len(parts):
			x.routerSays(http.StatusNotFound, "")
		case x.r.Method != http.MethodGet:
			x.notAllowed()
		case x.accepts(contentType):
			x.w.Header().Set("Cache-Control", "public, max-age=3600") // kubernetes/kubernetes:pkg/routes/openidmetadata.go
			x.send(http.StatusOK, contentType, text)
		}
		return true
	}
	return false
}

// logFiles answers a request for the log files of the server's machine, of which there are none. It returns false if the
// server does not show them, or if the request is for the logs of admsim.
func (x *exchange) logFiles(parts []string) bool {
	switch {
	case parts[0] != "logs" || x.sim.Release().Has(kubeversion.LogFilesHidden):
		return false
	case x.r.Method != http.MethodGet:
		x.notAllowed()
	case len(parts) > 1:
		x.noFile()
	case x.endsInSlash():
		x.send(http.StatusOK, "text/html; charset=utf-8", []byte("<!doctype html>\n<meta name=\"viewport\" content=\"width=device-width\">\n<pre>\n</pre>\n"))
	default:
		x.w.Header().Set("Location", "logs/")
		x.code = http.StatusMovedPermanently
		x.report()
		x.w.WriteHeader(x.code)
	}
	return true
}

func (x *exchange) notAllowed() { x.routerSays(http.StatusMethodNotAllowed, "") }

// noFile answers in Go's words that something does not exist.
func (x *exchange) noFile() { x.text(http.StatusNotFound, "404 page not found\n") }

// rawJSON writes a value without asking what the client accepts, for people to read:
// kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/writers.go, WriteRawJSON.
func (x *exchange) rawJSON(code int, v any) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		x.unknown(err)
		return
	}
	x.send(code, string(wire.JSON), data)
}

// root lists the available paths.
func (x *exchange) root() { x.rawJSON(http.StatusOK, metav1.RootPaths{Paths: x.paths()}) }
