package encode

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/inert"
)

// A block writes YAML in block style as kubectl does, byte for byte like sigs.k8s.io/yaml. That library takes about
// fifty times the size of a document in memory, so it is only used for scalars that are not plain: each is written as a
// document of its own, at the same place in a line.
type block struct {
	to     []byte
	quoted func(text string) bool // whether a text is always put in double quotes
	known  map[string]string      // scalars that are written the same way everywhere
}

func (b *block) document(tree any) error {
	switch tree := tree.(type) {
	case map[string]any:
		if len(tree) > 0 {
			return b.mapping(tree, 0)
		}
	case []any:
		if len(tree) > 0 {
			return b.sequence(tree, 0)
		}
	}
	if text, ok := b.scalar(tree, 0); ok {
		b.to = append(append(b.to, text...), '\n')
		return nil
	}
	text, err := libraryText(0, tree)
	b.to = append(b.to, text...)
	return err
}

// mapping writes the members of a mapping, in lines indented by indent blanks.
func (b *block) mapping(m map[string]any, indent int) error {
	names := slices.SortedFunc(maps.Keys(m), compareKeys)
	for _, name := range names {
		if err := b.member(name, m[name], indent); err != nil {
			return err
		}
	}
	return nil
}

func (b *block) member(name string, value any, indent int) error {
	key, ok := b.scalar(name, 0)
	var err error
	switch {
	case !ok && !isCollection(value) && !b.mustQuote(value):
		text, err := libraryText(indent/2, map[string]any{name: value})
		b.to = append(b.to, text...)
		return err
	case !ok:
		if key, err = asKey(name, indent); err != nil {
			return err
		}
	case len(key) > longestKey:
		key = blanks(indent) + "? " + key + "\n" + blanks(indent) + ":"
	default:
		key = blanks(indent) + key + ":"
	}
	b.to = append(b.to, key...)
	if strings.Contains(key, "\n") { // written with ? and :, with the value on the line of the colon
		return b.item(value, indent, "")
	}
	switch value := value.(type) {
	case map[string]any:
		if len(value) > 0 {
			b.to = append(b.to, '\n')
			return b.mapping(value, indent+2)
		}
	case []any:
		if len(value) > 0 {
			b.to = append(b.to, '\n')
			return b.sequence(value, indent)
		}
	}
	text, ok := b.scalar(value, len(key)+1)
	if !ok {
		if text, err = libraryText(indent/2, map[string]any{name: value}); err != nil {
			return err
		}
		if after, found := strings.CutPrefix(text, key+" "); found {
			text = after
		} else if text, err = libraryText(indent/2, map[string]any{"a": value}); err != nil { // the library quotes the key here
			return err
		} else {
			text = text[indent+len("a: "):]
		}
		text = strings.TrimSuffix(text, "\n")
	}
	b.to = append(append(append(b.to, ' '), text...), '\n')
	return nil
}

func (b *block) sequence(items []any, indent int) error {
	for _, value := range items {
		b.to = append(b.to, blanks(indent)...)
		if err := b.item(value, indent, "-"); err != nil {
			return err
		}
	}
	return nil
}

// item writes mark and, on the same line, the beginning of value.
func (b *block) item(value any, indent int, mark string) error {
	b.to = append(b.to, mark...)
	begin := len(b.to)
	switch value := value.(type) {
	case map[string]any:
		if len(value) > 0 {
			return b.join(begin, indent, b.mapping(value, indent+2))
		}
	case []any:
		if len(value) > 0 {
			return b.join(begin, indent, b.sequence(value, indent+2))
		}
	}
	text, ok := b.scalar(value, indent+2)
	if !ok {
		var err error
		if text, err = libraryText(indent/2+1, []any{value}); err != nil {
			return err
		}
		text = strings.TrimSuffix(text[indent+len("- "):], "\n")
	}
	b.to = append(append(append(b.to, ' '), text...), '\n')
	return nil
}

// join moves the first line of a collection to the line of its mark, by deleting the line's own indentation.
func (b *block) join(begin, indent int, err error) error {
	if err == nil {
		b.to = slices.Delete(b.to, begin, begin+indent+1)
	}
	return err
}

func blanks(n int) string { return strings.Repeat(" ", n) }

func isCollection(value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return len(value) > 0
	case []any:
		return len(value) > 0
	}
	return false
}

func (b *block) mustQuote(value any) bool {
	text, ok := value.(string)
	return ok && b.quoted(text)
}

const (
	longestKey  = 128 // bytes of a key that is written before its value on one line
	longestLine = 80  // a text with blanks is broken after this column
)

// scalar returns a value as it is written at a column. If that is not known without the library, ok is false.
func (b *block) scalar(value any, column int) (text string, ok bool) {
	switch value := value.(type) {
	case nil:
		return "null", true
	case bool:
		return fmt.Sprint(value), true
	case map[string]any:
		return "{}", len(value) == 0
	case []any:
		return "[]", len(value) == 0
	case json.Number:
		if text := string(value); len(text) < 16 && strings.Trim(text, "0123456789") == "" {
			return text, true
		}
		return "", false
	case string:
		if b.quoted(value) {
			return inert.Quote(value), true
		}
		if blank := strings.Contains(value, " "); isPlain(value) && (!blank || column+len(value) <= longestLine) {
			return value, true
		} else if blank || len(value) > longestKey || !isPrintable(value) {
			return "", false
		}
		return b.anywhere(value)
	}
	return "", false
}

// anywhere returns a text without blanks and line breaks, which is written the same way at any column.
func (b *block) anywhere(value string) (text string, ok bool) {
	if text, ok := b.known[value]; ok {
		return text, true
	}
	text, err := asValue(value)
	if err != nil {
		return "", false
	}
	b.known[value] = text
	return text, true
}

func isPrintable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r > '~' })
}

// isPlain reports whether a text is written without quotes wherever there is room for it. It is conservative: other
// texts may be plain as well.
func isPlain(text string) bool {
	if text == "" || !isLetter(text[0]) || len(text) <= len("false") && isReserved(text) {
		return false
	}
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case isLetter(c), '0' <= c && c <= '9', strings.IndexByte("-_./@", c) >= 0:
		case c == ':' && i+1 < len(text) && text[i+1] != ' ':
		case c == ' ' && i+1 < len(text) && text[i+1] != ' ' && text[i+1] != '#':
		default:
			return false
		}
	}
	return true
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// isReserved reports whether YAML 1.1 may read a word as something other than a string.
func isReserved(text string) bool {
	switch strings.ToLower(text) {
	case "y", "yes", "true", "on", "n", "no", "false", "off", "null":
		return true
	}
	return false
}

// compareKeys orders keys as go.yaml.in/yaml/v2:sorter.go does: letters after all other characters, numbers by value.
func compareKeys(a, b string) int {
	switch {
	case a == b:
		return 0
	case keyLess([]rune(a), []rune(b)):
		return -1
	}
	return 1
}

// asValue returns a value as it is written after a short key.
func asValue(value any) (string, error) {
	text, err := libraryText(0, map[string]any{"a": value})
	if err != nil {
		return "", err
	}
	return strings.TrimSuffix(strings.TrimPrefix(text, "a: "), "\n"), nil
}

// asKey returns a key with its colon.
func asKey(name string, indent int) (string, error) {
	text, err := libraryText(indent/2, map[string]any{name: "x"})
	return strings.TrimSuffix(text, " x\n"), err
}

// libraryText returns what the library writes for a value inside so many nested mappings.
func libraryText(levels int, value any) (string, error) {
	nested := min(levels, longestLine/2) // once a line begins beyond the limit, its exact column does not matter
	var b bytes.Buffer
	b.WriteString(strings.Repeat(`{"a":`, nested))
	if err := JSON(&b, value); err != nil {
		return "", err
	}
	b.WriteString(strings.Repeat("}", nested))
	data, err := yaml.JSONToYAML(b.Bytes())
	for range nested {
		_, data, _ = bytes.Cut(data, []byte("\n"))
	}
	if nested == levels {
		return string(data), err
	}
	var shifted strings.Builder
	for line := range bytes.Lines(data) {
		if len(line) > 1 {
			shifted.WriteString(blanks(2 * (levels - nested)))
		}
		shifted.Write(line)
	}
	return shifted.String(), err
}
