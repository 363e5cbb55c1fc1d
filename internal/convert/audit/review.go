package audit

import (
	"bytes"
	"encoding/json"
	"reflect"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/rest"
)

// reviewLine returns an audit event as admsim record would have written its review, together with the event, on one
// line. Secrets are removed, unless r is nil.
func reviewLine(l *recording.Line, r *redact.Redactor) ([]byte, error) {
	line, err := withoutSecrets(l, r)
	if err != nil {
		return nil, err
	}
	leaveOutBody(line)
	var b bytes.Buffer
	err = encode.JSON(&b, line)
	return b.Bytes(), err
}

// leaveOutBody removes the body of the event if it is the same as the object of the review: readers of the line put it
// back.
func leaveOutBody(line map[string]any) {
	review, _ := line["review"].(map[string]any)
	request, _ := review["request"].(map[string]any)
	event, _ := line["event"].(map[string]any)
	if v := event["verb"]; v != rest.Create && v != rest.Update {
		return
	}
	if body, ok := event["requestObject"].(map[string]any); ok && reflect.DeepEqual(body, request["object"]) {
		delete(event, "requestObject")
	}
}

// withoutSecrets returns the line as decoded JSON. One pass redacts all of it, so that the same secret is replaced by
// the same word everywhere.
func withoutSecrets(l *recording.Line, r *redact.Redactor) (map[string]any, error) {
	text, err := json.Marshal(l)
	if err != nil {
		return nil, err
	}
	var line map[string]any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&line); err != nil || r == nil {
		return line, err
	}
	pass := r.Begin()
	review, _ := line["review"].(map[string]any)
	event, _ := line["event"].(map[string]any)
	pass.Event(event, review, l.Kind.Group, l.Kind.Kind)
	if pass.Count() > 0 {
		line["redacted"] = true
	}
	return line, nil
}
