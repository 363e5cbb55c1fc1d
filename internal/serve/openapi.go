package serve

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/wire"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// protobufTypes holds the media types of documents in protocol buffers, each followed by its older name.
var protobufTypes = map[string][]string{
	"v2": {"application/com.github.proto-openapi.spec.v2.v1.0+protobuf", "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"},
	"v3": {"application/com.github.proto-openapi.spec.v3.v1.0+protobuf", "application/com.github.proto-openapi.spec.v3@v1.0+protobuf"},
}

// openAPI serves the schemas of the objects that the server knows.
func (x *exchange) openAPI(parts []string) {
	_, documents := x.documents.known(x.sim)
	if len(parts) > 1 && parts[1] == "v3" && x.sim.Release().Has(kubeversion.OpenAPIV3) {
		path := "openapi/v3"
		if x.r.URL.Path != "/openapi/v3" {
			path += "/"
		}
		x.countAs(kubeversion.MetricDocuments, Counted{Subresource: path})
	}
	name := ""
	index, exists := false, !x.endsInSlash()
	switch {
	case len(parts) == 2 && parts[1] == "v2":
	case len(parts) > 1 && parts[1] == "v3" && !x.sim.Release().Has(kubeversion.OpenAPIV3):
		exists = false
	case len(parts) == 2 && parts[1] == "v3":
		index = true
	case len(parts) > 2 && parts[1] == "v3":
		name = strings.Join(parts[2:], "/")
	default:
		exists = false
	}
	if !exists {
		x.noSchemas(parts)
		return
	}
	version := parts[1]
	contentType, acceptable := openAPIType(x.r.Header.Get("Accept"), version)
	inProtobuf := contentType != string(wire.JSON)
	var document []byte
	var err error
	ok := true
	switch {
	case !acceptable && !index:
		x.w.Header().Set("Vary", "Accept")
		x.text(http.StatusNotAcceptable, "")
		return
	case index:
		contentType = string(wire.JSON) // whatever the client accepts
		document, err = documents.Index()
	case version == "v2" && inProtobuf:
		document, err = documents.V2Protobuf()
	case version == "v2":
		document, err = documents.V2()
	case inProtobuf:
		document, ok, err = documents.V3Protobuf(name)
	default:
		document, ok, err = documents.V3(name)
	}
	if err != nil {
		x.unknown(err)
		return
	}
	if !ok {
		x.noSchemas(parts)
		return
	}
	if !index {
		x.w.Header().Set("Vary", "Accept")
	}
	if x.r.URL.Query().Get("hash") != "" {
		x.w.Header().Set("Cache-Control", "public, immutable")
		x.w.Header().Set("Expires", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	}
	x.send(http.StatusOK, contentType, document)
}

// noSchemas answers that there is no such document. Below /openapi/v3/, that is said without words:
// kubernetes/kube-openapi:pkg/handler3/handler.go.
func (x *exchange) noSchemas(parts []string) {
	if !x.sim.Release().Has(kubeversion.OpenAPIV3) || !strings.HasPrefix(x.r.URL.Path, "/openapi/v3/") {
		x.notFound(parts)
		return
	}
	x.code = http.StatusNotFound
	x.report()
	x.w.WriteHeader(x.code)
}

// openAPIType returns the first format that the client accepts and the document has:
// kubernetes/kube-openapi:pkg/handler/handler.go.
func openAPIType(accept, version string) (contentType string, ok bool) {
	if accept == "" {
		return string(wire.JSON), true
	}
	for part := range strings.SplitSeq(accept, ",") {
		part, _, _ = strings.Cut(part, ";")
		switch part = strings.TrimSpace(part); {
		case part == "application/json" || part == "application/*" || part == "*/*":
			return string(wire.JSON), true
		case slices.Contains(protobufTypes[version], part):
			return protobufTypes[version][0], true
		}
	}
	return "", false
}

func jsonOf(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(data, '\n'), err
}
