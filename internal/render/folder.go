package render

import (
	"encoding/json"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/yamldoc"
)

// A folder is a folder to build, with absolute paths.
type folder struct {
	manifest.SourceFolder
	path    string // with links followed
	origins map[string][]yamldoc.Document
}

// A checkout is a file system whose names correspond to those of a folder on disk, such as a commit.
type checkout interface {
	Path(name string) string
	Name(path string) string
}

func newFolder(f manifest.SourceFolder) *folder {
	return &folder{SourceFolder: f, path: absolute(f), origins: map[string][]yamldoc.Document{}}
}

// absolute returns the absolute path of a folder. Only the operating system has links that a path may lead through.
func absolute(f manifest.SourceFolder) string {
	name := f.Name
	of, isCheckout := f.FS.(checkout)
	switch {
	case isCheckout:
		name = of.Path(name)
	case f.FS != nil:
		return filepath.FromSlash(path.Join("/", name))
	}
	whole, err := filepath.Abs(name)
	if err != nil {
		return name
	}
	if f.FS == nil {
		if real, err := filepath.EvalSymlinks(whole); err == nil {
			return real
		}
	}
	return whole
}

// named returns the name of a path, relative to the name that the folder was given.
func (f *folder) named(whole string) string {
	from, err := filepath.Rel(f.path, whole)
	if err != nil {
		return whole
	}
	from = filepath.ToSlash(from)
	if of, ok := f.FS.(checkout); ok {
		return of.Name(path.Join(filepath.ToSlash(of.Path(f.Name)), from))
	}
	return path.Join(filepath.ToSlash(f.Name), from)
}

func (f *folder) read(whole string) ([]byte, error) { return f.Read(f.named(whole)) }

func (f *folder) stat(whole string) (fs.FileInfo, error) { return f.Stat(f.named(whole)) }

// mark returns the place of the file that marks the folder.
func (f *folder) mark() yamldoc.Source {
	return yamldoc.Source{File: f.named(filepath.Join(f.path, f.Mark))}
}

// A built object comes from a file. The tool may not say from which line of it.
type built struct {
	json []byte
	from yamldoc.Source // empty: the folder
}

// document returns a built object with the places of its source.
func (f *folder) document(one built) (yamldoc.Document, error) {
	d := yamldoc.Document{Source: one.from}
	if one.from.File == "" {
		d.Source = yamldoc.Source{File: f.Name}
	}
	var errs yamldoc.Errors
	for _, of := range yamldoc.Documents(d.Source.File, one.json, &errs) {
		d.Value = of.Value
	}
	if origin, ok := f.origin(one.from, d.Value); ok {
		d.Source, d.Places, d.Text = origin.Source, origin.Places.Aligned(origin.Value, d.Value), origin.Text
		if origin.Again != nil {
			d.Again = func() *yamldoc.Node { return origin.Again().Aligned(origin.Value, d.Value) }
		}
	}
	return d, errs.Err()
}

// origin returns the object in the source file that a built object comes from: the one with its kind and name, or else
// the one whose name the tool extended, or else the only one of its kind.
func (f *folder) origin(from yamldoc.Source, value any) (found yamldoc.Document, ok bool) {
	if from.File == "" || from.Line != 0 {
		return found, false
	}
	kind, name := identity(value)
	longest, ofKind := -1, 0
	var alone yamldoc.Document
	for _, d := range f.documents(from.File) {
		itsKind, itsName := identity(d.Value)
		if itsKind != kind {
			continue
		}
		if itsName == name {
			return d, true
		}
		if itsName != "" && strings.Contains(name, itsName) && len(itsName) > longest {
			longest, found = len(itsName), d
		}
		alone = d
		ofKind++
	}
	if longest >= 0 {
		return found, true
	}
	return alone, ofKind == 1
}

// identity returns the kind and name of an object.
func identity(value any) (kind, name string) {
	object, _ := value.(map[string]any)
	meta, _ := object["metadata"].(map[string]any)
	kind, _ = object["kind"].(string)
	name, _ = meta["name"].(string)
	return kind, name
}

// documents returns the objects of a file, including those in lists.
func (f *folder) documents(name string) []yamldoc.Document {
	if known, ok := f.origins[name]; ok {
		return known
	}
	var all []yamldoc.Document
	var errs yamldoc.Errors // reported by the tool, which has read the file, too
	text, _ := f.Read(name)
	for _, d := range yamldoc.Documents(name, text, &errs) {
		object, _ := d.Value.(map[string]any)
		items, isList := object["items"].([]any)
		if !isList {
			all = append(all, d)
			continue
		}
		for i, item := range items {
			one := yamldoc.Document{Value: item, Source: d.Source, Text: d.Text}
			if one.Places = d.Places.Item(i); one.Places != nil {
				one.Source = one.Places.Or(d.Source)
			}
			all = append(all, one)
		}
	}
	f.origins[name] = all
	return all
}

// encoded returns the JSON of a value that was decoded from JSON.
func encoded(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}
