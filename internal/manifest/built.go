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

// A Builder makes manifests of a folder that holds the source of another tool, such as kustomize or Helm.
type Builder interface {
	// Marks are the names of the files that such a folder has one of.
	Marks() []string
	// Build returns the objects in the order of the tool, each with the places of what it was made of. The error is an
	// [Errors] where places are known.
	Build(SourceFolder) ([]yamldoc.Document, error)
}

// A SourceFolder is a folder to build. Its functions read what is in the project of the folder, and nothing else.
type SourceFolder struct {
	Name string
	Mark string // the name of the file that it has of [Builder.Marks]
	FS   fs.FS  // which has it; nil: the operating system

	Read func(name string) ([]byte, error)
	Stat func(name string) (fs.FileInfo, error)
}

// A BuildError is why a folder could not be built: nothing of it is read.
type BuildError struct{ Err error } // may be nil

func (e *BuildError) Error() string { return fmt.Sprint("not built: ", e.Err) }

// Unwrap returns what the builder said.
func (e *BuildError) Unwrap() error { return e.Err }

// ErrOutside is about a file that a [Builder] may not read.
var ErrOutside = errors.New("it is outside of the project that is loaded")

// Builds reports whether a folder is the source of another tool, and is built instead of being read.
func (o Options) Builds(folder string) bool {
	l := NewLoader(o)
	_, _, is := l.builder(folder)
	return is
}

// builder is who builds a folder, and the file by which it is known.
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

// build reads a folder that is the source of another tool, and reports whether it is one. Documents of admsim's own in
// files that the tool did not read are read, too: no tool has a use for them.
func (l *Loader) build(folder string) bool {
	b, mark, is := l.builder(folder)
	if is {
		s := source{Loader: l, texts: map[string][]byte{}}
		s.build(b, SourceFolder{Name: folder, Mark: mark, Read: s.text, Stat: s.stat})
		s.forms(folder)
	}
	return is
}

// A source is a folder that is being built.
type source struct {
	*Loader
	texts map[string][]byte // of files that were read
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

// text reads a file once.
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

// forms reads the documents of admsim's own in the folder, from files that the tool did not read.
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
