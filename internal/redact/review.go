package redact

import (
	"encoding/base64"
	"fmt"
)

// A reviewKind holds the part of a review that tells whether there may be secrets in it.
type reviewKind struct {
	Request struct {
		Kind struct{ Group, Kind string }
	}
}

// Review returns an AdmissionReview in JSON, of any version, without secrets: those in the objects of its request, in
// the patch of its response, and where the response repeats them. found reports whether there were any; if not, the
// text is returned as it is.
func (r *Redactor) Review(text []byte) (redacted []byte, found bool, err error) {
	var head reviewKind
	if err := decode(text, &head); err != nil {
		return nil, false, fmt.Errorf("redacting a review: %w", err)
	}
	kind := head.Request.Kind
	if !r.Has(kind.Group, kind.Kind) {
		return text, false, nil
	}
	var review map[string]any
	if err := decode(text, &review); err != nil {
		return nil, false, fmt.Errorf("redacting a review: %w", err)
	}
	p := r.Begin()
	p.Review(review, kind.Group, kind.Kind)
	if p.Count() == 0 {
		return text, false, nil
	}
	redacted, err = encode(review)
	return redacted, true, err
}

// Review redacts, in place, a review of an object of a kind, or the reply to one.
func (p *Pass) Review(review map[string]any, group, kind string) {
	request, _ := review["request"].(map[string]any)
	p.reviewed(request, group, kind)
	if response, ok := review["response"].(map[string]any); ok {
		p.response(response, group, kind)
	}
}

// reviewed redacts the objects of a request, in place.
func (p *Pass) reviewed(request map[string]any, group, kind string) {
	for _, field := range []string{"object", "oldObject"} {
		if object, ok := request[field].(map[string]any); ok {
			request[field] = p.object(object, group, kind)
		}
	}
}

// response redacts the patch and the messages of a response, in place.
func (p *Pass) response(response map[string]any, group, kind string) {
	for _, field := range []string{"status", "warnings", "auditAnnotations"} {
		if value, ok := response[field]; ok {
			response[field] = p.Texts(value)
		}
	}
	text, ok := response["patch"].(string)
	if !ok || text == "" {
		return
	}
	var operations []any
	patch, err := base64.StdEncoding.DecodeString(text)
	if err == nil {
		err = decode(patch, &operations)
	}
	if err == nil {
		patch, err = encode(p.Patch(group, kind, operations))
	}
	if err != nil { // it stays broken
		patch = []byte(p.word(text))
	}
	response["patch"] = base64.StdEncoding.EncodeToString(patch)
}
