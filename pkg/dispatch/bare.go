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

// bareResponse reads a review that says what most say and nothing else: the kind that is
// expected, and in its response the uid, whether the request is allowed, and a patch. What it
// reads, it reads as the codec does; all else, such as members with other names or text with
// escapes in it, it leaves to the codec.
//
// Without it, a ConfigMap that 10 mutating and 10 validating webhooks look at takes 1.24 times as
// long (BenchmarkAdmit of package simulator).
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
			ok = s.object(func(name []byte) bool { return s.said(name, r) })
		}
		return ok
	})
	apiVersion, ok := bytes.CutPrefix(of, []byte(kind.Group+"/"))
	return r, isReview && s.atEnd() && ok && string(apiVersion) == kind.Version && string(is) == kind.Kind
}

// said reads a member of a response into r.
func (s *scanner) said(name []byte, r *response) (ok bool) {
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

// A scanner reads JSON of a simple kind from its start. Its methods say whether they found
// what they look for.
type scanner struct{ rest []byte }

// object reads an object. member reads the value of each of its members, of which there may
// be one of each name.
func (s *scanner) object(member func(name []byte) bool) bool {
	if !s.next('{') {
		return false
	}
	seen := make([][]byte, 0, 4) // that many names are known
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

// text reads a string in which nothing is escaped or has to be checked.
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

// next steps over a character, if it is the next one.
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
