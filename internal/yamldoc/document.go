// Package yamldoc reads the YAML and JSON documents of a file, and knows the place of everything in them: of fields and
// items, and of single characters in texts.
//
// Start with [EachDocument]. A mistake is an [Error] with its place, and reading goes on after it. The package does not
// know what documents are about.
package yamldoc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	yaml3 "go.yaml.in/yaml/v3"
	kjson "sigs.k8s.io/json"
)

// A Document is one value of a file, with the places of everything in it.
type Document struct {
	Value  any // as JSON decodes: map[string]any, []any, string, int64, float64, bool
	Places *Node
	Source Source
	Text   Chunk // the text that contains it

	// Changed are warnings about keys that YAML reads as another text than they are written.
	Changed Errors

	// Again finds the places again, for callers that do not want to keep them; nil if that is not possible.
	Again func() *Node
}

// Documents reads all documents of a file except empty ones. It continues after a broken document.
func Documents(file string, data []byte, errs *Errors) []Document {
	return slices.Collect(EachDocument(file, data, errs))
}

// EachDocument reads the documents one by one.
func EachDocument(file string, data []byte, errs *Errors) iter.Seq[Document] {
	return func(yield func(Document) bool) {
		data := bytes.TrimPrefix(data, byteOrderMark)
		if line, ok := firstBadUTF8(data); !ok {
			what := "not UTF-8 text"
			if bytes.HasPrefix(data, []byte("\xFF\xFE")) || bytes.HasPrefix(data, []byte("\xFE\xFF")) {
				what = "UTF-16 text"
			}
			errs.Add(Source{File: file, Line: line, Column: 1}, "save the file as UTF-8", "%s", what)
			return
		}
		for _, c := range split(file, data, errs) {
			var docs []Document
			errs.Guard(Source{File: file, Line: c.line + 1}, func() { docs = c.read(errs) })
			for _, d := range docs {
				if !yield(d) {
					return
				}
			}
		}
	}
}

// A Chunk is the text between two lines that begin with ---.
type Chunk struct {
	file string
	text []byte
	line int // number of lines of the file before the chunk
}

// OnlyComments returns the documents of a file that hold nothing but comments, each with its first line.
func OnlyComments(file string, data []byte) (lines []int, texts [][]byte) {
	var known Errors // reported when the documents are read
	for _, c := range split(file, bytes.TrimPrefix(data, byteOrderMark), &known) {
		text := bytes.TrimSpace(c.text)
		if len(text) == 0 {
			continue
		}
		if root, err := c.nodes(); err == nil && root == nil {
			lines, texts = append(lines, c.line+1), append(texts, text)
		}
	}
	return lines, texts
}

// split cuts a file at the lines that begin with ---, as kubectl does
// (kubernetes/apimachinery:pkg/util/yaml/decoder.go): such a line cannot occur inside a YAML document, nor inside JSON.
func split(file string, data []byte, errs *Errors) []Chunk {
	var chunks []Chunk
	start, startLine, line := 0, 0, 0
	for at := 0; at < len(data); {
		end := len(data)
		if i := bytes.IndexByte(data[at:], '\n'); i >= 0 {
			end = at + i + 1
		}
		line++
		if after, ok := bytes.CutPrefix(bytes.TrimPrefix(data[at:end], byteOrderMark), []byte("---")); ok {
			if rest := bytes.TrimSpace(after); len(rest) > 0 && rest[0] != '#' {
				errs.Add(Source{File: file, Line: line, Column: 1}, "begin the document on the next line",
					"only a comment may follow the --- between documents")
			}
			chunks = append(chunks, Chunk{file, data[start:at], startLine})
			start, startLine = end+markAt(data[end:]), line
		}
		at = end
	}
	return append(chunks, Chunk{file, data[start:], startLine})
}

// byteOrderMark is the mark with which some Windows programs begin files; a concatenated file can contain several.
var byteOrderMark = []byte("\xef\xbb\xbf")

// markAt returns the length of the mark that data begins with.
func markAt(data []byte) int { return len(data) - len(bytes.TrimPrefix(data, byteOrderMark)) }

// read reads a chunk. A chunk that begins with a brace is a sequence of JSON values, unless it turns out to be YAML in
// braces.
func (c Chunk) read(errs *Errors) []Document {
	var jsonErrs Errors
	if bytes.HasPrefix(bytes.TrimLeftFunc(c.text, unicode.IsSpace), []byte("{")) {
		docs, syntax := c.json(&jsonErrs)
		if syntax == nil {
			*errs = append(*errs, jsonErrs...)
			return docs
		}
		// More than one value that is JSON means a sequence of JSON values with an error.
		if len(docs) > 0 || path.Ext(c.file) == ".json" {
			*errs = append(append(*errs, jsonErrs...), syntax)
			return docs
		}
	}
	if doc, ok := c.yaml(errs); ok {
		return []Document{doc}
	}
	return nil
}

func (c Chunk) json(errs *Errors) ([]Document, *Error) {
	var docs []Document
	dec := json.NewDecoder(bytes.NewReader(c.text))
	walk := newJSONWalk(c.file, c.text, c.line+1, errs)
	for {
		before, found := dec.InputOffset(), len(*errs)
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			return docs, nil
		}
		if err != nil {
			return docs, c.jsonError(err, before)
		}
		walk.text = c.text[:dec.InputOffset()] // values may touch, as in {}1-1
		places := walk.value()
		if places == nil {
			return docs, nil
		}
		if len(*errs) > found {
			continue
		}
		doc := Document{Places: places, Source: places.Or(Source{File: c.file}), Text: c}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(raw, &doc.Value); err != nil {
			errs.Add(doc.Source, "", "%v", err)
			continue
		}
		docs = append(docs, doc)
	}
}

// jsonError returns an error at the place where the decoder stopped. The decoder's offsets count from the value that it
// was reading.
func (c Chunk) jsonError(err error, before int64) *Error {
	at := int64(len(c.text))
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		at = min(at, max(before, syntax.Offset-1))
	}
	line := c.line + 1 + bytes.Count(c.text[:at], []byte("\n"))
	column := 1 + utf8.RuneCount(c.text[bytes.LastIndexByte(c.text[:at], '\n')+1:at])
	e := &Error{
		Source:  Source{File: c.file, Line: line, Column: column},
		Message: "not JSON: " + strings.TrimPrefix(err.Error(), "json: "),
	}
	switch rest := c.text[at:]; {
	case bytes.HasPrefix(rest, []byte("//")), bytes.HasPrefix(rest, []byte("/*")), bytes.HasPrefix(rest, []byte("#")):
		e.Message, e.Hint = "not JSON: a comment, which JSON does not have", "remove the comments, or write YAML, where they begin with #"
	case bytes.HasPrefix(rest, []byte("...")):
		e.Message, e.Hint = notJSONDots, dotsHint
	case bytes.HasPrefix(rest, []byte("}")), bytes.HasPrefix(rest, []byte("]")):
		if bytes.HasSuffix(bytes.TrimSpace(c.text[:at]), []byte(",")) {
			e.Hint = "remove the comma before it: in JSON, nothing may follow the last comma"
		}
	}
	return e
}

// Examples in documents omit parts of an object, and mark them with dots.
const (
	notJSONDots = "not JSON: ... stands for what the example leaves out"
	notYAMLDots = "not YAML: ... stands for what the example leaves out"
	dotsHint    = "remove the ..., or replace it with what belongs there"
)

// dots matches a line of nothing but three dots, or a list item of three dots.
var dots = regexp.MustCompile(`(?m)^[ \t]*(- )?\.\.\.[ \t]*$`)

// slashes matches a line that is a comment in other languages.
var slashes = regexp.MustCompile(`(?m)^[ \t]*//`)

// exampleError returns the error about a chunk that is not YAML because it has something that only examples have.
func (c Chunk) exampleError() *Error {
	at := func(found []int) Source {
		return Source{File: c.file, Line: c.line + 1 + bytes.Count(c.text[:found[0]], []byte("\n"))}
	}
	if found := dots.FindIndex(bytes.TrimRight(c.text, "\n")); found != nil {
		return &Error{Source: at(found), Message: notYAMLDots, Hint: dotsHint}
	}
	if found := slashes.FindIndex(c.text); found != nil {
		return &Error{Source: at(found), Message: "not YAML: a comment that begins with //", Hint: "comments of YAML begin with #"}
	}
	return nil
}

// yaml reads a chunk as YAML. The value is what sigs.k8s.io/yaml makes of it, which is what kubectl sends. The nodes of
// the other parser give the places, the parts that are refused, and most values.
func (c Chunk) yaml(errs *Errors) (Document, bool) {
	root, err := c.nodes()
	if err != nil {
		errs.Join(err)
		return Document{}, false
	}
	if root == nil {
		return Document{}, false
	}
	found := len(*errs)
	walk := newYAMLWalk(c, errs)
	places, ok := walk.document(root)
	if !ok || len(*errs) > found {
		return Document{}, false
	}
	doc := Document{Places: places, Source: places.Or(Source{File: c.file}), Text: c, Changed: walk.changed}
	if doc.Value, err = c.yamlValue(root); err != nil {
		errs.Join(c.yamlError(err))
		return Document{}, false
	}
	doc.Again = c.places
	return doc, doc.Value != nil
}

// places finds the places of the single document of a chunk again.
func (c Chunk) places() *Node {
	root, err := c.nodes()
	if err != nil || root == nil {
		return nil
	}
	var known Errors
	found, _ := newYAMLWalk(c, &known).document(root)
	return found
}

// nodes parses the chunk; the root is nil if it holds nothing but comments.
func (c Chunk) nodes() (*yaml3.Node, error) {
	dec := yaml3.NewDecoder(bytes.NewReader(c.text))
	var first, second yaml3.Node
	switch err := dec.Decode(&first); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, c.yamlError(err)
	}
	// kubectl would read the first document and drop the others.
	switch err := dec.Decode(&second); {
	case errors.Is(err, io.EOF):
	case err != nil:
		return nil, c.yamlError(err)
	case c.exampleError() != nil:
		return nil, c.exampleError()
	default:
		return nil, &Error{
			Source:  Source{File: c.file, Line: c.line + second.Line, Column: second.Column},
			Message: "a second document begins without --- before it",
			Hint:    "put a line with --- between documents",
		}
	}
	if len(first.Content) != 1 {
		return nil, nil
	}
	return first.Content[0], nil
}

var (
	yamlLine = regexp.MustCompile(`^yaml: (?:unmarshal errors:\n  )?line (\d+): `)
	// The YAML library counts lines from 0 for errors of its parser, but not of its scanner.
	fromParser = regexp.MustCompile(`^did not find expected (<|key|node content|'-' indicator|',' or )`)
	// A line or value that begins with the braces of a template; in YAML it would need quotes.
	template    = regexp.MustCompile(`(?m)(^\s*(- )*|[\[{,]\s*)([\w./"'-]+:\s)*\s*\{\{`)
	yamlQuoted  = regexp.MustCompile("(?s)cannot decode (!!\\w+ )`.*` as")
	yamlUnknown = regexp.MustCompile(`^yaml: unknown anchor '(.*)' referenced$`)
)

func (c Chunk) yamlError(err error) *Error {
	if e := c.exampleError(); e != nil {
		return e
	}
	text, line := err.Error(), 1
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
		switch {
		case fromParser.MatchString(text):
			line++
		case strings.Contains(text, tabbed): // reported where the block begins
			line += c.linesToTab(line)
		}
	} else if m := yamlUnknown.FindStringSubmatch(text); m != nil {
		if i := bytes.Index(c.text, []byte("*"+m[1])); i >= 0 {
			line = 1 + bytes.Count(c.text[:i], []byte("\n"))
		}
		text = "unknown anchor" // without its name, which may be a password that begins with *
	}
	text = yamlQuoted.ReplaceAllString(text, "cannot decode ${1}as") // for the same reason
	text = strings.TrimPrefix(strings.TrimPrefix(text, "yaml: "), "json: ")
	// At the end of the text it counts one line too many.
	line = min(line, 1+bytes.Count(bytes.TrimRight(c.text, "\n"), []byte("\n")))
	return &Error{
		Source:  Source{File: c.file, Line: c.line + line},
		Message: fmt.Sprintf("not YAML: %s", text),
		Hint:    cmp.Or(c.templateHint(), yamlHint(text)),
	}
}

// tabbed is the YAML library's error about a tab in the indentation of a block.
const tabbed = "found a tab character that violates indentation"

// linesToTab returns how many lines after a line, counted from 1, the first one follows that is indented with a tab.
func (c Chunk) linesToTab(from int) int {
	n := 0
	for line := range bytes.Lines(c.text) {
		n++
		indent := line[:len(line)-len(bytes.TrimLeft(line, " \t"))]
		if n >= from && bytes.IndexByte(indent, '\t') >= 0 {
			return n - from
		}
	}
	return 0
}

// templateHint returns the hint for a chunk that is not YAML because it is a template.
func (c Chunk) templateHint() string {
	if template.Match(c.text) {
		return "this is a template, such as of a Helm chart: use the output of helm template"
	}
	return ""
}

func yamlHint(text string) string {
	switch {
	case strings.Contains(text, tabbed):
		return "YAML is indented with spaces only"
	case strings.Contains(text, "cannot start any token"):
		return "YAML is not indented with tabs, and a value that begins with @, ` or % needs quotes"
	case strings.Contains(text, "mapping values are not allowed"):
		return "a value with \": \" in it needs quotes; if there is none, is the line before it indented correctly?"
	case strings.Contains(text, "end of stream"):
		return "is the quote that begins there closed?"
	case strings.Contains(text, "unknown anchor"):
		return "a value that begins with * needs quotes"
	case strings.Contains(text, "<document start>"):
		return "put a line with --- between documents"
	case strings.Contains(text, "expected key"), strings.Contains(text, "'-' indicator"):
		return "look through the block that begins there: is each line of it indented right, every quote closed, and text that begins with { or [ in quotes?"
	case strings.Contains(text, "expected ',' or"):
		return "look through the braces or brackets that begin there: are all closed, and quotes too?"
	}
	return ""
}

func firstBadUTF8(data []byte) (line int, ok bool) {
	if utf8.Valid(data) {
		return 0, true
	}
	line = 1
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			break
		}
		if r == '\n' {
			line++
		}
		data = data[size:]
	}
	return line, false
}
