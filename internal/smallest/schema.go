package smallest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type props = apiextensionsv1.JSONSchemaProps

// deepest limits the depth of values: schemas of old definitions may be nested without end.
const deepest = 16

// Value returns a value that a schema accepts, as small as possible and different for each n if there are several. What
// rules in CEL ask for is not considered.
func Value(s *apiextensionsv1.JSONSchemaProps, n int) any { return value(s, n, 0) }

func value(s *props, n, depth int) any {
	s = whole(s, n)
	if len(s.Enum) > 0 {
		var v any
		if json.Unmarshal(s.Enum[n%len(s.Enum)].Raw, &v) == nil {
			return v
		}
	}
	switch {
	case s.XIntOrString:
		return number(s, n)
	case s.Type == "object" || s.Type == "" && len(s.Properties) > 0:
		return object(s, n, depth)
	case s.Type == "array":
		return list(s, n, depth)
	case s.Type == "integer":
		return number(s, n)
	case s.Type == "number":
		return number(s, n)
	case s.Type == "boolean":
		return n%2 == 1
	case s.Type == "string":
		return text(s, n)
	}
	return map[string]any{} // fields without a type keep whatever they hold
}

// object returns the fields that a schema requires, and more if it asks for more of them.
func object(s *props, n, depth int) map[string]any {
	made := map[string]any{}
	if s.XEmbeddedResource {
		made["apiVersion"], made["kind"] = "v1", "ConfigMap"
		made["metadata"] = map[string]any{"name": "example"}
	}
	if depth >= deepest {
		return made
	}
	take := func(name string, otherwise *props) {
		p, ok := s.Properties[name]
		if ok {
			otherwise = &p
		}
		if _, already := made[name]; !already && otherwise != nil && otherwise.Default == nil {
			made[name] = value(otherwise, n, depth+1)
		}
	}
	var others *props
	if s.AdditionalProperties != nil {
		others = s.AdditionalProperties.Schema
	}
	for _, name := range s.Required {
		take(name, others)
	}
	if s.MinProperties == nil {
		return made
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if len(made) < int(*s.MinProperties) {
			take(name, nil)
		}
	}
	for i := 0; others != nil && len(made) < int(*s.MinProperties); i++ {
		take(word(i), others)
	}
	return made
}

// list returns as many items as a schema asks for, different ones if they must be.
func list(s *props, n, depth int) []any {
	items := []any{}
	if s.Items == nil || s.Items.Schema == nil || s.MinItems == nil || depth >= deepest {
		return items
	}
	different := s.UniqueItems || s.XListType != nil && *s.XListType != "atomic"
	for i := range min(int(*s.MinItems), 100) {
		if !different {
			i = 0
		}
		items = append(items, value(s.Items.Schema, n+i, depth+1))
	}
	return items
}

// number returns the n'th number that a schema accepts, or the last one if there are fewer.
func number(s *props, n int) any {
	step := 1.0
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		step = *s.MultipleOf
	}
	first := step
	if s.Minimum != nil {
		first = math.Ceil(*s.Minimum/step) * step
		if s.ExclusiveMinimum && first == *s.Minimum {
			first += step
		}
	}
	if s.Maximum != nil {
		last := math.Floor(*s.Maximum/step) * step
		if s.ExclusiveMaximum && last == *s.Maximum {
			last -= step
		}
		if s.Minimum == nil {
			first = min(first, last)
		}
		if count := int((last-first)/step) + 1; count > 0 {
			n %= count
		}
		if last < first { // there is only a fraction in between
			return (*s.Maximum + *s.Minimum) / 2
		}
	}
	v := first + float64(n)*step
	if v == math.Trunc(v) {
		return int64(v)
	}
	return v
}

// word returns a different word for each n.
func word(n int) string {
	words := []string{"example", "other", "third"}
	if n < len(words) {
		return words[n]
	}
	return fmt.Sprintf("%s-%d", words[n%len(words)], n)
}

// text returns the n'th text that a schema accepts: a word, or what its format or pattern asks for.
func text(s *props, n int) string {
	least, most := 0, math.MaxInt
	if s.MinLength != nil {
		least = int(*s.MinLength)
	}
	if s.MaxLength != nil {
		most = int(*s.MaxLength)
	}
	made := formatted(s.Format, n)
	if made == "" {
		made = word(n)
		if len(made) < least {
			made += strings.Repeat("e", least-len(made))
		}
		made = made[:min(len(made), most)]
	}
	if s.Pattern == "" {
		return made
	}
	return matching(s.Pattern, made, least, most)
}

// formatted returns a text in a format that the server checks; "" for any other format.
func formatted(format string, n int) string {
	switch format {
	case "date-time", "datetime":
		return fmt.Sprintf("2026-01-%02dT00:00:00Z", n%28+1)
	case "date":
		return fmt.Sprintf("2026-01-%02d", n%28+1)
	case "duration":
		return fmt.Sprintf("%ds", n+1)
	case "ipv4", "ip":
		return fmt.Sprintf("192.0.2.%d", n%254+1)
	case "ipv6":
		return fmt.Sprintf("2001:db8::%x", n+1)
	case "cidr":
		return fmt.Sprintf("192.0.2.%d/32", n%254+1)
	case "mac":
		return fmt.Sprintf("00:00:5e:00:53:%02x", n%256)
	case "uuid", "uuid4":
		return fmt.Sprintf("00000000-0000-4000-8000-%012d", n+1)
	case "uuid3":
		return fmt.Sprintf("00000000-0000-3000-8000-%012d", n+1)
	case "uuid5":
		return fmt.Sprintf("00000000-0000-5000-8000-%012d", n+1)
	case "uri":
		return fmt.Sprintf("https://%s.example", word(n))
	case "hostname":
		return word(n) + ".example"
	case "email":
		return word(n) + "@shop.example"
	case "byte":
		return []string{"ZXhhbXBsZQ==", "b3RoZXI=", "dGhpcmQ="}[n%3]
	case "hexcolor":
		return fmt.Sprintf("#%06x", n+1)
	case "rgbcolor":
		return fmt.Sprintf("rgb(%d,0,0)", n%256)
	case "isbn", "isbn10":
		return "0306406152"
	case "isbn13":
		return "9780306406157"
	case "creditcard":
		return "4111111111111111"
	case "ssn":
		return fmt.Sprintf("123-45-%04d", n%9999+1)
	case "bsonobjectid":
		return fmt.Sprintf("%024x", n+1)
	}
	return ""
}

// whole returns a schema with what its branches ask for: all of allOf, and one of anyOf and of oneOf.
func whole(s *props, n int) *props {
	if len(s.AllOf)+len(s.AnyOf)+len(s.OneOf) == 0 {
		return s
	}
	made := *s
	made.AllOf, made.AnyOf, made.OneOf = nil, nil, nil
	branches := slices.Clone(s.AllOf)
	for _, some := range [][]props{s.AnyOf, s.OneOf} {
		if len(some) > 0 {
			branches = append(branches, some[n%len(some)])
		}
	}
	for i := range branches {
		add(&made, whole(&branches[i], n))
	}
	return &made
}

// add adds to a schema what a branch asks for in addition. A branch of a structural schema has no types of its own.
func add(s, branch *props) {
	for _, name := range branch.Required {
		if !slices.Contains(s.Required, name) {
			s.Required = append(slices.Clip(s.Required), name)
		}
	}
	if len(branch.Properties) > 0 {
		s.Properties = maps.Clone(s.Properties)
		if s.Properties == nil {
			s.Properties = map[string]props{}
		}
		for name, p := range branch.Properties {
			merged := s.Properties[name]
			add(&merged, whole(&p, 0))
			s.Properties[name] = merged
		}
	}
	if branch.Items != nil && branch.Items.Schema != nil && s.Items != nil && s.Items.Schema != nil {
		merged := *s.Items.Schema
		add(&merged, branch.Items.Schema)
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &merged}
	}
	if len(branch.Enum) > 0 {
		s.Enum = branch.Enum
	}
	set(&s.Pattern, branch.Pattern)
	set(&s.Format, branch.Format)
	set(&s.Type, branch.Type)
	set(&s.Minimum, branch.Minimum)
	set(&s.Maximum, branch.Maximum)
	set(&s.MultipleOf, branch.MultipleOf)
	set(&s.MinLength, branch.MinLength)
	set(&s.MaxLength, branch.MaxLength)
	set(&s.MinItems, branch.MinItems)
	set(&s.MinProperties, branch.MinProperties)
	s.ExclusiveMinimum = s.ExclusiveMinimum || branch.ExclusiveMinimum
	s.ExclusiveMaximum = s.ExclusiveMaximum || branch.ExclusiveMaximum
}

func set[T comparable](to *T, value T) {
	if none := *new(T); value != none {
		*to = value
	}
}
