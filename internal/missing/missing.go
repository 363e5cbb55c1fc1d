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
	Expression string // its path in the object that contains it
	Warning    string // in the words of the server's type checker
	Fields     []Field
}

// A Field is a field that a kind does not have.
type Field struct {
	Kind schema.GroupVersionKind
	Path string // spec.containers[].image
}

// Name returns the name of the field.
func (f Field) Name() string { return f.Path[strings.LastIndexByte(f.Path, '.')+1:] }

// Schemas says which fields kinds have.
type Schemas struct {
	Of        func(schema.GroupVersionKind) (*spec.Schema, bool) // of what expressions see of an object
	Elsewhere func(Field) bool                                   // whether another release has a field
}
