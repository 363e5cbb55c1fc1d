package expression

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// testSecrets makes the data of object secret, each value of it.
type testSecrets map[string]string // variables

func (testSecrets) Has(variable string, path []string) bool {
	return variable == "object" && (len(path) == 0 || path[0] == "data" || path[0] == AnyPart)
}

func (testSecrets) HasKeys(variable string, path []string) bool {
	return variable == "object" && slices.Equal(path, []string{"data"})
}

func (testSecrets) Part(variable string, path []string, _ any) any {
	return "part " + strings.Join(append([]string{variable}, path...), ".")
}

func (testSecrets) Made(any) any { return "made" }

func (s testSecrets) Variable(name string) (string, bool) {
	text, ok := s[name]
	return text, ok
}

func TestWithoutSecrets(t *testing.T) {
	variables := testSecrets{
		"name": "object.metadata.name", "data": "object.data", "low": "variables.data.b.lowerAscii()",
		"circle": "variables.circle.lowerAscii()", "parts": "['public', object.data.b]",
	}
	for _, c := range []struct {
		reason, text string
		value, want  any
	}{
		{"nothing secret", "object.metadata.name + variables.name", "ab", "ab"},
		{"a part of the object as it is", "object.data.b", "x", "part object.data.b"},
		{"by a literal index", "object['data']['b']", "x", "part object.data.b"},
		{"by a computed index", "object.data[object.metadata.name]", "x", "made"},
		{"an unknown field", "object[request.name]", "x", "made"},
		{"a function of a secret", "object.data.b.substring(0, 3)", "VE9", "made"},
		{"its length", "size(object.data.b)", int64(20), "made"},
		{"the number of values", "size(object.data)", int64(2), int64(2)},
		{"the same as a method", "object.data.size()", int64(2), int64(2)},
		{"keys", "object.data.map(k, k)", []any{"b"}, []any{"b"}},
		{"values by their keys", "object.data.map(k, object.data[k])", []any{"x"}, "made"},
		{"keys chosen by values", "object.data.filter(k, object.data[k] == 'x')", []any{"b"}, "made"},
		{"values of two variables", "object.data.transformList(k, v, v)", []any{"x"}, "made"},
		{"keys of two variables", "object.data.transformList(k, v, k)", []any{"b"}, []any{"b"}},
		{"letters", "object.data.b.split('').map(c, c + '.')", []any{"V."}, "made"},
		{"an optional value", "object.?data.b.optMap(x, x).orValue('')", "x", "made"},
		{"a value chosen by a condition", "object.data.b == 'x' ? 'yes' : 'no'", "yes", "made"},
		{"a boolean", "object.data.b == 'x'", true, true},
		{"whether a value exists", "has(object.data.b) ? 'yes' : 'no'", "yes", "yes"},
		{"looked up by a secret", "{'a': 'x'}[object.data.b]", "x", "made"},
		{"literals before and after it", "'bad ' + object.data.b + ' of ' + object.metadata.name + '!'", "bad x of n!", "bad made!"},
		{"by a variable", "variables.low", "x", "made"},
		{"by parts of variables", "variables.parts", []any{"public", "x"}, []any{"public", "part object.data.b"}},
		{"by an unknown variable", "variables.none", "x", "made"},
		{"in a circle", "variables.circle", "x", "made"},
		{"fields of an object, each separately", "Object{metadata: Object.metadata{labels: {'a': object.data.b.upperAscii(), 'b': 'c'}}}",
			map[string]any{"kind": "Secret", "metadata": map[string]any{"labels": map[string]any{"a": "X", "b": "c"}}},
			map[string]any{"kind": "Secret", "metadata": map[string]any{"labels": map[string]any{"a": "made", "b": "c"}}}},
		{"a list of structs", "[JSONPatch{op: 'add', path: '/metadata/labels/a', value: object.data.b}]",
			[]any{map[string]any{"op": "add", "path": "/metadata/labels/a", "value": "x"}},
			[]any{map[string]any{"op": "add", "path": "/metadata/labels/a", "value": "part object.data.b"}}},
		{"keys made of secrets", "{object.data.b: 'x'}", map[string]any{"secret": "x"}, "made"},
		{"no expression", "object.data.", "x", "made"},
	} {
		if diff := cmp.Diff(c.want, WithoutSecrets(c.text, c.value, variables)); diff != "" {
			t.Errorf("%s: WithoutSecrets(%s) (-want +got):\n%s", c.reason, c.text, diff)
		}
	}
}

// Macros within macros must not be inspected again on each level.
func TestWithoutSecretsOfDeepMacros(t *testing.T) {
	text := "object.data.b"
	for range 40 {
		text = "[1].map(x, size(" + text + ") in [" + text[:1] + "] ? 'a' : 'b')"
		if len(text) > 2000 {
			break
		}
	}
	if got := WithoutSecrets(text, []any{"a"}, testSecrets{}); got != "made" {
		t.Errorf("WithoutSecrets = %v, want made", got)
	}
}
