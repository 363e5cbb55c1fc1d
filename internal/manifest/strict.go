package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/objects"
)

var strictField = regexp.MustCompile(`(unknown|duplicate) field "([^"]*)"`)

// QuotedField returns the field that a message of a strict decoder is about.
func QuotedField(message string) string {
	if m := strictField.FindStringSubmatch(message); m != nil {
		return m[2]
	}
	return ""
}

// StrictErrors returns an error for each field in a message of a strict decoder. ignored is how to have fields ignored that
// the release does not have, such as [InCluster]; empty: they are ignored already.
func (m Manifest) StrictErrors(text, ignored string, types *objects.Types) (all Errors) {
	found := strictField.FindAllStringSubmatch(text, -1)
	if len(found) == 0 {
		return nil
	}
	goType := m.goType(types)
	for _, field := range found {
		e := &Error{Source: m.Position(field[2]), Message: fmt.Sprintf("%s: %s field %q", m, field[1], field[2])}
		if field[1] == "unknown" {
			unknown := &UnknownField{Path: field[2], Later: hasField(goType, field[2])}
			e.Err = unknown
			unknown.Meant, e.Hint = meantField(goType, field[2], ignored)
			if absent := types.Absent(m.GroupVersionKind, field[2]); absent != "" {
				unknown.Meant, e.Hint = "", "the field "+absent+": "+leaveOut(ignored)
			}
			if name, beside := types.CustomFields(m.GroupVersionKind, field[2]); len(beside) > 0 {
				unknown.Meant = didyoumean.Nearest(name, beside)
				e.Hint = didYouMean(unknown.Meant)
			}
		}
		all = append(all, e)
	}
	return all
}

// An UnknownField is the cause of an error about a field that a kind does not have.
type UnknownField struct {
	Path  string
	Meant string // the name that the last one of the path was probably meant to be; empty if none is similar
	Later bool   // a later release has the field
}

func (u *UnknownField) Error() string { return fmt.Sprintf("unknown field %q", u.Path) }

// goType returns the Go type of the kind, nil if it is not known.
func (m Manifest) goType(types *objects.Types) reflect.Type {
	empty, err := json.Marshal(metav1.TypeMeta{APIVersion: m.GroupVersion().String(), Kind: m.Kind})
	if err != nil {
		return nil
	}
	object, _, err := types.Decode(empty, m.GroupVersionKind, objects.Ignore)
	if err != nil {
		return nil
	}
	return reflect.TypeOf(object)
}
