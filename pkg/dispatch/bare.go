package dispatch

import (
	"bytes"
	"encoding/base64"
	"slices"
	"unicode/utf8"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// bareResponse decodes a review that has only the usual members: the expected kind, and a response with the uid,
// whether the request is allowed, and a patch. What it decodes, it decodes like the codec. Everything else, such as
// members with other names or text with escapes, is left to the codec.
//
// Without it, a ConfigMap that 10 mutating and 10 validating webhooks match takes 1.24 times as long (BenchmarkAdmit in
// package simulator).
func bareResponse(text []byte, kind schema.GroupVersionKind) (*response, bool) {
	s := &scanner{rest: text}
	r := &response{kind: kind}
	var is, of []byte
	isReview := s.object(func(name []byte) (ok bool) {
		switch string(name) {
		case "kind":
			is, ok = s.text()
		case "apiVersion":
			of, ok = s.text()
		case "response":
			r.present = true
			ok = s.object(func(name []byte) bool { return s.responseMember(name, r) })
		}
		return ok
	})
	apiVersion, ok := bytes.CutPrefix(of, []byte(kind.Group+"/"))
	return r, isReview && s.atEnd() && ok && string(apiVersion) == kind.Version && string(is) == kind.Kind
}

// responseMember reads the value of a member of a response into r.
func (s *scanner) responseMember(name []byte, r *response) (ok bool) {
	var text []byte
	switch string(name) {
	case "allowed":
		r.Allowed, ok = s.boolean()
	case "uid":
		text, ok = s.text()
		r.UID = types.UID(text)
	case "patchType":
		text, ok = s.text()
		r.PatchType = new(admissionv1.PatchType(text))
	case "patch":
		if text, ok = s.text(); ok {
			var err error
			r.Patch, err = base64.StdEncoding.AppendDecode([]byte{}, text)
			ok = err == nil
		}
	}
	return ok
}

// A scanner reads simple JSON from the start. Its methods report whether they found what they look for.
type scanner struct{ rest []byte }

// object reads an object. member reads the value of each of its members, whose names must be unique.
func (s *scanner) object(member func(name []byte) bool) bool {
	if !s.next('{') {
		return false
	}
	seen := make([][]byte, 0, 4) // the number of known names
	for !s.next('}') {
		if len(seen) > 0 && !s.next(',') {
			return false
		}
		name, ok := s.text()
		if !ok || slices.ContainsFunc(seen, func(n []byte) bool { return bytes.Equal(n, name) }) || !s.next(':') || !member(name) {
			return false
		}
		seen = append(seen, name)
	}
	return true
}

// text reads a string without escapes and without characters that have to be checked.
func (s *scanner) text() ([]byte, bool) {
	if !s.next('"') {
		return nil, false
	}
	for i, c := range s.rest {
		switch {
		case c == '"':
			text := s.rest[:i]
			s.rest = s.rest[i+1:]
			return text, true
		case c == '\\' || c < ' ' || c >= utf8.RuneSelf:
			return nil, false
		}
	}
	return nil, false
}

func (s *scanner) boolean() (value, ok bool) {
	s.space()
	for _, word := range []string{"true", "false"} {
		if rest, found := bytes.CutPrefix(s.rest, []byte(word)); found {
			s.rest = rest
			return word == "true", true
		}
	}
	return false, false
}

// next skips c if it is the next character.
func (s *scanner) next(c byte) bool {
	s.space()
	if len(s.rest) == 0 || s.rest[0] != c {
		return false
	}
	s.rest = s.rest[1:]
	return true
}

func (s *scanner) atEnd() bool {
	s.space()
	return len(s.rest) == 0
}

func (s *scanner) space() {
	for len(s.rest) > 0 && (s.rest[0] == ' ' || s.rest[0] == '\t' || s.rest[0] == '\r' || s.rest[0] == '\n') {
		s.rest = s.rest[1:]
	}
}
