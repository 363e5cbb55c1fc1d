package expression

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/common/types"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/mutation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// objectTypes resolves Object{…} and its parts, such as Object.spec{…}, like the types of the server, except that they
// only have the fields of a schema, with their types.
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
	return objectPart{t, name, itemOf(s)}, true
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
	name   string
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
	if t := typeOf(&of, o.name+"."+name); ok && t != nil {
		typed := *field
		typed.Type = t
		field = &typed
	}
	return field, ok
}

// typeOf returns the type of the values of a schema, or nil if it is not known. name is the type of objects in their
// place. The items of lists and maps have no name of their own.
func typeOf(s *spec.Schema, name string) *types.Type {
	if t := scalarOf(s); t != nil {
		return t
	}
	switch {
	case s.Nullable:
		return nil
	case s.Items != nil && s.Items.Schema != nil:
		return types.NewListType(cmp.Or(typeOf(s.Items.Schema, name), types.DynType))
	case len(s.Properties) > 0:
		return types.NewObjectType(name)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return types.NewMapType(types.StringType, cmp.Or(scalarOf(s.AdditionalProperties.Schema), types.DynType))
	}
	return nil
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

// wrongValue is what the checker says about a field of an Object{…}.
var wrongValue = regexp.MustCompile(`^expected type of field '(.*)' is '(.*)' but provided type is '(.*)'$`)

// asMutation returns what the checker says about a field of an Object{…} in the words in which the server refuses such a
// mutation, if it has any; it is empty if the mutation works: objects, maps and Object{…} can be merged in place of each
// other, except that the name of an Object{…} has to be that of its place (W-307), and numbers whatever their type.
func asMutation(message string) string {
	m := wrongValue.FindStringSubmatch(message)
	if m == nil {
		return message
	}
	field, want, got := m[1], m[2], m[3]
	for strings.HasPrefix(want, "list(") && strings.HasPrefix(got, "list(") {
		want, got = itemType(want), itemType(got)
	}
	switch {
	case merges(field, want, got):
		return ""
	case isObjectType(want) && isObjectType(got):
		return fmt.Sprintf("unexpected type name %q, expected %q, which matches field name path from root Object type", got, want)
	}
	return message
}

// itemType returns the type of the items of a list.
func itemType(list string) string { return strings.TrimSuffix(strings.TrimPrefix(list, "list("), ")") }

func isObjectType(name string) bool {
	return name == mutation.ObjectTypeName || strings.HasPrefix(name, mutation.ObjectTypeName+".")
}

// merges reports whether a value of one type may be merged into a field of another one.
func merges(field, want, got string) bool {
	if got == "dyn" || got == want {
		return true
	}
	isScalar := slices.Contains([]string{"bool", "bytes", "double", "int", "null", "string", "uint"}, got)
	isList := strings.HasPrefix(got, "list(")
	wantValue, wantsMap := strings.CutPrefix(want, "map(string, ")
	switch {
	case want == "int":
		return got == "double"
	case want == "string" || want == "bool":
		return false
	case strings.HasPrefix(want, "list("):
		return !isScalar && !isObjectType(got) && !strings.HasPrefix(got, "map(")
	case isObjectType(want):
		return !isScalar && !isList && !isObjectType(got)
	case wantsMap && isObjectType(got):
		return strings.HasSuffix(got, "."+field)
	case wantsMap && strings.HasPrefix(got, "map("):
		_, value, _ := strings.Cut(strings.TrimPrefix(got, "map("), ", ")
		return merges(field, strings.TrimSuffix(wantValue, ")"), strings.TrimSuffix(value, ")"))
	}
	return !isScalar && !isList
}
