package expression

import (
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// objectTypes resolves Object{…} and its parts, such as Object.spec{…}, like the types of the server, except that they
// only have the fields of a schema, with the types of those that are scalars.
type objectTypes struct{ root *spec.Schema }

func (o objectTypes) Resolve(name string) (common.ResolvedType, bool) {
	t, ok := (&mutation.DynamicTypeResolver{}).Resolve(name)
	path, is := strings.CutPrefix(name, mutation.ObjectTypeName)
	if !ok || !is {
		return t, ok
	}
	s := o.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
		if part != "" {
			s = partOf(s, part)
		}
	}
	return objectPart{t, itemOf(s)}, true
}

// partOf returns the schema of a field, nil if it is not known.
func partOf(s *spec.Schema, name string) *spec.Schema {
	if s = itemOf(s); s == nil {
		return nil
	}
	if field, ok := s.Properties[name]; ok {
		return &field
	}
	return nil
}

// itemOf returns the schema of the items of a list, and any other schema as it is.
func itemOf(s *spec.Schema) *spec.Schema {
	for s != nil && s.Items != nil {
		s = s.Items.Schema
	}
	return s
}

type objectPart struct {
	common.ResolvedType
	schema *spec.Schema // nil if it is not known
}

func (o objectPart) Field(name string) (*types.FieldType, bool) {
	if o.schema == nil || len(o.schema.Properties) == 0 || strings.HasPrefix(name, "__") { // the name of a keyword
		return o.ResolvedType.Field(name)
	}
	of, ok := o.schema.Properties[name]
	if !ok {
		return nil, false
	}
	field, ok := o.ResolvedType.Field(name)
	if t := scalarOf(&of); ok && t != nil {
		typed := *field
		typed.Type = t
		field = &typed
	}
	return field, ok
}

// scalarOf returns the only type that values of a schema can have, if it is a text, an integer or a boolean: values of
// other types cannot be merged. It returns nil if they may have several, such as quantities.
func scalarOf(s *spec.Schema) *types.Type {
	_, anyNumber := s.Extensions["x-kubernetes-int-or-string"]
	if len(s.Type) != 1 || len(s.OneOf)+len(s.AnyOf)+len(s.AllOf) > 0 || anyNumber || s.Nullable {
		return nil
	}
	switch {
	case s.Type[0] == "string" && s.Format == "":
		return types.StringType
	case s.Type[0] == "integer":
		return types.IntType
	case s.Type[0] == "boolean":
		return types.BoolType
	}
	return nil
}
