package expression

import (
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// objectTypes resolves Object{…} and its parts, such as Object.spec{…}, like the types of the server, except that they
// only have the fields of a schema.
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
	if o.schema != nil && len(o.schema.Properties) > 0 && !strings.HasPrefix(name, "__") { // the name of a keyword
		if _, ok := o.schema.Properties[name]; !ok {
			return nil, false
		}
	}
	return o.ResolvedType.Field(name)
}
