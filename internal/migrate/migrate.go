// Package migrate rewrites files of older versions of admsim's formats in the current version. Everything else in a
// file is left unchanged, byte for byte: comments, the order of keys, quotes, and other documents.
//
// Start with [File].
package migrate

import (
	"bytes"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/admsim/admsim/internal/apiversion"
	"github.com/admsim/admsim/internal/yamldoc"
)

// IsCandidate reports whether a file in a folder could contain something to migrate, judging by its name.
func IsCandidate(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json", ".txtar"}, filepath.Ext(name))
}

// File returns the contents of a file in the current version, and how many documents had an older one, including
// documents inside of others. name is used in errors, and to recognize a txtar archive.
func File(name string, data []byte) (migrated []byte, documents int, err error) {
	if !mentionsOlder(data) {
		return data, 0, nil // may be anything, such as a Helm template
	}
	if filepath.Ext(name) != ".txtar" {
		return text(name, data)
	}
	archive := txtar.Parse(data)
	if string(txtar.Format(archive)) != string(data) {
		return nil, 0, fmt.Errorf("%s: a line is missing at the end of a file in the archive", name)
	}
	for i, one := range archive.Files {
		if !IsCandidate(one.Name) || !mentionsOlder(one.Data) {
			continue
		}
		changed, n, err := text(name+"/"+one.Name, one.Data)
		if err != nil {
			return nil, 0, err
		}
		archive.Files[i].Data = changed
		documents += n
	}
	return txtar.Format(archive), documents, nil
}

// older returns the versions that are migrated.
func older() []string { return apiversion.Read()[1:] }

func mentionsOlder(data []byte) bool {
	return slices.ContainsFunc(older(), func(version string) bool { return bytes.Contains(data, []byte(version)) })
}

// text migrates YAML and JSON.
func text(name string, data []byte) (migrated []byte, documents int, err error) {
	var errs yamldoc.Errors
	var found []value
	for d := range yamldoc.EachDocument(name, data, &errs) {
		places := d.Places
		if places == nil && d.Again != nil {
			places = d.Again()
		}
		found = versions(places, d.Value, found)
	}
	if err := errs.Err(); err != nil {
		return nil, 0, err
	}
	lines := bytes.SplitAfter(data, []byte("\n"))
	// Replace from the end, so that a replacement does not move others on the same line.
	slices.SortFunc(found, func(a, b value) int { return -compare(a.at, b.at) })
	found = slices.Compact(found) // an alias has the place of its anchor
	for _, v := range found {
		if err := v.replace(name, lines); err != nil {
			return nil, 0, err
		}
	}
	return bytes.Join(lines, nil), len(found), nil
}

func compare(a, b yamldoc.Source) int {
	if a.Line != b.Line {
		return a.Line - b.Line
	}
	return a.Column - b.Column
}

// A value is an older version in a file.
type value struct {
	at      yamldoc.Source
	version string
}

// versions adds the older versions in a part of a document.
func versions(n *yamldoc.Node, v any, found []value) []value {
	switch v := v.(type) {
	case map[string]any:
		if n == nil {
			return found
		}
		for _, f := range n.Fields {
			if version, ok := v[f.Name].(string); ok && f.Name == "apiVersion" && slices.Contains(older(), version) && f.Value != nil {
				found = append(found, value{f.Value.Or(yamldoc.Source{}), version})
			} else {
				found = versions(f.Value, v[f.Name], found)
			}
		}
	case []any:
		for i := range v {
			if n != nil && i < len(n.Items) {
				found = versions(n.Items[i], v[i], found)
			}
		}
	}
	return found
}

// before matches what may precede the text of a scalar: an anchor, a tag, a quote.
var before = regexp.MustCompile(`^(?:[&!]\S*[ \t]+)*["']?`)

// replace writes the current version at v. Columns count characters.
func (v value) replace(name string, lines [][]byte) error {
	if v.at.Line >= 1 && v.at.Line <= len(lines) {
		line := lines[v.at.Line-1]
		at := len(line) - len(bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))) // a byte order mark has no column
		for range v.at.Column - 1 {
			_, size := utf8.DecodeRune(line[at:])
			at += size
		}
		at += len(before.Find(line[at:]))
		if rest, ok := bytes.CutPrefix(line[at:], []byte(v.version)); ok {
			lines[v.at.Line-1] = slices.Concat(line[:at], []byte(apiversion.Written), rest)
			return nil
		}
	}
	return fmt.Errorf("%s:%d: %s is written in a way that is not understood; write %s there", name, v.at.Line, v.version, apiversion.Written)
}
