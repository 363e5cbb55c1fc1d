package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/yamldoc"
)

// files are the files of a kustomization, for kustomize to read. Nothing is written.
type files struct {
	filesys.FileSystem // nil: kustomize calls only the methods below
	*folder

	asked          bool               // the kustomization asks for the origins of objects itself
	checked        []string           // the folders of kustomizations
	kustomizations []yamldoc.Document // found in these folders
	broken         yamldoc.Errors     // errors in the files that were read
}

// CleanedAbs splits a path into folder and file.
func (f *files) CleanedAbs(path string) (filesys.ConfirmedDir, string, error) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(f.path, path)
	}
	path = filepath.Clean(path)
	info, err := f.stat(path)
	switch {
	case err != nil:
		return "", "", f.as(path, err)
	case info.IsDir():
		return filesys.ConfirmedDir(path), "", nil
	}
	return filesys.ConfirmedDir(filepath.Dir(path)), filepath.Base(path), nil
}

// as returns an error of the file system with the name that the user knows.
func (f *files) as(path string, err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return &fs.PathError{Op: "open", Path: f.named(path), Err: err}
}

func (f *files) IsDir(path string) bool {
	info, err := f.stat(path)
	return err == nil && info.IsDir()
}

func (f *files) Exists(path string) bool {
	_, err := f.stat(path)
	return err == nil
}

// ReadFile reads a file. It changes the kustomization that is built so that kustomize records the origins of objects.
func (f *files) ReadFile(path string) ([]byte, error) {
	text, err := f.read(path)
	if err != nil {
		return nil, f.as(path, err)
	}
	if !slices.Contains(konfig.RecognizedKustomizationFileNames(), filepath.Base(path)) {
		if ext := filepath.Ext(path); ext == ".yaml" || ext == ".yml" || ext == ".json" {
			yamldoc.Documents(f.named(path), text, &f.broken)
		}
		return text, nil
	}
	if f.asked || filepath.Dir(path) != f.path {
		return text, nil
	}
	return withOrigins(f.named(path), text), nil
}

// withOrigins returns the text of a kustomization with origins requested. A file that kustomize will not accept is left
// unchanged.
func withOrigins(name string, text []byte) []byte {
	var errs yamldoc.Errors
	docs := yamldoc.Documents(name, text, &errs)
	if len(docs) != 1 || errs != nil {
		return text
	}
	fields, ok := docs[0].Value.(map[string]any)
	if !ok {
		return text
	}
	asked, _ := fields["buildMetadata"].([]any)
	fields["buildMetadata"] = append(slices.Clone(asked), types.OriginAnnotations)
	with, err := json.Marshal(fields)
	if err != nil {
		return text
	}
	return with
}

// unread returns the error that a file cannot be read, with its place.
func (f *files) unread(path string, err error) error {
	return &yamldoc.Error{Source: yamldoc.Source{File: f.named(path)}, Message: manifest.WhyUnread(err), Err: err}
}

var (
	inQuotes = regexp.MustCompile(`['"]([^'"\n]+)['"]`)
	unknown  = regexp.MustCompile(`unknown field "([^"]+)"`)
)

// located returns an error of kustomize with the place that it is about, as far as its message tells. If a file is not
// YAML, it returns that error instead.
func (f *files) located(err error) error {
	if broken := f.broken.Err(); broken != nil {
		return broken
	}
	text := f.words(err)
	hint := ""
	if strings.Contains(text, "no matches for Id") || strings.Contains(text, "failed to find unique target") {
		hint = "the object that the patch names has to be among the resources, by the name and kind that it has there"
	}
	return &yamldoc.Error{Source: f.place(text), Message: "kustomize: " + text, Hint: hint, Err: err}
}

// words returns the text of an error of kustomize on one line, with the file names that the user knows.
func (f *files) words(err error) string {
	text := strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r == '\n' }), " ")
	folders := slices.Clone(f.checked)
	slices.SortFunc(folders, func(a, b string) int { return len(b) - len(a) })
	for _, folder := range folders {
		text = strings.ReplaceAll(text, folder, f.named(folder))
	}
	if m := asFolder.FindStringSubmatch(text); m != nil {
		text = m[1]
	}
	return strings.TrimSpace(text)
}

// asFolder matches kustomize's message about a file that is not a resource: it goes on to say that the file is not a
// folder either.
var asFolder = regexp.MustCompile(`accumulation err='(accumulating resources from '.*)': must build at directory: `)

// place returns the place in the kustomizations that a text mentions: the value that it quotes, or the field of its
// patches.
func (f *files) place(text string) yamldoc.Source {
	for _, d := range f.kustomizations {
		for _, m := range unknown.FindAllStringSubmatch(text, -1) {
			if at := fieldNamed(d.Places, m[1]); at.Line > 0 {
				return at.Or(d.Source)
			}
		}
	}
	var quoted []string
	for _, m := range inQuotes.FindAllStringSubmatch(text, -1) {
		quoted = append(quoted, m[1])
	}
	slices.Reverse(quoted) // kustomize names the innermost place last
	for _, q := range quoted {
		for _, d := range f.kustomizations {
			if path := pathOf(d.Value, "", q); path != "" {
				return d.Places.Find(path).Or(d.Source)
			}
		}
	}
	for _, d := range f.kustomizations {
		fields, _ := d.Value.(map[string]any)
		for _, key := range []string{"patches", "patchesStrategicMerge", "patchesJson6902"} {
			if fields[key] != nil && strings.Contains(text, "patch") {
				return d.Places.Find(key).Or(d.Source)
			}
		}
	}
	return f.mark()
}

// fieldNamed returns the place of a field of that name.
func fieldNamed(n *yamldoc.Node, name string) yamldoc.Position {
	if n == nil {
		return yamldoc.Position{}
	}
	if _, ok := n.Field(name); ok {
		return n.Find(name)
	}
	for _, one := range n.Fields {
		if at := fieldNamed(one.Value, name); at.Line > 0 {
			return at
		}
	}
	for _, item := range n.Items {
		if at := fieldNamed(item, name); at.Line > 0 {
			return at
		}
	}
	return yamldoc.Position{}
}

// pathOf returns the path of a text in a value, empty if it is not found.
func pathOf(value any, at, text string) string {
	switch value := value.(type) {
	case string:
		if value == text {
			return at
		}
	case []any:
		for i, item := range value {
			if path := pathOf(item, fmt.Sprintf("%s[%d]", at, i), text); path != "" {
				return path
			}
		}
	case map[string]any:
		for key, item := range value {
			if path := pathOf(item, strings.TrimPrefix(at+"."+key, "."), text); path != "" {
				return path
			}
		}
	}
	return ""
}
