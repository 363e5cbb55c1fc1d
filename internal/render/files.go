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

// files are what a kustomization is built of, for kustomize to read. Nothing is written.
type files struct {
	filesys.FileSystem // nil: kustomize calls only the methods below
	*folder

	asked          bool               // the kustomization asks for the origins of objects itself
	checked        []string           // the folders of kustomizations
	kustomizations []yamldoc.Document // that were found there
	broken         yamldoc.Errors     // what is wrong with the files that were read
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

// as is an error of the file system with the name that the user knows.
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

// ReadFile reads a file. The kustomization that is built also asks where its objects come from.
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

// withOrigins is the text of a kustomization with origins asked for. One that kustomize will not read is left as it is.
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

// unread is why a file cannot be read, at its place.
func (f *files) unread(path string, err error) error {
	return &yamldoc.Error{Source: yamldoc.Source{File: f.named(path)}, Message: manifest.WhyUnread(err), Err: err}
}

var (
	inQuotes = regexp.MustCompile(`['"]([^'"\n]+)['"]`)
	unknown  = regexp.MustCompile(`unknown field "([^"]+)"`)
)

// located is an error of kustomize at the place that it is about, as far as its words tell. If a file is no YAML, that
// is what is wrong.
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

// words is the text of an error of kustomize in one line, with the names of files that the user knows.
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

// asFolder is what kustomize says about a file that is no resource: it goes on to say that the file is no folder.
var asFolder = regexp.MustCompile(`accumulation err='(accumulating resources from '.*)': must build at directory: `)

// place is what a text mentions of the kustomizations: the value that it quotes, or the field of its patches.
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
	slices.Reverse(quoted) // kustomize says where it was first
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

// fieldNamed is where a field of that name is.
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

// pathOf is the path of a text in a value, empty if it is not there.
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
