package encode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// A list written item by item is equal to the whole object, byte for byte.
func TestLists(t *testing.T) {
	items := []any{map[string]any{"name": "a", "n": 1}, "text\nof two lines", nil, []any{}, map[string]any{}, "::error::\x1b[31m"}
	type whole struct {
		APIVersion string `json:"apiVersion"`
		Kind       string `json:"kind"`
		Items      []any  `json:"items"`
	}
	for name, tt := range map[string]struct {
		list  NewList
		write func(io.Writer, any) error
	}{
		"json": {NewJSONList, IndentedJSON},
		"yaml": {NewYAMLList, WriteYAML},
	} {
		for n := 1; n <= len(items); n++ {
			var want, got bytes.Buffer
			if err := tt.write(&want, whole{"v1", "List", items[:n]}); err != nil {
				t.Fatal(err)
			}
			list := tt.list(&got, "v1", "List")
			for _, item := range items[:n] {
				if err := list.Item(item); err != nil {
					t.Fatal(err)
				}
			}
			if err := list.End(); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want.String(), got.String()); diff != "" {
				t.Errorf("%s of %d items (-whole +list):\n%s", name, n, diff)
			}
		}
	}
}

// The output is read back as the same value, and contains nothing that a terminal or a CI runner obeys.
func TestLossless(t *testing.T) {
	for _, value := range []any{
		"", "null", "yes", "1e3", "0x1", " a ", "a: b", "# a", "- a", "a\tb", "\x1b[31mred", "::error::now", "\u2028\u202e", "a\r\nb", "é\x00",
		true, nil, []any{"a", []any{}, map[string]any{}}, map[string]any{"": "", "a b": "1", "~": nil, "::set-env": "x"},
	} {
		want, err := json.Marshal(value)
		if err != nil {
			t.Fatal(err)
		}
		for name, write := range map[string]func(io.Writer, any) error{"JSON": JSON, "IndentedJSON": IndentedJSON, "WriteYAML": WriteYAML} {
			var b bytes.Buffer
			if err := write(&b, value); err != nil {
				t.Fatal(err)
			}
			for _, order := range []string{"\x1b", "\u2028", "\u202e", "\x00", "\r"} {
				if bytes.Contains(b.Bytes(), []byte(order)) {
					t.Errorf("%s(%q) holds %q: %s", name, value, order, b.String())
				}
			}
			got, err := yaml.YAMLToJSON(b.Bytes())
			if err != nil {
				t.Errorf("%s(%q) cannot be read back: %v", name, value, err)
				continue
			}
			if fmt.Sprint(decoded(t, got)) != fmt.Sprint(decoded(t, want)) {
				t.Errorf("%s(%q) is read back as %s", name, value, got)
			}
		}
	}
}

func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}
