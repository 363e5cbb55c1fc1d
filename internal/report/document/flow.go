package document

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/report/words"
)

// Size describes the size of a list or an object.
func Size(value json.RawMessage) string {
	var parsed any
	_ = json.Unmarshal(value, &parsed) // invalid JSON is neither
	switch v := parsed.(type) {
	case []any:
		return "[" + words.Plural(len(v), "item") + "]"
	case map[string]any:
		return "{" + words.Plural(len(v), "field") + "}"
	}
	return "..."
}

// Longest is how much of a text value is shown.
const Longest = 400

// Brief returns a value that was replaced, always on one line.
func Brief(value json.RawMessage) string { return words.Shorten(Flow(value), 60) }

func IsScalar(value json.RawMessage) bool {
	return len(value) == 0 || (value[0] != '{' && value[0] != '[')
}

// isPlain reports whether text has the same meaning without quotes.
func isPlain(s string) bool {
	if s == "" || !(s[0] >= 'a' && s[0] <= 'z' || s[0] >= 'A' && s[0] <= 'Z' || s[0] == '/' || s[0] == '_') {
		return false
	}
	for i := 1; i < len(s); i++ {
		switch s[i] {
		case ' ', '\t', '\n', '\f', '\r', '"', '\'', '{', '}', '[', ']', ',', '#':
			return false
		case ':':
			if i+1 == len(s) || s[i+1] == ':' {
				return false
			}
		}
	}
	const longestWord = len("false")
	return len(s) > longestWord || !slices.Contains(yamlWords, strings.ToLower(s))
}

// Flow returns value on one line as people write YAML: with quotes only where they are needed.
func Flow(value json.RawMessage) string {
	var b bytes.Buffer
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	writeFlow(&b, d)
	return b.String()
}

func writeFlow(b *bytes.Buffer, d *json.Decoder) {
	token, err := d.Token()
	if err != nil {
		return
	}
	switch t := token.(type) {
	case json.Delim:
		closing := map[json.Delim]string{'{': "}", '[': "]"}[t]
		b.WriteString(t.String())
		for first := true; d.More(); first = false {
			if !first {
				b.WriteString(", ")
			}
			if t == '{' {
				writeFlow(b, d)
				b.WriteString(": ")
			}
			writeFlow(b, d)
		}
		_, _ = d.Token() // the closing bracket
		b.WriteString(closing)
	case string:
		b.WriteString(Quoted(t))
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, t)
	}
}

// Words that YAML does not read as strings.
var yamlWords = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

func Quoted(s string) string {
	if isPlain(s) {
		return words.Shorten(s, Longest)
	}
	var b strings.Builder
	if err := encode.JSON(&b, words.Shorten(s, Longest)); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
