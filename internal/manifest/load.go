package manifest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/yamldoc"
)

// Stdin is the name of standard input in places.
const Stdin = "<stdin>"

// Options say how to read. The zero value reads the files of the operating system.
type Options struct {
	FS      fs.FS     // instead of the operating system's files
	Stdin   io.Reader // read for the path -; nil: - is an error
	MaxFile int64     // largest size of a file in bytes; 0: [yamldoc.MaxFileSize]

	Opened func(name string) // called for each file that is read; may be nil

	// Exclude are files left out of folders. A file or folder that is named explicitly is read all the same.
	Exclude projectfiles.Exclusions

	// Again reads a file once for each path that leads to it, as kubectl does, instead of once.
	Again bool

	// PassedOver is called for each folder and file that is not read because it belongs to suites beside it; may be
	// nil.
	PassedOver func(name string)
	// PassedOverLink is called for each link to a folder, which is not followed. It may be nil.
	PassedOverLink func(name string)

	// Empty is called for each file without a document that was named itself, and for such a standard input; may be nil.
	Empty func(name string)

	// Changed is called for each key that YAML reads as another text than it is written; may be nil.
	Changed func(warning *Error)

	// Unbuilt is called for each folder below a named one that one of [Options.Builders] could build: its files are
	// read as they are, patches and templates included. It may be nil.
	Unbuilt func(folder string)

	// Builders build named folders that hold the source of another tool. Without a matching builder, the files of a
	// folder are read as they are.
	Builders []Builder

	// Root is the folder that must contain the files named in forms. Empty: the folder that was loaded.
	Root string
}

// Load reads manifests from files, folders and, for the path -, from standard input. In a folder it reads *.yaml, *.yml
// and *.json at any depth in the order of their names, leaving out hidden files, files of kustomize that are not
// manifests, and files of suites: see [Options.PassedOver]. A folder that one of [Options.Builders] knows is built
// instead. The error is an [Errors] with all errors; what could be read is returned as well.
func Load(paths []string, o Options) ([]Manifest, error) {
	l := NewLoader(o)
	for _, p := range paths {
		l.Path(p)
	}
	return l.Found, l.Errs.Err()
}

// Parse reads manifests from the text of one file; name is the file name in their places.
func Parse(name string, data []byte) ([]Manifest, error) {
	l := NewLoader(Options{})
	l.Within = "."
	l.read(name, bytes.NewReader(data))
	return l.Found, l.Errs.Err()
}

type Loader struct {
	Options
	Take      func(Manifest) // called for each manifest
	Found     []Manifest     // filled by the default Take
	Errs      Errors
	seen      map[string]bool
	named     string // the file that is read because the caller named it
	Within    string // the folder that files named in forms must be in
	In        string // the folder that opened files must be in; empty: the caller named the file
	stdinRead bool
}

func NewLoader(o Options) *Loader {
	l := &Loader{Options: o}
	l.Take = func(m Manifest) { l.Found = append(l.Found, m) }
	if l.FS == nil {
		l.FS = disk{}
	}
	if l.MaxFile == 0 {
		l.MaxFile = yamldoc.MaxFileSize
	}
	return l
}

func (l *Loader) Path(p string) {
	if p == "-" {
		l.stdin()
		return
	}
	l.named = ""
	info, err := fs.Stat(l.FS, p)
	switch {
	case err != nil:
		l.Fail(p, err)
	case info.IsDir():
		l.Within = p
		if !l.build(p) {
			l.folder(p)
		}
	default:
		l.Within, l.named = path.Dir(p), p
		l.File(p)
	}
}

func (l *Loader) stdin() {
	switch {
	case l.Stdin == nil:
		l.Errs.Add(Source{File: Stdin}, "", "there is no standard input to read")
	case l.stdinRead:
		l.Errs.Add(Source{File: Stdin}, "name - once", "standard input can be read only once")
	default:
		l.stdinRead = true
		l.Within, l.named = ".", Stdin
		l.read(Stdin, l.Stdin)
	}
}

// File reads a file. A file that several paths lead to is read once, unless [Options.Again] is set.
func (l *Loader) File(p string) {
	if l.repeats(p) {
		return
	}
	l.Note(p)
	f, err := l.open(p)
	if err != nil {
		l.Fail(p, err)
		return
	}
	defer f.Close()
	l.read(p, f)
}

// repeats reports whether a file or a folder that is built was read before, and is not read again.
func (l *Loader) repeats(name string) bool {
	name = path.Clean(name)
	before := l.seen[name]
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[name] = true
	return before && !l.Again
}

func (l *Loader) open(name string) (fs.File, error) {
	if _, onDisk := l.FS.(disk); onDisk && l.In != "" {
		return projectfiles.OpenIn(l.In, name)
	}
	return l.FS.Open(name)
}

// Bytes returns the contents of a file, unless it is too long.
func (l *Loader) Bytes(name string) ([]byte, error) {
	f, err := l.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, l.MaxFile+1))
	if err == nil && int64(len(data)) > l.MaxFile {
		err = fmt.Errorf("larger than %s", yamldoc.SizeText(l.MaxFile))
	}
	return data, err
}

func (l *Loader) Note(name string) {
	if l.Opened != nil {
		l.Opened(name)
	}
}

// folder reads a folder. As in kubectl, a link to a file is read and a link to a folder is not followed; it is
// reported.
func (l *Loader) folder(p string) {
	before := len(l.Errs)
	files := l.list(p, func(string) bool { return true })
	if len(files) == 0 && len(l.Errs) == before {
		hint := ""
		if len(l.Exclude) > 0 {
			hint = "maybe all of them are excluded"
		}
		l.Errs.Add(Source{File: p}, hint, "no *.yaml, *.yml or *.json file in this folder")
	}
	l.files(p, files)
}

// list returns the manifest files in a folder for which wanted returns true.
func (l *Loader) list(p string, wanted func(name string) bool) (files []string) {
	err := fs.WalkDir(l.FS, p, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			l.Fail(name, err)
			return nil
		case name != p && strings.HasPrefix(path.Base(name), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case name != p && l.Exclude.Match(name):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() && name != p && l.ofSuites(name):
			l.passOver(name)
			return fs.SkipDir
		case d.IsDir() && name != p:
			l.noteUnbuilt(name)
		case l.leadsToFolder(name, d):
			l.passOverLink(name)
		case !d.IsDir() && isManifest(name) && !ofKustomize(name) && l.isFile(name, d) && wanted(name):
			files = append(files, name)
		}
		return nil
	})
	if err != nil {
		l.Fail(p, err)
	}
	return files
}

// files reads files of a folder.
func (l *Loader) files(p string, files []string) {
	l.In = cmp.Or(l.Root, l.Within)
	defer func() { l.In = "" }()
	theirs := l.ofCases(files)
	for _, name := range files {
		if theirs[name] && !l.seen[path.Clean(name)] {
			l.passOver(name)
			continue
		}
		l.File(name)
	}
}

func (l *Loader) passOver(name string) {
	if l.PassedOver != nil {
		l.PassedOver(name)
	}
}

func (l *Loader) noteUnbuilt(folder string) {
	if l.Unbuilt == nil {
		return
	}
	if _, _, is := l.builder(folder); is {
		l.Unbuilt(folder)
	}
}

// ofSuites reports whether a folder holds what suites in the files beside it send and expect. These are objects too,
// but not objects of the cluster: admsim init uses these names for the folders, and go test ignores testdata.
func (l *Loader) ofSuites(folder string) bool {
	if !slices.Contains([]string{"testdata", "golden"}, path.Base(folder)) {
		return false
	}
	beside, err := fs.ReadDir(l.FS, path.Dir(folder))
	return err == nil && slices.ContainsFunc(beside, func(d fs.DirEntry) bool { return !d.IsDir() && IsSuiteFile(d.Name()) })
}

// leadsToFolder reports whether a name in a folder is a link to a folder.
func (l *Loader) leadsToFolder(name string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return false
	}
	info, err := fs.Stat(l.FS, name)
	return err == nil && info.IsDir()
}

func (l *Loader) passOverLink(name string) {
	if l.PassedOverLink != nil {
		l.PassedOverLink(name)
	}
}

func (l *Loader) isFile(name string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return d.Type().IsRegular()
	}
	if _, err := fs.Stat(l.FS, name); err == nil && l.leadsOut(name) {
		l.Errs.Add(Source{File: name}, OutsideHint, Outside, name)
		return false
	}
	info, err := fs.Stat(l.FS, name)
	if err != nil {
		l.Fail(name, err)
		return false
	}
	return info.Mode().IsRegular()
}

func isManifest(name string) bool {
	return slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(path.Ext(name)))
}

// ofKustomize reports whether a file belongs to kustomize and is not a manifest.
func ofKustomize(name string) bool {
	base := strings.TrimSuffix(path.Base(name), path.Ext(name))
	return base == "kustomization" || base == "kustomizeconfig"
}

func (l *Loader) read(name string, r io.Reader) {
	data, err := io.ReadAll(io.LimitReader(r, l.MaxFile+1))
	if err != nil {
		l.Fail(name, err)
		return
	}
	if int64(len(data)) > l.MaxFile {
		l.Errs.Add(Source{File: name}, "split it into several files", "larger than %s", yamldoc.SizeText(l.MaxFile))
		return
	}
	before, empty := len(l.Errs), true
	for d := range yamldoc.EachDocument(name, data, &l.Errs) {
		empty = false
		if l.Changed != nil {
			for _, warning := range d.Changed {
				l.Changed(warning)
			}
		}
		var found []Manifest
		l.Errs.Guard(d.Source, func() { found = Manifests(d, &l.Errs) })
		for _, m := range found {
			m.Within = cmp.Or(l.Root, l.Within)
			_, m.OnDisk = l.FS.(disk)
			l.Take(m)
		}
	}
	if empty && len(l.Errs) == before && name == l.named && l.Empty != nil {
		l.Empty(name)
	}
}

// Fail reports an error of the file system without the path that it repeats.
func (l *Loader) Fail(name string, err error) {
	l.Errs = append(l.Errs, &Error{Source: Source{File: name}, Message: WhyUnread(err), Err: err})
}

// WhyUnread says why a file could not be read, without its name.
func WhyUnread(err error) string {
	var at *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.As(err, &at):
		return at.Err.Error()
	}
	return err.Error()
}

// disk is the file system of the operating system, with the names that the user gives, including absolute ones and
// those with .. in them.
type disk struct{}

func (disk) Open(name string) (fs.File, error) { return os.Open(name) }

func (disk) Stat(name string) (fs.FileInfo, error) { return os.Stat(name) }

func (disk) ReadDir(name string) ([]fs.DirEntry, error) { return os.ReadDir(name) }

func (l *Loader) Documents(name string) ([]yamldoc.Document, bool) {
	l.Note(name)
	data, err := l.Bytes(name)
	if err != nil {
		l.Fail(name, err)
		return nil, false
	}
	found := len(l.Errs)
	docs := yamldoc.Documents(name, data, &l.Errs)
	return docs, len(l.Errs) == found
}
