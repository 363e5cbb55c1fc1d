package smallest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

type props = apiextensionsv1.JSONSchemaProps

// What a value has at most: schemas may ask for far more than can be made, or be nested without end.
const (
	deepest = 16        // levels
	largest = 1_000     // values
	longest = 10_000    // characters in a text
	pieces  = 1_000_000 // pieces of texts that are made for patterns
)

// Value returns a value that a schema accepts, as small as possible and different for each n if there are several. What
// rules in CEL ask for is not considered.
//
// If there is no such value, or none of a reasonable size, it returns one that lacks some of what the schema asks for.
func Value(s *apiextensionsv1.JSONSchemaProps, n int) any {
	return newMaker().value(s, n, 0)
}

// A maker makes one value.
type maker struct {
	left   int  // number of values that may still be made
	pieces int  // number of pieces of texts that may still be made
	lacks  bool // a part of the value is not what its schema asks for
}

func newMaker() *maker { return &maker{left: largest, pieces: pieces} }

func (m *maker) value(s *props, n, depth int) any {
	m.left--
	s = whole(s, n)
	if len(s.Enum) > 0 {
		var v any
		if json.Unmarshal(s.Enum[n%len(s.Enum)].Raw, &v) == nil {
			return v
		}
	}
	switch {
	case s.XIntOrString, s.Type == "integer", s.Type == "number":
		return m.number(s, n)
	case s.Type == "object" || s.Type == "" && len(s.Properties) > 0:
		return m.object(s, n, depth)
	case s.Type == "array":
		return m.list(s, n, depth)
	case s.Type == "boolean":
		return n%2 == 1
	case s.Type == "string":
		return m.text(s, n)
	}
	return map[string]any{} // fields without a type keep whatever they hold
}

// object returns the fields that a schema requires, and more if it asks for more of them. The server adds fields that have
// a default.
func (m *maker) object(s *props, n, depth int) map[string]any {
	made := map[string]any{}
	if s.XEmbeddedResource {
		made["apiVersion"], made["kind"] = "v1", "ConfigMap"
		made["metadata"] = map[string]any{"name": "example"}
	}
	take := func(name string, p *props) {
		if _, already := made[name]; already {
			return
		}
		if p == nil || depth >= deepest || m.left <= 0 {
			m.lacks = true
			return
		}
		made[name] = m.value(p, n, depth+1)
	}
	var others *props
	if s.AdditionalProperties != nil {
		others = s.AdditionalProperties.Schema
	}
	for _, name := range s.Required {
		if p, ok := s.Properties[name]; !ok {
			take(name, others)
		} else if p.Default == nil {
			take(name, &p)
		}
	}
	if s.MinProperties == nil {
		return made
	}
	added := 0
	for _, p := range s.Properties {
		if p.Default != nil {
			added++
		}
	}
	few := func() bool { return int64(len(made)+added) < *s.MinProperties }
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if p := s.Properties[name]; few() && p.Default == nil {
			take(name, &p)
		}
	}
	for i := 0; few() && others != nil && depth < deepest && m.left > 0; i++ {
		if _, own := s.Properties[word(i)]; !own {
			take(word(i), others)
		}
	}
	m.lacks = m.lacks || few()
	return made
}

// list returns as many items as a schema asks for, different ones if they must be.
func (m *maker) list(s *props, n, depth int) []any {
	items := []any{}
	if s.MinItems == nil {
		return items
	}
	different := s.UniqueItems || s.XListType != nil && *s.XListType != "atomic"
	for i := 0; int64(len(items)) < *s.MinItems; i++ {
		if s.Items == nil || s.Items.Schema == nil || depth >= deepest || m.left <= 0 {
			m.lacks = true
			break
		}
		nth := n
		if different {
			nth += i
		}
		items = append(items, m.value(s.Items.Schema, nth, depth+1))
	}
	return items
}

// number returns the n'th number that a schema accepts, or the last one if there are fewer.
func (m *maker) number(s *props, n int) any {
	v := nth(s, n)
	if math.IsInf(v, 0) || math.IsNaN(v) { // the step is too small to count with
		v = 0
		if s.Minimum != nil {
			v = *s.Minimum
		}
	}
	whole := v == math.Trunc(v)
	m.lacks = m.lacks || outside(s, v) || whole && outside(truncated(s), v) ||
		s.MultipleOf != nil && *s.MultipleOf > 0 && (math.Mod(v, *s.MultipleOf) != 0 || math.Abs(v) > 1<<53) ||
		s.Type == "integer" && (!whole || math.Abs(v) >= 1<<63 || fractions(s.Minimum, s.Maximum, s.MultipleOf))
	if whole && math.Abs(v) < 1<<63 {
		return int64(v)
	}
	return v
}

// outside reports whether a number is not between the bounds of a schema.
func outside(s *props, v float64) bool {
	return s.Minimum != nil && (v < *s.Minimum || s.ExclusiveMinimum && v == *s.Minimum) ||
		s.Maximum != nil && (v > *s.Maximum || s.ExclusiveMaximum && v == *s.Maximum)
}

// truncated returns a schema whose bounds are those that the server compares whole numbers with.
func truncated(s *props) *props {
	t := *s
	for _, bound := range []**float64{&t.Minimum, &t.Maximum} {
		if *bound != nil {
			*bound = new(math.Trunc(**bound))
		}
	}
	return &t
}

// fractions reports whether one of some numbers is not whole. The server accepts no integer where a bound is a fraction.
func fractions(numbers ...*float64) bool {
	return slices.ContainsFunc(numbers, func(f *float64) bool { return f != nil && *f != math.Trunc(*f) })
}

func nth(s *props, n int) float64 {
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
	return first + float64(n)*step
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
func (m *maker) text(s *props, n int) string {
	least, most := int64(0), int64(longest)
	if s.MinLength != nil {
		least = min(*s.MinLength, longest)
	}
	if s.MaxLength != nil {
		most = min(max(*s.MaxLength, 0), longest)
	}
	made := formatted(s.Format, n)
	if made == "" {
		made = word(n)
		made += strings.Repeat("e", max(int(least)-len(made), 0))
		made = made[:min(len(made), int(most))]
	}
	if s.Pattern != "" {
		matched, ok := m.matching(s.Pattern, made, int(least), int(most))
		m.lacks = m.lacks || !ok || matched != made && formatted(s.Format, n) != ""
		made = matched
	}
	length := int64(utf8.RuneCountInString(made))
	if s.MinLength != nil && length < *s.MinLength || s.MaxLength != nil && length > *s.MaxLength {
		m.lacks = true
	}
	return made
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
