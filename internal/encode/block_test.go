package encode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// never is for texts that need no quotes of their own.
func never(string) bool { return false }

// asLibrary compares the YAML of a tree with the library's.
func asLibrary(t *testing.T, data []byte) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		t.Skip("no JSON")
	}
	var again bytes.Buffer
	if err := JSON(&again, tree); err != nil {
		t.Fatal(err)
	}
	want, err := yaml.JSONToYAML(again.Bytes())
	if err != nil {
		t.Skip("the library does not read it")
	}
	got, err := blockOf(tree, never)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-library +block):\n%s", data, diff)
	}
}

var texts = []string{
	"", "a", "no", "Yes", "null", "~", "1", "1.5", "1e3", "0x1f", "010", "1:30", "2001-01-01", "2001-01-01T00:00:00Z", "-", "- a", "-a", "a:", "a: b", "a:b",
	"a #b", "a#b", "#", " a", "a ", "a  b", "line\nline", "line\n", "\nline", " line\n line", "line \nline", "\tline", "a\tb", "é", "😀", "\u0085", "\u2028", "\ufeff",
	"{}", "[a]", "\"", "'", "it's", "%", "@a", "`", "!a", "&a", "*a", "|", ">", "?", "? a", "<<", "=", ".", ".inf", "---", "...", "a,b", "\x01", "\x7f",
	strings.Repeat("word ", 30) + "end", strings.Repeat("long", 30), strings.Repeat("long", 40), strings.Repeat("1 2 ", 40) + ".", "k8s.io/a-b_c", "a1", "a10", "a2", "a01", "A", "b",
}

func TestBlockAsLibrary(t *testing.T) {
	for _, text := range texts {
		for _, other := range []string{"a", text} {
			for _, value := range []any{
				map[string]any{text: other}, []any{text}, text, map[string]any{text: map[string]any{text: other}}, map[string]any{text: []any{other}},
				[]any{[]any{text, other}, map[string]any{text: []any{}, "z": map[string]any{}}}, map[string]any{text: []any{[]any{map[string]any{"a": text, "b": other}}}},
			} {
				data, err := json.Marshal(value)
				if err != nil {
					t.Fatal(err)
				}
				asLibrary(t, data)
			}
		}
	}
	for _, text := range texts { // deep enough for a line to begin beyond the limit
		for _, in := range []string{`{"a":#}`, `[#]`, `[{"a":#}]`, `{"a":[#]}`} {
			data, err := json.Marshal(map[string]any{text: []any{text, map[string]any{"b": text}}})
			if err != nil {
				t.Fatal(err)
			}
			for range 50 {
				data = []byte(strings.Replace(in, "#", string(data), 1))
			}
			asLibrary(t, data)
		}
	}
	for _, number := range []string{"0", "-0", "-1", "12", "1.0", "1e3", "1E-3", "9007199254740993", "18446744073709551615", "99999999999999999999", "1e400", "0.1", "123456789012345", "1234567890123456"} {
		asLibrary(t, fmt.Appendf(nil, `{"a":%s,"b":[%s]}`, number, number))
	}
}

// Trees of all shapes are written as the library writes them.
func TestBlockOfRandomTrees(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var tree func(depth int) any
	tree = func(depth int) any {
		switch n := random.IntN(10); {
		case n < 3 && depth > 0:
			m := map[string]any{}
			for range random.IntN(4) {
				m[texts[random.IntN(len(texts))]] = tree(depth - 1)
			}
			return m
		case n < 6 && depth > 0:
			list := []any{}
			for range random.IntN(4) {
				list = append(list, tree(depth-1))
			}
			return list
		case n == 6:
			return random.IntN(100)
		case n == 7:
			return []any{true, false, nil}[random.IntN(3)]
		}
		return texts[random.IntN(len(texts))]
	}
	for range 2000 {
		data, err := json.Marshal(tree(6))
		if err != nil {
			t.Fatal(err)
		}
		asLibrary(t, data)
	}
}

func FuzzBlock(f *testing.F) {
	for _, text := range texts {
		data, err := json.Marshal(map[string]any{text: []any{text, map[string]any{"a": text}}})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(asLibrary)
}

// A list written piece by piece is equal to the whole object.
func TestListAsWhole(t *testing.T) {
	for _, items := range [][]any{{"a"}, {map[string]any{"a": []any{"b", 1}}, map[string]any{}, "c", nil}, {[]any{[]any{"a"}}, "line\nline", map[string]any{"z": 1, "a": nil}}} {
		whole := struct {
			APIVersion string `json:"apiVersion"`
			Kind       string `json:"kind"`
			Items      []any  `json:"items"`
		}{"admsim.dev/v1", "AList", items}
		for name, format := range map[string]struct {
			list  NewList
			write func(io.Writer, any) error
		}{"JSON": {NewJSONList, IndentedJSON}, "YAML": {NewYAMLList, WriteYAML}} {
			var got, want bytes.Buffer
			if err := format.write(&want, whole); err != nil {
				t.Fatal(err)
			}
			list := format.list(&got, whole.APIVersion, whole.Kind)
			for _, item := range items {
				if err := list.Item(item); err != nil {
					t.Fatal(err)
				}
			}
			if err := list.End(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("%s (-whole +list):\n%s", name, diff)
			}
		}
	}
}
