package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/yamldoc"
)

// A Builder makes manifests from a folder that holds the source of another tool, such as kustomize or Helm.
type Builder interface {
	// Marks are file names: a folder with one of them can be built.
	Marks() []string
	// Build returns the objects in the order of the tool, each with the places of its sources. The error is an [Errors]
	// if places are known.
	Build(SourceFolder) ([]yamldoc.Document, error)
}

// A SourceFolder is a folder to build. Its functions only read files in the project of the folder.
type SourceFolder struct {
	Name string
	Mark string // the one of [Builder.Marks] that it contains
	FS   fs.FS  // contains the folder; nil: the operating system

	Read func(name string) ([]byte, error)
	Stat func(name string) (fs.FileInfo, error)
}

// A BuildError says why a folder could not be built. Nothing in it is read.
type BuildError struct{ Err error } // may be nil

func (e *BuildError) Error() string { return fmt.Sprint("not built: ", e.Err) }

// Unwrap returns the error of the builder.
func (e *BuildError) Unwrap() error { return e.Err }

// ErrOutside is the error for a file that a [Builder] may not read.
var ErrOutside = errors.New("it is outside of the project that is loaded")

// Builds reports whether a folder is the source of another tool, and is built instead of being read.
func (o Options) Builds(folder string) bool {
	l := NewLoader(o)
	_, _, is := l.builder(folder)
	return is
}

// builder returns the builder of a folder, and the name of the file that marks it.
func (l *Loader) builder(folder string) (b Builder, mark string, is bool) {
	for _, b := range l.Builders {
		for _, mark := range b.Marks() {
			if info, err := fs.Stat(l.FS, path.Join(folder, mark)); err == nil && !info.IsDir() {
				return b, mark, true
			}
		}
	}
	return nil, "", false
}

// build builds a folder that is the source of another tool, and reports whether it is one. Forms of admsim's own in
// files that the tool did not read are read as well: no tool has a use for them. Like a file, a folder is read once.
func (l *Loader) build(folder string) bool {
	b, mark, is := l.builder(folder)
	if is && !l.repeats(folder) {
		s := source{Loader: l, texts: map[string][]byte{}}
		s.build(b, SourceFolder{Name: folder, Mark: mark, Read: s.text, Stat: s.stat})
		s.forms(folder)
	}
	return is
}

// A source is a folder that is being built.
type source struct {
	*Loader
	texts map[string][]byte // by name: files that were read
}

func (s *source) build(b Builder, f SourceFolder) {
	_, onDisk := s.FS.(disk)
	if !onDisk {
		f.FS = s.FS
	} else if s.Root == "" {
		defer func(before string) { s.Within = before }(s.Within)
		s.Within = projectfiles.RootOf(path.Join(f.Name, f.Mark))
	}
	docs, err := b.Build(f)
	var errs Errors
	errs.Join(err)
	for _, e := range errs {
		if e.File == "" {
			e.File = path.Join(f.Name, f.Mark)
		}
		e.Err = &BuildError{e.Err}
	}
	s.Errs = append(s.Errs, errs...)
	for _, d := range docs {
		for _, m := range Manifests(d, &s.Errs) {
			m.Within, m.OnDisk = cmp.Or(s.Root, s.Within), onDisk
			s.Take(m)
		}
	}
}

func (s *source) stat(name string) (fs.FileInfo, error) {
	if !s.Confined(name) {
		return nil, &fs.PathError{Op: "stat", Path: name, Err: ErrOutside}
	}
	return fs.Stat(s.FS, name)
}

// text reads a file, once.
func (s *source) text(name string) ([]byte, error) {
	if text, read := s.texts[name]; read {
		return text, nil
	}
	if !s.Confined(name) {
		return nil, &fs.PathError{Op: "open", Path: name, Err: ErrOutside}
	}
	s.In = cmp.Or(s.Root, s.Within)
	defer func() { s.In = "" }()
	text, err := s.Bytes(name)
	if err != nil {
		return nil, err
	}
	s.Note(name)
	s.texts[name] = text
	return text, nil
}

// forms reads the forms of admsim's own in the folder, from files that the tool did not read.
func (s *source) forms(folder string) {
	take := s.Take
	defer func() { s.Take = take }()
	s.Take = func(m Manifest) {
		if m.Group == Group {
			take(m)
		}
	}
	s.files(folder, s.list(folder, func(name string) bool {
		if _, built := s.texts[path.Clean(name)]; built {
			return false
		}
		text, err := s.Bytes(name)
		return err == nil && bytes.Contains(text, []byte(Group+"/"))
	}))
}
