package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"github.com/admsim/admsim/internal/lazyregexp"
	"github.com/admsim/admsim/internal/objects"
)

var strictField = lazyregexp.New(`(unknown|duplicate) field "([^"]*)"`)

// quotedField is the field that a strict decoder's message is about.
func quotedField(message string) string {
	if m := strictField().FindStringSubmatch(message); m != nil {
		return m[2]
	}
	return ""
}

// decodeErrors finds the places that the server's answer to a body that cannot be read
// speaks of.
func (x *objectRead) decodeErrors(err error) {
	text := err.Error()
	if _, strict, is := strings.Cut(text, "strict decoding error: "); is {
		if x.errs = append(x.errs, x.of.strictErrors(strict, x.types)...); len(x.errs) > 0 {
			return
		}
	}
	if wrong := x.of.wrongType(text, x.types); wrong != nil {
		wrong.Err = err
		x.errs = append(x.errs, wrong)
		return
	}
	var status apierrors.APIStatus
	if errors.As(err, &status) && status.Status().Details != nil {
		for _, c := range status.Status().Details.Causes {
			x.errs.Add(x.of.Position(c.Field), "", "%s: %s: %s", x.of, c.Field, c.Message)
		}
		if len(x.errs) > 0 {
			return
		}
	}
	x.errs = append(x.errs, &Error{Source: x.of.Source, Message: fmt.Sprintf("%s: %v", x.of, err), Err: err})
}

// strictErrors are the fields that text, of a strict decoder, speaks of.
func (m Manifest) strictErrors(text string, types *objects.Types) (all Errors) {
	found := strictField().FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return nil
	}
	goType := m.goType(types)
	for _, field := range found {
		all.Add(m.Position(field[2]), fieldHint(goType, field[2]), "%s: %s field %q", m, field[1], field[2])
	}
	return all
}

// Slips are the places in r's file of what the server's answer calls unknown, given twice or
// of the wrong type: answer is its message, and its warnings. Of a patch there are none.
func (r Request) Slips(answer []string, types *objects.Types) (all []*Error) {
	m := r.object
	if r.Plain {
		m = &r.manifest
	}
	if m == nil || len(r.Body) == 0 {
		return nil
	}
	for _, text := range answer {
		all = append(all, m.strictErrors(text, types)...)
		if wrong := m.wrongType(text, types); wrong != nil {
			all = append(all, wrong)
		}
	}
	return all
}

// goType is the Go type of the kind, nil if m cannot be decoded.
func (m Manifest) goType(types *objects.Types) reflect.Type {
	object, _, err := types.Decode(m.JSON, m.GroupVersionKind, objects.Ignore)
	if err != nil {
		return nil
	}
	return reflect.TypeOf(object)
}
