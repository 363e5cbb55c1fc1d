package customrules_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	celcommon "k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/warning"

	"github.com/admsim/admsim/internal/objects/customrules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The rules of random schemas say about random objects what the server's own validator says.
func TestFaultsAsServer(t *testing.T) {
	schemas := 60
	if testing.Short() {
		schemas = 20
	}
	n := counts{}
	for seed := range schemas {
		g := generator{rand.New(rand.NewPCG(uint64(seed), 1))}
		s := g.schema(3, true)
		b := newBoth(s)
		for range 10 {
			object := g.value(s, 0).(map[string]any)
			b.compare(t, fmt.Sprintf("seed %d", seed), n, object, nil, false)
			old := object
			if g.IntN(3) > 0 {
				old = g.changed(s, object).(map[string]any)
			}
			b.compare(t, fmt.Sprintf("seed %d", seed), n, object, old, false)
			b.compare(t, fmt.Sprintf("seed %d", seed), n, object, old, true)
		}
	}
	t.Logf("compared %v", n)
	for _, what := range []string{"faults", "tolerated", "none"} {
		if n[what] < schemas/4 {
			t.Errorf("only %d objects with %s", n[what], what)
		}
	}
}

// The budget of an object, the limit of a rule and what computing a message costs end the evaluation where the server ends
// it.
func TestBudgetsAsServer(t *testing.T) {
	numbers := func(n int) []any {
		list := make([]any, n)
		for i := range list {
			list[i] = int64(i)
		}
		return list
	}
	lists := func(n, each int) map[string]any {
		list := make([]any, n)
		for i := range list {
			list[i] = numbers(each)
		}
		return map[string]any{"lists": list, "z": int64(1)}
	}
	const expensive = "self.all(a, self.all(b, a + b >= 0))" // for 400 numbers, 800,000 of 1,000,000 for a rule and 10,000,000 for all
	for _, tt := range []struct {
		what   string
		rule   apiextensionsv1.ValidationRule
		object map[string]any
	}{
		{"within", apiextensionsv1.ValidationRule{Rule: expensive}, lists(2, 400)},
		{"all", apiextensionsv1.ValidationRule{Rule: expensive}, lists(14, 400)},
		{"one", apiextensionsv1.ValidationRule{Rule: expensive}, lists(2, 900)},
		{"messages", apiextensionsv1.ValidationRule{Rule: "false", MessageExpression: expensive + " ? 'yes' : 'no'"}, lists(14, 400)},
		{"message", apiextensionsv1.ValidationRule{Rule: "false", MessageExpression: expensive + " ? 'yes' : 'no'"}, lists(2, 900)},
	} {
		t.Run(tt.what, func(t *testing.T) {
			integer := structuralschema.Structural{Generic: structuralschema.Generic{Type: "integer"}}
			list := structuralschema.Structural{Generic: structuralschema.Generic{Type: "array"}, Items: &integer}
			list.XValidations = apiextensionsv1.ValidationRules{tt.rule}
			s := &structuralschema.Structural{Generic: structuralschema.Generic{Type: "object"}, Properties: map[string]structuralschema.Structural{
				"lists": {Generic: structuralschema.Generic{Type: "array"}, Items: &list},
			}}
			b := newBoth(s)
			b.compare(t, tt.what, counts{}, tt.object, nil, false)
		})
	}
}

// counts are the numbers of objects by what was said about them.
type counts map[string]int

// both are the rules of a schema, compiled by the server's package and by ours.
type both struct {
	schema *structuralschema.Structural
	server *cel.Validator
	ours   *customrules.Rules
}

func newBoth(s *structuralschema.Structural) both {
	return both{s, cel.NewValidator(s, true, celconfig.PerCallLimit), customrules.New(s, "schema", true, kubeversion.Default())}
}

// compare compares what they say about an object.
func (b both) compare(t *testing.T, what string, n counts, object, old map[string]any, ratchet bool) {
	t.Helper()
	var before any
	if old != nil {
		before = old
	}
	correlate := func() *celcommon.CorrelatedObject { // it remembers what has been compared
		if !ratchet {
			return nil
		}
		return celcommon.NewCorrelatedObject(object, old, &model.Structural{Structural: b.schema})
	}
	var want, got said
	if b.server != nil {
		ctx := warning.WithWarningRecorder(t.Context(), &want)
		errs, _ := b.server.Validate(ctx, nil, b.schema, object, before, celconfig.RuntimeCELCostBudget, cel.WithRatcheting(correlate()))
		for _, err := range errs {
			want.errors = append(want.errors, err.Error())
		}
	}
	if b.ours != nil {
		for _, fault := range b.ours.Faults(t.Context(), object, old, correlate()) {
			if fault.Tolerated {
				got.AddWarning("", fault.Error.Error())
			} else {
				got.errors = append(got.errors, fault.Error.Error())
			}
		}
	}
	if diff := cmp.Diff(want.sorted(), got.sorted()); diff != "" {
		text, _ := json.Marshal(b.schema.ToKubeOpenAPI())
		t.Fatalf("%s, ratcheting %t (-server +admsim):\n%s\nschema %s\nobject %v\nold %v", what, ratchet, diff, text, object, old)
	}
	switch {
	case len(want.warnings) > 0:
		n["tolerated"]++
	case len(want.errors) > 0:
		n["faults"]++
	default:
		n["none"]++
	}
}

// said is what a validator says.
type said struct{ errors, warnings []string }

func (s *said) AddWarning(_, text string) { s.warnings = append(s.warnings, "warning: "+text) }

// nameOfType matches the names of unnamed types, which contain the time of their creation.
var nameOfType = regexp.MustCompile(`selfType\d+`)

// sorted returns everything in one order: the server iterates over maps.
func (s *said) sorted() (all []string) {
	for _, text := range append(s.errors, s.warnings...) {
		all = append(all, nameOfType.ReplaceAllString(text, "selfType"))
	}
	slices.Sort(all)
	return all
}

// A generator makes schemas and objects.
type generator struct{ *rand.Rand }

var rulesOf = map[string][]string{
	"integer": {"self > 1", "self == oldSelf", "self / 0 == 1", "10 / self > 2", "[self][self] > 0", " self != 2 "},
	"string":  {"self != 'b'", "self == oldSelf", "self.matches('^a')", "self.startsWith('a') || quantity(self).isInteger()", "''.charAt(self.size()) == ''"},
	"boolean": {"self", "!self", "self == oldSelf", "self || !oldSelf"},
	"object":  {"has(self.a)", "self.a == oldSelf.a", "self == oldSelf", "has(self.a) == has(oldSelf.a)", "self.metadata.name != 'b'", "!has(self.x__dash__y)", "!has(self.__if__) || !has(self.b)", "self != {}", "self.kind == 'a'"},
	"map":     {"self.size() < 2", "self == oldSelf", "self.all(k, k != 'b')", "self['a'] == self['b']"},
	"array":   {"self.size() < 2", "self == oldSelf", "self.all(x, x == self[0])", "self[1] == self[0]", "self.isSorted()"},
	"":        {"self == 1", "self > 1", "self == oldSelf", "type(self) == string ? self == 'a' : self == 1"},
}

var messages = []string{"''", "'a\\nb'", "' computed '", "string(self)", "'old ' + string(oldSelf)", "self.a + 'x'", "1"}

func pick[T any](g generator, from ...T) T { return from[g.IntN(len(from))] }

func (g generator) maybe(one int) bool { return g.IntN(one) == 0 }

// rules returns rules for a kind of values. With optional, oldSelf may be an optional value.
func (g generator) rules(kind string, names []string) (rules apiextensionsv1.ValidationRules) {
	for range g.IntN(4) {
		r := apiextensionsv1.ValidationRule{Rule: pick(g, rulesOf[kind]...)}
		if g.maybe(3) {
			r.Message = pick(g, "wrong", " spaces ")
		}
		if g.maybe(3) {
			r.MessageExpression = pick(g, messages...)
		}
		if g.maybe(3) {
			r.Reason = new(pick(g, apiextensionsv1.FieldValueDuplicate, apiextensionsv1.FieldValueForbidden, apiextensionsv1.FieldValueInvalid, apiextensionsv1.FieldValueRequired))
		}
		if len(names) > 0 && g.maybe(3) {
			r.FieldPath = "." + pick(g, names...)
		}
		if g.maybe(4) {
			r.OptionalOldSelf = new(true)
			if g.maybe(2) {
				r.Rule = "!oldSelf.hasValue() || oldSelf.value() == self"
			}
		}
		if g.maybe(40) {
			r.Rule = pick(g, " ", "self +")
		}
		rules = append(rules, r)
	}
	return rules
}

func (g generator) schema(depth int, resource bool) *structuralschema.Structural {
	s := &structuralschema.Structural{}
	kind := pick(g, "integer", "string", "boolean", "", "object", "map", "array", "object", "array")
	if depth == 0 {
		kind = pick(g, "integer", "string", "boolean", "")
	}
	if resource {
		kind = "object"
		s.XEmbeddedResource = true
	}
	s.Type = kind
	var names []string
	switch kind {
	case "":
		s.XIntOrString = true
	case "object":
		s.Properties = map[string]structuralschema.Structural{}
		for _, name := range []string{"a", "b", "x-y", "if", "kind", "über"} {
			if g.maybe(2) {
				s.Properties[name] = *g.schema(depth-1, depth > 1 && g.maybe(6))
				names = append(names, name)
			}
		}
		if resource {
			s.Properties["kind"] = structuralschema.Structural{Generic: structuralschema.Generic{Type: "string"}}
			for _, name := range []string{"kind", "apiVersion"} {
				p := structuralschema.Structural{Generic: structuralschema.Generic{Type: "string"}}
				p.XValidations = g.rules("string", nil)
				s.Properties[name] = p
			}
		}
		s.XPreserveUnknownFields = g.maybe(6)
	case "map":
		s.Type = "object"
		s.AdditionalProperties = &structuralschema.StructuralOrBool{Structural: g.schema(depth-1, depth > 1 && g.maybe(6))}
	case "array":
		s.Items = g.schema(depth-1, depth > 1 && g.maybe(6))
		s.XListType = pick(g, nil, new("atomic"))
		if scalar := s.Items.Items == nil && s.Items.Type != "object"; scalar && g.maybe(3) {
			s.XListType = new("set")
		}
		if s.Items.Type == "object" && s.Items.Properties != nil && g.maybe(2) {
			s.XListType, s.XListMapKeys = new("map"), []string{"a"}
		}
	}
	if s.Type == "object" && g.maybe(3) {
		s.XMapType = pick(g, new("granular"), new("atomic"), new("other"))
	}
	s.Nullable = g.maybe(6)
	s.XValidations = g.rules(kind, names)
	if g.maybe(5) {
		s.ValueValidation = &structuralschema.ValueValidation{AllOf: []structuralschema.NestedValueValidation{*g.branch(s, kind)}}
	}
	return s
}

// branch returns a branch of an allOf, which may have rules for some of the values within those of s.
func (g generator) branch(s *structuralschema.Structural, kind string) *structuralschema.NestedValueValidation {
	n := &structuralschema.NestedValueValidation{}
	n.XValidations = g.rules(kind, nil)
	for name, p := range s.Properties {
		if p.Properties == nil && p.AdditionalProperties == nil && p.Items == nil {
			n.Properties = map[string]structuralschema.NestedValueValidation{name: *g.branch(&p, p.Type), "unknown": {}}
			break
		}
	}
	if s.Items != nil && s.Items.Type != "object" && s.Items.Items == nil {
		n.Items = g.branch(s.Items, s.Items.Type)
	}
	return n
}

// value returns a value for a schema.
func (g generator) value(s *structuralschema.Structural, depth int) any {
	if depth > 0 && s.Nullable && g.maybe(4) {
		return nil
	}
	switch s.Type {
	case "integer":
		return int64(g.IntN(4))
	case "string":
		return pick(g, "a", "b", "1Gi", "")
	case "boolean":
		return g.maybe(2)
	case "":
		return pick[any](g, int64(1), int64(2), "a", "b")
	case "array":
		list := []any{}
		for range g.IntN(4) {
			list = append(list, g.value(s.Items, depth+1))
		}
		return list
	}
	object := map[string]any{}
	if s.AdditionalProperties != nil {
		for _, key := range []string{"a", "b", "c.d"} {
			if g.maybe(2) {
				object[key] = g.value(s.AdditionalProperties.Structural, depth+1)
			}
		}
		return object
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if p := s.Properties[name]; g.IntN(4) > 0 {
			object[name] = g.value(&p, depth+1)
		}
	}
	if s.XEmbeddedResource && !g.maybe(4) {
		object["metadata"] = map[string]any{"name": pick(g, "a", "b")}
	}
	return object
}

// changed returns a copy of a value in which some parts differ.
func (g generator) changed(s *structuralschema.Structural, value any) any {
	if g.maybe(8) {
		if other := g.value(s, 0); strings.HasPrefix(fmt.Sprintf("%T", value), fmt.Sprintf("%T", other)) {
			return other
		}
	}
	switch value := value.(type) {
	case map[string]any:
		same := maps.Clone(value)
		for _, name := range slices.Sorted(maps.Keys(value)) {
			p, ok := s.Properties[name]
			if s.AdditionalProperties != nil {
				p, ok = *s.AdditionalProperties.Structural, true
			}
			if ok {
				same[name] = g.changed(&p, value[name])
			}
			if g.maybe(12) {
				delete(same, name)
			}
		}
		return same
	case []any:
		same := slices.Clone(value)
		for i := range same {
			same[i] = g.changed(s.Items, same[i])
		}
		if g.maybe(4) {
			g.Shuffle(len(same), func(i, j int) { same[i], same[j] = same[j], same[i] })
		}
		return same
	}
	return value
}
