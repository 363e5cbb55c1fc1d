// Package missing describes fields that expressions use and that the objects they are about do not have. Package
// expression finds them in schemas from package objects.
package missing

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Fields are the missing fields of one expression.
type Fields struct {
	Webhook    int    // the index of the webhook; 0 in a policy
	Expression string // its path in the policy, or in the webhook
	Warning    string // in the words of the server's type checker
	Problems   []Problem
}

// A Problem is what is wrong with one part of an expression.
type Problem struct {
	Message string // undefined field 'image'
	At      Place
	Kinds   []schema.GroupVersionKind
	Path    string                    // of the field that these kinds do not have; empty if it is something else
	Having  []schema.GroupVersionKind // the other kinds that the expression is about, which have the field
}

// A Place is where a problem is in an expression, counting from 1, and the line there.
type Place struct {
	Line, Column int
	Text         string
}

// Name returns the name of the field.
func (p Problem) Name() string { return p.Path[strings.LastIndexByte(p.Path, '.')+1:] }

// A Field is a field that a kind does not have.
type Field struct {
	Kind schema.GroupVersionKind
	Path string // spec.containers[].image
}

// Schemas says which fields kinds have.
type Schemas struct {
	Of        func(schema.GroupVersionKind) (*spec.Schema, bool) // of what expressions see of an object
	Elsewhere func(Field) bool                                   // whether another release has a field
}
