package yamldoc

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	yaml3 "go.yaml.in/yaml/v3"
)

// Each scalar contains an @. Its place in the file must be found from its line and column in the value.
func TestScalarAt(t *testing.T) {
	tests := map[string]string{
		"plain":                                     "a: x + @",
		"plain over lines":                          "a: x &&\n    y &&\n\n    @ || z",
		"plain in a list":                           "- [x, y@]",
		"plain after an anchor":                     "a: &anchor !!str x@",
		"in single quotes":                          "a: 'it''s ''@'''",
		"in single quotes over lines":               "a: 'x   \n   y\n\n\n   z@'",
		"in double quotes":                          `a: "\u00e9\t\x41\"@"`,
		"in double quotes over lines":               "a: \"x \\\n   y\n   z @\"",
		"in double quotes, beyond ASCII":            `a: "日本 @"`,
		"literal block":                             "a: |\n  x\n    y @\n  z\n",
		"literal block, stripped":                   "a: |-\n  x\n\n  @\n\n",
		"literal block, kept":                       "a: |+\n  x\n  @\n\n\nb: c",
		"literal block, with indentation indicator": "a: |2\n    x @\n   y\n",
		"literal block after empty lines":           "a: | # comment\n\n\n  x @\n",
		"literal block with Windows' breaks":        "a: |\r\n  x\r\n  y @\r\n",
		"folded block":                              "a: >\n  x\n  y @\n\n  z\n",
		"folded block, more indented lines":         "a: >-\n  x\n    y\n    z @\n  w\n",
		"folded block, empty lines":                 "a: >-\n\n  x\n\n\n  y @",
		"JSON":                                      `{"a": "\u00e9\n @"}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			text = "# a comment\n" + text
			c := Chunk{text: []byte(text), line: 7}
			found := 0
			for _, n := range stringsOf(t, c.text) {
				i := strings.IndexByte(n.Value, '@')
				if i < 0 {
					continue
				}
				found++
				s, ok := c.ScalarAt(Position{int32(c.line + n.Line), int32(n.Column)}, n.Value)
				if !ok {
					t.Fatalf("another value than %q is read", n.Value)
				}
				before := n.Value[:i]
				line := 1 + strings.Count(before, "\n")
				column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
				at, ok := s.at(line, column)
				if got := c.from(at); !ok || !strings.HasPrefix(got, "@") {
					t.Errorf("%d:%d is found at %v, %v: %q", line, column, at, ok, got)
				}
			}
			if found != 1 {
				t.Errorf("%d strings with an @", found)
			}
		})
	}
}

// JSON writes characters beyond 16 bits as two escapes, which YAML does not read.
func TestScalarAtPair(t *testing.T) {
	c := Chunk{text: []byte(`["\/\ud83d\ude00@"]`)}
	s, ok := c.ScalarAt(Position{1, 2}, "/😀@")
	if !ok {
		t.Fatal("another string is read")
	}
	if at, ok := s.at(1, 3); !ok || at.column != 17 {
		t.Errorf("1:3 is found at %v, %v", at, ok)
	}
}

// Whatever a parser makes of a string: either it is not found again, or every character of it is in the file at its
// place, except for white space and escapes.
func FuzzScalarAt(f *testing.F) {
	for _, seed := range []string{"a: b c", "a: >-\n  x\n\n   y\n  z", "a: |2-\n   x\n", `{"a": "\ud83d\ude00\n"}`, "- 'it''s\n\n  so'", "a: \"x\\\n  \\ y\"", "? |\n  x\n: &a y\nb: *a"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var root yaml3.Node
		if !utf8.Valid(text) || bytes.ContainsAny(text, "\u0085\u2028\u2029\ufeff") || yaml3.Unmarshal(text, &root) != nil {
			return
		}
		c := Chunk{text: text}
		for _, n := range scalars(&root) {
			s, ok := c.ScalarAt(Position{int32(n.Line), int32(n.Column)}, n.Value)
			if !ok {
				continue
			}
			if got, want := len(s.places), utf8.RuneCountInString(n.Value)+1; got != want {
				t.Fatalf("%d places for %q", got, n.Value)
			}
			for i, char := range []rune(n.Value) {
				there, _ := utf8.DecodeRuneInString(c.from(s.places[i]))
				if there != char && there != '\\' && !(isSpace(byte(there)) && (char == ' ' || char == '\n')) {
					t.Errorf("character %d of %q is %q, the file has %q", i, n.Value, char, there)
				}
			}
		}
	})
}

func stringsOf(t *testing.T, text []byte) []*yaml3.Node {
	t.Helper()
	var root yaml3.Node
	if err := yaml3.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	return scalars(&root)
}

func scalars(n *yaml3.Node) (found []*yaml3.Node) {
	if n.Kind == yaml3.ScalarNode {
		return []*yaml3.Node{n}
	}
	for _, c := range n.Content {
		found = append(found, scalars(c)...)
	}
	return found
}
