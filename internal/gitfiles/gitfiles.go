// Package gitfiles reads the files of a commit as a file system, without a checkout: the world as it is on another
// branch.
//
// It runs git, with commands that only read: they run no filter, hook or other program that a repository may name.
package gitfiles

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Files are the files of one commit. They have the names that git uses: main:world/webhooks.yaml.
type Files struct {
	ctx      context.Context
	revision string
	top      string // of the checkout
	prefix   string // of the current folder in it
	entries  map[string]*entry
}

// An entry is a file or a folder of a commit.
type entry struct {
	name   string // without its folder
	mode   fs.FileMode
	size   int64
	hash   string // of a file
	below  []string
	target string // of a link
}

// ErrOutside is the error for a path that no commit can have.
var ErrOutside = errors.New("it is outside of the git repository")

// A RevisionError says why the files of a revision cannot be read.
type RevisionError struct {
	Revision string
	Message  string
	Hint     string
}

func (e *RevisionError) Error() string { return e.Message }

// Open finds the files of a commit in the repository of the current folder. The revision is anything that git accepts:
// a branch, a tag, a commit, HEAD~1.
func Open(ctx context.Context, revision string) (*Files, error) {
	f := &Files{ctx: ctx, revision: revision, entries: map[string]*entry{}}
	if _, err := exec.LookPath("git"); err != nil {
		return nil, f.fail("install it", "git is not on the PATH")
	}
	where, err := f.git("rev-parse", "--show-toplevel", "--show-prefix")
	if err != nil {
		return nil, f.fail("run admsim in a checkout of the repository", "the current folder is in no git repository that can be read; %s", saidBy(err))
	}
	f.top, f.prefix, _ = strings.Cut(strings.TrimSuffix(string(where), "\n"), "\n")
	commit, err := f.git("rev-parse", "--verify", "--quiet", "--end-of-options", revision+"^{commit}")
	if err != nil {
		if _, err := f.git("rev-parse", "--verify", "--quiet", "HEAD"); err != nil {
			return nil, f.fail("commit the manifests to compare with; or name both worlds, with --base and --head", "the git repository has no commit yet")
		}
		return nil, f.fail("git fetch may have to get it first; in CI, check out with the whole history (fetch-depth: 0)", "git does not know the revision %q", revision)
	}
	if err := f.list(strings.TrimSpace(string(commit))); err != nil {
		return nil, f.fail("", "git cannot list the files of %s; %s", revision, saidBy(err))
	}
	return f, nil
}

func (f *Files) fail(hint, format string, values ...any) error {
	return &RevisionError{Revision: f.revision, Message: fmt.Sprintf(format, values...), Hint: hint}
}

// Name returns the name of a path of the checkout in the commit.
func (f *Files) Name(path string) string { return f.revision + ":" + filepath.ToSlash(path) }

// Path returns the path in the checkout for a name in the commit.
func (f *Files) Path(name string) string {
	return filepath.FromSlash(strings.TrimPrefix(name, f.revision+":"))
}

// Has reports whether the commit has a file or folder of that name.
func (f *Files) Has(name string) bool {
	_, err := f.find("stat", name)
	return err == nil
}

// Open opens a file.
func (f *Files) Open(name string) (fs.File, error) {
	e, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if e.mode.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("is a directory")}
	}
	ctx, cancel := context.WithCancel(f.ctx)
	c := f.command(ctx, "cat-file", "blob", e.hash)
	out, err := c.StdoutPipe()
	if err == nil {
		err = c.Start()
	}
	if err != nil {
		cancel()
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return &file{Reader: out, info: info{e}, command: c, cancel: cancel}, nil
}

// Stat describes a file or a folder.
func (f *Files) Stat(name string) (fs.FileInfo, error) {
	e, err := f.find("stat", name)
	if err != nil {
		return nil, err
	}
	return info{e}, nil
}

// ReadDir lists a folder. A link is listed as the file or folder that it leads to in the commit; a link that leads out
// of the commit is left out.
func (f *Files) ReadDir(name string) ([]fs.DirEntry, error) {
	folder, err := f.find("readdir", name)
	if err != nil {
		return nil, err
	}
	var found []fs.DirEntry
	for _, one := range folder.below {
		e := f.entries[one]
		if to, err := f.follow(one); err == nil {
			named := *to
			named.name = e.name
			found = append(found, fs.FileInfoToDirEntry(info{&named}))
		}
	}
	return found, nil
}

// find returns the entry with a name, as the caller gives it.
func (f *Files) find(op, name string) (*entry, error) {
	given := f.Path(name)
	at := path.Join(f.prefix, filepath.ToSlash(given))
	if filepath.IsAbs(given) {
		rel, err := filepath.Rel(f.top, given)
		if err != nil {
			return nil, &fs.PathError{Op: op, Path: name, Err: err}
		}
		at = filepath.ToSlash(rel)
	}
	if at == ".." || strings.HasPrefix(at, "../") {
		return nil, &fs.PathError{Op: op, Path: name, Err: ErrOutside}
	}
	e, err := f.follow(path.Clean(at))
	if err != nil {
		return nil, &fs.PathError{Op: op, Path: name, Err: err}
	}
	return e, nil
}

// mostLinks is how many links a path may lead through, as in the kernel.
const mostLinks = 40

// follow returns the file or folder at a path of the commit, with links followed.
func (f *Files) follow(at string) (*entry, error) {
	for range mostLinks {
		e, ok := f.entries[at]
		if !ok {
			return nil, fs.ErrNotExist
		}
		if e.mode&fs.ModeSymlink == 0 {
			return e, nil
		}
		if e.target == "" {
			target, err := f.git("cat-file", "blob", e.hash)
			if err != nil {
				return nil, err
			}
			e.target = string(target)
		}
		if path.IsAbs(e.target) {
			return nil, errors.New("it is a link that leads out of the git repository")
		}
		at = path.Join(path.Dir(at), e.target)
	}
	return nil, errors.New("too many links")
}

// list reads the list of files in a commit.
func (f *Files) list(commit string) error {
	out, err := f.git("ls-tree", "-r", "-t", "-l", "-z", "--full-tree", commit)
	if err != nil {
		return err
	}
	f.entries["."] = &entry{name: ".", mode: fs.ModeDir | 0o755}
	for line := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		about, name, ok := strings.Cut(line, "\t")
		fields := strings.Fields(about) // mode, type, hash, size
		if !ok || len(fields) != 4 {
			continue
		}
		e := &entry{name: path.Base(name), mode: 0o644, hash: fields[2]}
		switch {
		case fields[1] == "tree":
			e.mode = fs.ModeDir | 0o755
		case fields[1] != "blob":
			continue // a submodule
		case fields[0] == "120000":
			e.mode = fs.ModeSymlink | 0o777
		}
		e.size, _ = strconv.ParseInt(fields[3], 10, 64) // a dash for folders
		f.entries[name] = e
		if folder := f.entries[path.Dir(name)]; folder != nil {
			folder.below = append(folder.below, name)
		}
	}
	for _, e := range f.entries {
		slices.Sort(e.below)
	}
	return nil
}

func (f *Files) git(args ...string) ([]byte, error) {
	return f.command(f.ctx, args...).Output()
}

func (f *Files) command(ctx context.Context, args ...string) *exec.Cmd {
	c := exec.CommandContext(ctx, "git", args...)
	c.WaitDelay = time.Second
	return c
}

// saidBy returns the first line of git's error message.
func saidBy(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return err.Error()
	}
	line, _, _ := bytes.Cut(bytes.TrimSpace(exit.Stderr), []byte("\n"))
	return "git says: " + string(line)
}

// A file is a file whose contents git prints.
type file struct {
	io.Reader
	info
	command *exec.Cmd
	cancel  context.CancelFunc
}

func (f *file) Stat() (fs.FileInfo, error) { return f.info, nil }

// Close ends git, whose output may not have been read to the end.
func (f *file) Close() error {
	f.cancel()
	_ = f.command.Wait() // it was killed, or has printed everything
	return nil
}

type info struct{ e *entry }

func (i info) Name() string       { return i.e.name }
func (i info) Size() int64        { return i.e.size }
func (i info) Mode() fs.FileMode  { return i.e.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.e.mode.IsDir() }
func (i info) Sys() any           { return nil }
