package serve

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/wire"
)

// openAPI answers what the server says of the objects it knows.
func (x *exchange) openAPI(parts []string) {
	_, documents := x.documents.known(x.sim)
	var document []byte
	var err error
	ok := true
	switch {
	case len(parts) == 2 && parts[1] == "v2":
		document, err = documents.V2()
	case len(parts) == 2 && parts[1] == "v3":
		document, err = documents.Index()
	case len(parts) == 4 && parts[1] == "v3" && parts[2] == "api":
		document, ok, err = documents.V3(schema.GroupVersion{Version: parts[3]})
	case len(parts) == 5 && parts[1] == "v3" && parts[2] == "apis":
		document, ok, err = documents.V3(schema.GroupVersion{Group: parts[3], Version: parts[4]})
	default:
		ok = false
	}
	if err != nil {
		x.unknown(err)
		return
	}
	if !ok {
		x.noPage()
		return
	}
	if !takesJSON(x.r.Header.Get("Accept")) {
		x.text(http.StatusNotAcceptable, "only application/json is served here\n")
		return
	}
	if x.r.URL.Query().Get("hash") != "" {
		x.w.Header().Set("Cache-Control", "public, immutable")
		x.w.Header().Set("Expires", time.Now().AddDate(1, 0, 0).UTC().Format(http.TimeFormat))
	}
	x.send(http.StatusOK, string(wire.JSON), document)
}

// takesJSON reports whether a client takes JSON, whatever it takes beside it.
func takesJSON(accept string) bool {
	return accept == "" || strings.Contains(accept, "application/json") || strings.Contains(accept, "*/*") || strings.Contains(accept, "application/*")
}

func jsonOf(v any) ([]byte, error) {
	data, err := json.Marshal(v)
	return append(data, '\n'), err
}
