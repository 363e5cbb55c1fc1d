// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go

package custom

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// BrokenSchema returns the parts of its CRD's schema for which obj was refused, where errs are about them: types,
// required fields, enum, maximum and the like.
//
// An error of the server names the field of the object. Its schema is found by walking both.
func (k *Kind) BrokenSchema(obj runtime.Object, w rules.Write, errs field.ErrorList) (all []*rules.BrokenRule) {
	u := obj.(*unstructured.Unstructured)
	v := k.version(u, w)
	if v.structural == nil {
		return nil
	}
	seen := map[string]*rules.BrokenRule{}
	for _, e := range rules.Ordered(v.schema.Validate(nil, u.Object)) {
		if !slices.ContainsFunc(errs, func(o *field.Error) bool { return o.Error() == e.Error() }) {
			continue // an update may keep what was wrong before
		}
		name := fieldOf(e)
		at := schemaIn{v.structural, v.path}.at(u.Object, name)
		keyword, says := at.about(e)
		path := strings.TrimSuffix(at.path+"."+keyword, ".")
		if seen[path] == nil {
			seen[path] = &rules.BrokenRule{Path: path, Rule: says}
			all = append(all, seen[path])
		}
		seen[path].Fields = append(seen[path].Fields, name)
	}
	return all
}

// fieldOf returns the field that an error is about. Some errors only name it in their text.
func fieldOf(e *field.Error) string {
	if quoted, err := strconv.QuotedPrefix(e.Detail); err == nil && e.Field == (*field.Path)(nil).String() {
		name, _ := strconv.Unquote(quoted)
		return name
	}
	return e.Field
}

// A schemaIn is a schema within that of a version, with its path in the CRD.
type schemaIn struct {
	schema *structuralschema.Structural
	path   string
}

// at returns the schema for the field of a value by its name in errors, or for the innermost enclosing field that
// exists. Names of fields may contain dots: the value shows which ones do.
func (p schemaIn) at(value any, name string) schemaIn {
	switch in := value.(type) {
	case map[string]any:
		key, rest := firstKey(in, strings.TrimPrefix(name, "."))
		if key == "" {
			return p
		}
		if member, ok := p.member(key); ok {
			return member.at(in[key], rest)
		}
	case []any:
		inside, isIndex := strings.CutPrefix(name, "[")
		index, rest, _ := strings.Cut(inside, "]")
		i, err := strconv.Atoi(index)
		if items, ok := p.items(); ok && isIndex && err == nil && i < len(in) {
			return items.at(in[i], rest)
		}
	}
	return p
}

// member returns the schema for a field, or for a key of a map, if there is one.
func (p schemaIn) member(key string) (schemaIn, bool) {
	if s, ok := p.schema.Properties[key]; ok {
		return schemaIn{&s, fmt.Sprintf("%s.properties[%s]", p.path, key)}, true
	}
	if a := p.schema.AdditionalProperties; a != nil && a.Structural != nil {
		return schemaIn{a.Structural, p.path + ".additionalProperties"}, true
	}
	return p, false
}

// items returns the schema for the items of a list, if there is one.
func (p schemaIn) items() (schemaIn, bool) {
	if p.schema.Items == nil {
		return p, false
	}
	return schemaIn{p.schema.Items, p.path + ".items"}, true
}

// firstKey returns the longest key of a mapping that a path begins with, as name or [name].
func firstKey(in map[string]any, path string) (key, rest string) {
	for k := range in {
		after, ok := strings.CutPrefix(path, "["+k+"]")
		if !ok {
			after, ok = strings.CutPrefix(path, k)
			ok = ok && (after == "" || after[0] == '.' || after[0] == '[')
		}
		if ok && len(k) > len(key) {
			key, rest = k, after
		}
	}
	return key, rest
}

// keywords maps the messages of kube-openapi to the schema keywords that a value violates:
// k8s.io/kube-openapi:pkg/validation/errors/schema.go.
var keywords = []struct{ words, keyword string }{
	{"should be less than", "maximum"},
	{"should be greater than", "minimum"},
	{"should be a multiple of", "multipleOf"},
	{"should match '", "pattern"},
	{"chars long", "minLength"},
	{"should have at least", "minItems"},
	{"shouldn't contain duplicates", "uniqueItems"},
	{"must validate one and only one schema", "oneOf"},
	{"must validate at least one schema", "anyOf"},
	{"must validate all the schemas", "allOf"},
	{"must not validate the schema", "not"},
	{"must be of type", "format"},
}

// keyword returns the schema keyword that an error is about, or "" if it is not known.
func (p schemaIn) keyword(e *field.Error) string {
	name := ""
	switch e.Type {
	case field.ErrorTypeRequired:
		return "required"
	case field.ErrorTypeNotSupported:
		return "enum"
	case field.ErrorTypeTypeInvalid:
		return "type"
	case field.ErrorTypeTooLong:
		return "maxLength"
	case field.ErrorTypeTooMany:
		name = "maxItems"
	case field.ErrorTypeInvalid:
		for _, k := range keywords {
			if strings.Contains(e.Detail, k.words) {
				name = k.keyword
				break
			}
		}
	}
	if p.schema.Type == "object" {
		name = strings.Replace(name, "Items", "Properties", 1)
	}
	return name
}

// about returns the schema keyword that an error is about, and the keyword with its value as in a manifest. Both are
// empty if the keyword is not known, for example within oneOf and the like.
func (p schemaIn) about(e *field.Error) (keyword, says string) {
	text, err := json.Marshal(p.schema.ToKubeOpenAPI())
	if err != nil {
		panic(fmt.Sprintf("a schema does not encode: %v", err)) // it was decoded before
	}
	values := map[string]json.RawMessage{}
	if err := json.Unmarshal(text, &values); err != nil {
		panic(fmt.Sprintf("a schema does not decode: %v", err))
	}
	keyword = p.keyword(e)
	if keyword == "type" && !strings.Contains(e.Detail, "of type "+p.schema.Type) {
		keyword = "format"
	}
	var value any
	if err := json.Unmarshal(values[keyword], &value); err != nil {
		return "", "" // the schema does not have it
	}
	switch value.(type) {
	case string, float64:
		if e.Type == field.ErrorTypeInvalid && !strings.Contains(e.Detail, fmt.Sprint(value)) {
			return "", ""
		}
	}
	return keyword, keyword + ": " + string(values[keyword])
}
