package recorder

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/admsim/admsim/internal/redact"
)

// version is the version of the line format.
const version = 1

// A line is what is written for an exchange. Its fields are promised in docs/recording.md.
type line struct {
	V            int       `json:"v"`
	Time         time.Time `json:"t"`
	Latency      string    `json:"latency"`
	Review       any       `json:"review"`
	Redacted     bool      `json:"redacted,omitempty"`
	HTTP         int       `json:"http,omitempty"`
	Raw          *string   `json:"raw,omitempty"`
	Error        string    `json:"error,omitempty"`
	Source       string    `json:"source"`
	At           string    `json:"at,omitempty"`
	ConfigDigest string    `json:"configDigest,omitempty"`
}

// A review holds a request and its response, each as it was sent.
type review struct {
	Kind       string          `json:"kind"`
	APIVersion string          `json:"apiVersion"`
	Request    json.RawMessage `json:"request,omitempty"`
	Response   json.RawMessage `json:"response,omitempty"`
}

// lastLine ends a recording.
type lastLine struct {
	V    int       `json:"v"`
	Time time.Time `json:"t"`
	End  Counts    `json:"end"`
}

// hiddenRaw replaces an answer that is not a review and may contain a secret.
const hiddenRaw = "REDACTED"

// errNoReview says that a call is not a review, and is not recorded.
var errNoReview = fmt.Errorf("the call is not an AdmissionReview")

// line returns the line to write for e.
func (e *exchange) line(redactor *redact.Redactor, configDigest string) ([]byte, error) {
	var r review
	if err := json.Unmarshal(e.request.Bytes(), &r); err != nil || r.Kind != "AdmissionReview" || len(r.Request) == 0 {
		return nil, errNoReview
	}
	l := line{
		V:            version,
		Time:         e.arrived.UTC(),
		Latency:      e.latency.String(),
		Source:       e.url,
		At:           e.at,
		ConfigDigest: configDigest,
	}
	if e.err != nil {
		l.Error = e.err.Error()
	}
	if e.status != http.StatusOK {
		l.HTTP = e.status
	}
	body, err := plain(e.response.Bytes(), e.encoding)
	var answer review
	switch {
	case err == nil && json.Unmarshal(body, &answer) == nil && len(answer.Response) > 0:
		r.Response = answer.Response
	case e.status != 0:
		text := string(body)
		l.Raw = &text
	}
	l.Review = r
	if redactor != nil {
		if err := l.redact(redactor, r); err != nil {
			return nil, err
		}
	}
	return encode(l)
}

func (l *line) redact(redactor *redact.Redactor, r review) error {
	text, err := encode(r)
	if err != nil {
		return err
	}
	redacted, found, err := redactor.Review(text)
	if err != nil {
		return err
	}
	if found {
		l.Review, l.Redacted = json.RawMessage(redacted), true
		if l.Raw != nil {
			hidden := hiddenRaw
			l.Raw = &hidden
		}
	}
	return nil
}

// plain decompresses a body.
func plain(body []byte, encoding string) ([]byte, error) {
	if encoding != "gzip" {
		return body, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return body, err
	}
	return io.ReadAll(io.LimitReader(z, maxBody))
}

// encode returns value as one line of JSON, including the newline. Raw JSON in it is kept as it is, except for white
// space.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return b.Bytes(), err
}
