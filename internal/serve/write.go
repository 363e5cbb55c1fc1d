package serve

import (
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/admsim/admsim/internal/wire"
)

// gzipFrom is the minimum size of compressed answers:
// kubernetes/apiserver:pkg/endpoints/handlers/responsewriters/writers.go.
const gzipFrom = 128 << 10

// send reports and then writes an answer, so that whatever a client has seen is in the logs.
func (x *exchange) send(code int, contentType string, body []byte) {
	x.code = code
	x.report()
	header := x.w.Header()
	header.Set("Content-Type", contentType)
	if len(body) >= gzipFrom && x.acceptsGzip() {
		header.Set("Content-Encoding", "gzip")
		header.Add("Vary", "Accept-Encoding")
		x.w.WriteHeader(code)
		z, _ := gzip.NewWriterLevel(x.w, gzip.BestSpeed) // the level is valid
		_, _ = z.Write(body)                             // a client that went away is not our error
		_ = z.Close()
		return
	}
	header.Set("Content-Length", strconv.Itoa(len(body)))
	x.w.WriteHeader(code)
	_, _ = x.w.Write(body)
}

func (x *exchange) acceptsGzip() bool {
	for part := range strings.SplitSeq(x.r.Header.Get("Accept-Encoding"), ",") {
		name, params, _ := strings.Cut(strings.TrimSpace(part), ";")
		if name == "gzip" && strings.TrimSpace(params) != "q=0" {
			return true
		}
	}
	return false
}

// text writes an answer that is plain text.
func (x *exchange) text(code int, body string) {
	x.w.Header().Set("X-Content-Type-Options", "nosniff")
	x.send(code, textAsUTF8, []byte(body))
}

// object writes an answer in the given format.
func (x *exchange) object(code int, media wire.Media, object runtime.Object) {
	x.encoded(code, media, func(media wire.Media) ([]byte, error) { return media.Encode(x.sim.View().Types(), object) })
}

// encoded writes what encode returns for the given format.
func (x *exchange) encoded(code int, media wire.Media, encode func(wire.Media) ([]byte, error)) {
	body, err := encode(media)
	if err != nil {
		x.unknown(err)
		return
	}
	x.show(media, encode)
	x.send(code, string(media.Format), body)
}

// status writes why a request failed, in a format that the client accepts, if possible.
func (x *exchange) status(status *metav1.Status) {
	if status.Kind == "" {
		written := *status
		written.TypeMeta = metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}
		status = &written
	}
	x.why = status
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		x.w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	code := int(status.Code)
	if code < 100 || code > 999 {
		code = http.StatusInternalServerError
	}
	media, acceptable := x.mediaOf(true)
	if !acceptable {
		x.show(media, func(media wire.Media) ([]byte, error) { return media.Encode(x.sim.View().Types(), status) })
		x.rawJSON(code, status)
		return
	}
	x.object(code, media, status)
}

// bareStatus writes a status that does not say what it is, as JSON that is not declared as such.
func (x *exchange) bareStatus(status *metav1.Status) {
	x.why = status
	body, err := json.Marshal(status)
	if err != nil {
		x.unknown(err)
		return
	}
	x.text(int(status.Code), string(body)+"\n")
}

// mediaOf returns the format of an answer that is not an object of the requested kind, and is not shown as a table.
// acceptable is false if the client accepts none.
func (x *exchange) mediaOf(builtIn bool) (m wire.Media, acceptable bool) {
	m, acceptable = x.accept(wire.Offer{Formats: x.formats(builtIn)})
	if !acceptable {
		m.Format = wire.JSON
	}
	return m, acceptable
}

// formats returns the formats in which a kind can be encoded.
func (x *exchange) formats(builtIn bool) []wire.Format {
	return wire.Formats(builtIn, x.sim.Release().GateOn("CBORServingAndStorage"))
}

// warn sends the warnings of an answer as headers.
func (x *exchange) warn(warnings []string) {
	for _, text := range warnings {
		if header, err := utilnet.NewWarningHeader(299, "-", text); err == nil {
			x.w.Header().Add("Warning", header)
		}
	}
}
