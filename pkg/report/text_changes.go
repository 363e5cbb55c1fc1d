package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// What the server keeps account of in metadata says nothing about an object; it is named,
// but not written out.
var bookkeeping = []string{"creationTimestamp", "generation", "managedFields", "resourceVersion", "uid"}

// apart takes the server's bookkeeping out of changes and returns what it was about.
func apart(changes []Change) (rest []Change, about []string) {
	for _, c := range changes {
		field, isMetadata := strings.CutPrefix(c.Path, "/metadata/")
		field, _, _ = strings.Cut(field, "/")
		switch {
		case !isMetadata || !slices.Contains(bookkeeping, field):
			rest = append(rest, c)
		case !slices.Contains(about, field):
			about = append(about, field)
		}
	}
	return rest, about
}

// changes writes one change a line, such as
//
//	~ /spec/replicas: 1 -> 2
//
// and a value that is too long for it as YAML below, or counted if that is asked for.
func (p *page) changes(indent int, changes []Change, counted bool) {
	for _, c := range changes {
		path := c.Path
		if path == "" {
			path = "/"
		}
		switch c.Op {
		case "add":
			p.change(indent, "+", p.good, path, "", c.Value, counted)
		case "remove":
			p.change(indent, "-", p.bad, path, "", c.Old, counted)
		default:
			p.change(indent, "~", p.changed, path, brief(c.Old), c.Value, counted)
		}
	}
}

func (p *page) change(indent int, mark, colour, path, old string, value json.RawMessage, counted bool) {
	head := mark + " " + path + ":"
	if old != "" {
		head += " " + old + " ->"
	}
	text := flow(value)
	if indent+columns(head)+1+columns(text) <= width || isScalar(value) {
		p.line(indent, p.paint(colour, head+" "+text))
		return
	}
	if counted {
		p.line(indent, p.paint(colour, head+" "+size(value)))
		return
	}
	p.line(indent, p.paint(colour, head))
	block, err := toYAML(value)
	if err != nil {
		block = value
	}
	for row := range strings.Lines(string(block)) {
		p.line(indent+4, p.paint(colour, strings.TrimRight(row, "\n")))
	}
}

// size is how much there is in a list or an object.
func size(value json.RawMessage) string {
	var parsed any
	_ = json.Unmarshal(value, &parsed) // what is no JSON is neither
	switch v := parsed.(type) {
	case []any:
		return "[" + plural(len(v), "item") + "]"
	case map[string]any:
		return "{" + plural(len(v), "field") + "}"
	}
	return "..."
}

// longest is how much of a text value is shown.
const longest = 400

// brief is a value that was replaced, on one line in any case.
func brief(value json.RawMessage) string { return shorten(flow(value), 60) }

func shorten(text string, room int) string {
	if columns(text) <= room {
		return text
	}
	runes := []rune(text)
	return fmt.Sprintf("%s... (%d characters)", string(runes[:room-20]), len(runes))
}

func isScalar(value json.RawMessage) bool {
	return len(value) == 0 || (value[0] != '{' && value[0] != '[')
}

// isPlain tells whether text reads the same without quotes.
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
	return len(s) > longestWord || !slices.Contains(words, strings.ToLower(s))
}

// flow is value on one line as people write YAML: quotes only where they tell something.
func flow(value json.RawMessage) string {
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
		_, _ = d.Token() // the closing one
		b.WriteString(closing)
	case string:
		b.WriteString(quoted(t))
	case nil:
		b.WriteString("null")
	default:
		fmt.Fprint(b, t)
	}
}

// Words that YAML does not read as text.
var words = []string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"}

func quoted(s string) string {
	if isPlain(s) {
		return shorten(s, longest)
	}
	var b strings.Builder
	if err := encode(&b, shorten(s, longest)); err != nil {
		panic(err) // a string always encodes
	}
	return strings.TrimSuffix(b.String(), "\n")
}
