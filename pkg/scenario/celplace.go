package scenario

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/admsim/admsim/internal/lazyregexp"
)

// celIssue is one place in an expression that the server's CEL complains of, in the form
// that cel-go gives it: a line, a column, what is wrong, and the line with a mark below it.
var celIssue = lazyregexp.New(`ERROR: <input>:(\d+):(\d+): ([^\n]*)(?:\n \| ([^\n]*)\n \| [^\n]*)?`)

// inFile is a message of the server about the expression at path, with the places in the
// expression replaced by those in the file, each shown with its line. at is the first of
// them. A message without such places stays as it is.
func (m Manifest) inFile(path, message string) (at Source, text string) {
	at = m.Position(path)
	issues := celIssue().FindAllStringSubmatchIndex(message, -1)
	if issues == nil {
		return at, message
	}
	expression, ok := m.stringAt(path)
	if !ok {
		return at, message
	}
	var b strings.Builder
	last, found := 0, false
	for _, i := range issues {
		group := func(n int) string {
			if i[2*n] < 0 {
				return ""
			}
			return message[i[2*n]:i[2*n+1]]
		}
		line, _ := strconv.Atoi(group(1))
		column, _ := strconv.Atoi(group(2))
		p, ok := expression.find(line, column, group(4))
		if !ok {
			continue
		}
		place := p.or(m.Source)
		if !found {
			at, found = place, true
		}
		b.WriteString(message[last:i[0]])
		fmt.Fprintf(&b, "ERROR: %s:%d: %s\n%s", place, place.Column, group(3), m.text.excerpt(p))
		last = i[1]
	}
	b.WriteString(message[last:])
	return at, b.String()
}

// find is the place of a character of an expression. The server compiles some of them
// without the white space around: shown is the line as it saw it.
func (s *scalar) find(line, column int, shown string) (place, bool) {
	spared := len(s.value) - len(strings.TrimLeft(s.value, " \t\r\n"))
	start := s.value[:spared]
	for _, trimmed := range []bool{false, true} {
		text := s.value
		l, c := line, column
		if trimmed {
			text = text[spared:]
			if l == 1 {
				c += utf8.RuneCountInString(start[strings.LastIndexByte(start, '\n')+1:])
			}
			l += strings.Count(start, "\n")
		}
		lines := strings.Split(text, "\n")
		if line <= len(lines) && strings.TrimRight(asShown(lines[line-1]), " ") == strings.TrimRight(shown, " ") {
			return s.at(l, c)
		}
	}
	return place{}, false
}

// asShown is a line as CEL prints it.
func asShown(line string) string { return strings.ReplaceAll(line, "\t", " ") }

// stringAt is the string written at path.
func (m Manifest) stringAt(path string) (*scalar, bool) {
	n := m.layout().lookup(m.written(path))
	if n == nil || n.fields != nil || n.items != nil {
		return nil, false
	}
	value, ok := m.valueAt(m.written(path)).(string)
	if !ok {
		return nil, false
	}
	return m.text.scalarAt(n.place, value)
}

// valueAt is the value at path, nil where there is none.
func (m Manifest) valueAt(path string) any {
	var value any
	if err := json.Unmarshal(m.JSON, &value); err != nil {
		return nil
	}
	return at(value, m.layout(), path)
}

// at follows path through a value, as step does through its places.
func at(value any, n *node, path string) any {
	for path != "" && n != nil {
		next, _, rest, ok := n.step(path)
		if !ok {
			return nil
		}
		taken := strings.Trim(strings.TrimPrefix(path[:len(path)-len(rest)], "."), "[]")
		switch v := value.(type) {
		case map[string]any:
			value = v[taken]
		case []any:
			i, err := strconv.Atoi(taken)
			if err != nil || i < 0 || i >= len(v) {
				return nil
			}
			value = v[i]
		default:
			return nil
		}
		n, path = next, rest
	}
	return value
}

// hoisted are the fields that the server's own form of a CustomResourceDefinition has once
// where all versions agree, and as which it names them.
var hoisted = map[string]string{
	"spec.validation.":              "spec.versions[0].schema.",
	"spec.subresources":             "spec.versions[0].subresources",
	"spec.additionalPrinterColumns": "spec.versions[0].additionalPrinterColumns",
	"spec.selectableFields":         "spec.versions[0].selectableFields",
}

// written is path as the author of a manifest wrote it.
func (m Manifest) written(path string) string {
	if m.Kind != "CustomResourceDefinition" || m.Version == "v1beta1" {
		return path
	}
	for server, file := range hoisted {
		if after, is := strings.CutPrefix(path, server); is {
			return file + after
		}
	}
	return path
}

// mostExcerpt is how many characters of a line an excerpt shows.
const mostExcerpt = 120

// excerpt is the line of a place, and a mark below the place, as cel-go shows them.
func (c chunk) excerpt(at place) string {
	line := []rune(asShown(c.lineAt(at)))
	mark := min(int(at.column)-1, len(line))
	if len(line) > mostExcerpt {
		from := max(0, min(mark-mostExcerpt/2, len(line)-mostExcerpt))
		line, mark = line[from:from+mostExcerpt], mark-from
		if from > 0 {
			line = append([]rune("…"), line[1:]...)
		}
	}
	return fmt.Sprintf(" | %s\n | %s^", string(line), strings.Repeat(".", mark))
}
