package manifest

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/missing"
	"github.com/admsim/admsim/internal/yamldoc"
	"github.com/admsim/admsim/pkg/expression"
)

// celIssue matches one error in an expression as cel-go prints it: a line, a column, the problem, and the line with a
// mark below it.
var celIssue = regexp.MustCompile(`ERROR: <input>:(\d+):(\d+): ([^\n]*)(?:\n \| ([^\n]*)\n \| [^\n]*)?`)

// InFile returns a message of the server about the expression at path, with places in the expression replaced by places
// in the file, each shown with its line. at is the first of them. A message without such places is returned unchanged.
func (m Manifest) InFile(path, message string) (at Source, text string) {
	at = m.Position(path)
	issues := celIssue.FindAllStringSubmatchIndex(message, -1)
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
		place, shown, ok := m.issue(expression, line, column, group(4), group(3))
		if !ok {
			continue
		}
		if !found {
			at, found = place, true
		}
		b.WriteString(message[last:i[0]])
		b.WriteString(shown)
		last = i[1]
	}
	b.WriteString(message[last:])
	return at, b.String()
}

// issue returns an error at a place of an expression, shown with its line in the file.
func (m Manifest) issue(expression *yamldoc.Scalar, line, column int, shown, what string) (at Source, text string, ok bool) {
	p, ok := expression.Find(line, column, shown)
	if !ok {
		return Source{}, "", false
	}
	at = p.Or(m.Source)
	return at, fmt.Sprintf("ERROR: %s:%d: %s\n%s", at, at.Column, what, m.Text.Excerpt(p)), true
}

// CELMistake returns an error about the expression at path, which does not compile. message is what the server says about
// it; it is shown with the first place only. The result is nil if the message is about something else, or about a default, whose
// rule is beside it.
func (m Manifest) CELMistake(path, message string) *Error {
	issue := celIssue.FindStringSubmatch(message)
	if issue == nil || strings.HasSuffix(path, ".default") {
		return nil
	}
	at, _ := m.InFile(path, message)
	return &Error{Source: at, Message: fmt.Sprintf("%s: %s: %s", m, path, issue[3]), Hint: m.CELHint(path, message)}
}

// Inside returns the place in the file of a place in the expression at path.
func (m Manifest) Inside(path string, p missing.Place) Source {
	if expression, ok := m.stringAt(path); ok && p.Line > 0 {
		if at, found := expression.Find(p.Line, p.Column, yamldoc.AsShown(p.Text)); found {
			return at.Or(m.Source)
		}
	}
	return m.Position(path)
}

// Uncompiled returns the error that v does not compile. Its places are converted to places in the file if they are
// found there.
func (v Value) Uncompiled(err *expression.CompileError) *Error {
	e := &Error{Source: v.Source(), Message: v.Path + ": " + err.Error(), Hint: v.Of.CELHint(v.Path, err.Error()), Err: err}
	written, ok := v.Of.stringAt(v.Path)
	if !ok {
		return e
	}
	lines := strings.Split(err.Expression, "\n")
	var shown []string
	for _, p := range err.Problems {
		if p.Line < 1 || p.Line > len(lines) {
			return e
		}
		at, text, ok := v.Of.issue(written, p.Line, p.Column, yamldoc.AsShown(lines[p.Line-1]), p.Text)
		if !ok {
			return e
		}
		if len(shown) == 0 {
			e.Source = at
		}
		shown = append(shown, text)
	}
	e.Message = v.Path + ": compilation failed: " + strings.Join(shown, "\n")
	return e
}

// stringAt returns the string written at path.
func (m Manifest) stringAt(path string) (*yamldoc.Scalar, bool) {
	n := m.Layout().Lookup(m.written(path))
	if n == nil || n.Fields != nil || n.Items != nil {
		return nil, false
	}
	value, ok := m.valueAt(m.written(path)).(string)
	if !ok {
		return nil, false
	}
	return m.Text.ScalarAt(n.Position, value)
}

// valueAt returns the value at path, nil if there is none.
func (m Manifest) valueAt(path string) any {
	var value any
	if err := json.Unmarshal(m.JSON, &value); err != nil {
		return nil
	}
	return at(value, m.Layout(), path)
}

// at follows path through a value, with the places of the value to take path apart.
func at(value any, n *yamldoc.Node, path string) any {
	for path != "" && n != nil {
		next, _, rest, ok := n.Step(path)
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

// hoisted maps fields that the server's internal form of a CustomResourceDefinition has only once, if all versions
// agree, to the fields of the manifest.
var hoisted = map[string]string{
	"spec.validation.":              "spec.versions[0].schema.",
	"spec.subresources":             "spec.versions[0].subresources",
	"spec.additionalPrinterColumns": "spec.versions[0].additionalPrinterColumns",
	"spec.selectableFields":         "spec.versions[0].selectableFields",
}

// written returns path as the author of the manifest wrote it.
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
