// Package wholefile writes files so that no partial file is ever visible: the content goes to a temporary file next to
// the old one, and replaces it once all of it is on the disk. If the disk is full or the program is killed, the old
// file stays.
//
// [Write] writes a file at once, [Create] starts one that is written piece by piece, and [WriteIn] writes below a
// folder, which no link may lead out of. Devices, pipes and files in folders that are not writable are written
// directly.
//
// The package is not for files that grow, such as logs: these are appended to, and synced.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A File replaces the old file when it is complete.
type File struct {
	*os.File
	place string // empty: written in place
	root  *os.Root
}

// ErrUnfinished discards a file that was not completed, for a reason that is reported elsewhere.
var ErrUnfinished = errors.New("not all was written")

// Create starts a file. It gets the permissions that mode, the umask and the file that it replaces all allow. A link
// stays a link, and its target is replaced.
func Create(name string, mode fs.FileMode) (*File, error) {
	inPlace := func() (*File, error) {
		f, err := os.OpenFile(name, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
		if err != nil {
			return nil, err
		}
		return &File{File: f}, nil
	}
	if info, err := os.Stat(name); err == nil && !info.Mode().IsRegular() {
		return inPlace()
	}
	place, err := filepath.EvalSymlinks(name)
	if err != nil {
		if _, err := os.Lstat(name); err == nil {
			return inPlace() // a link whose target has no name, as /dev/stdout has if the output is a deleted file
		}
		place = name
	}
	root, err := os.OpenRoot(filepath.Dir(place))
	if err != nil {
		return nil, named(err, name)
	}
	f, err := createIn(root, filepath.Base(place), mode)
	if err == nil {
		return f, nil
	}
	err = errors.Join(named(err, name), root.Close())
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return inPlace() // or return the error that names the file
	}
	return nil, err // there is no room for the file itself either
}

// named returns err with the file name that the caller used.
func named(err error, name string) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return &fs.PathError{Op: at.Op, Path: name, Err: at.Err}
	}
	return err
}

// createIn creates a file next to place, with an unused name.
func createIn(root *os.Root, place string, mode fs.FileMode) (*File, error) {
	for n := 0; ; n++ {
		name := filepath.Join(filepath.Dir(place), fmt.Sprintf(".admsim-%d-%d", os.Getpid(), n))
		f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if old, err := root.Stat(place); err == nil {
			if err := f.Chmod(old.Mode().Perm() & mode); err != nil {
				return nil, errors.Join(err, f.Close(), root.Remove(name))
			}
		}
		return &File{f, place, root}, nil
	}
}

// End moves the file into place, or discards it if err reports that writing failed.
func (f *File) End(err error) error {
	if f.root == nil {
		return errors.Join(err, f.Close())
	}
	if err == nil {
		err = f.Sync()
	}
	name := filepath.Join(filepath.Dir(f.place), filepath.Base(f.Name()))
	err = errors.Join(err, f.Close())
	if err == nil {
		err = f.root.Rename(name, f.place)
	}
	if err != nil {
		_ = f.root.Remove(name)
	}
	return errors.Join(err, f.root.Close())
}

// Write writes a file at once, and creates its folders.
func Write(name string, data []byte, mode fs.FileMode) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := Create(name, mode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return named(f.End(err), name)
}

// WriteIn is [Write] for a name below a folder. It fails if a link leads out of the folder.
func WriteIn(folder, name string, data []byte, mode fs.FileMode) error {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	whole := filepath.Join(folder, name)
	f, err := beginIn(root, name, mode)
	if err != nil {
		return errors.Join(named(err, whole), root.Close())
	}
	_, err = f.Write(data)
	return named(f.End(err), whole)
}

// LeadsOut reports whether err means that a link or a name leads out of the folder of [WriteIn].
func LeadsOut(err error) bool {
	var at *fs.PathError
	return errors.As(err, &at) && strings.HasSuffix(at.Err.Error(), "escapes from parent")
}

func beginIn(root *os.Root, name string, mode fs.FileMode) (*File, error) {
	if err := root.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return nil, err
	}
	for range 40 { // the maximum number of links to follow
		info, err := root.Lstat(name)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			break
		}
		if _, err := root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err // the link leads out of the folder
		}
		to, err := root.Readlink(name)
		if err != nil {
			return nil, err
		}
		if filepath.IsAbs(to) {
			return nil, &fs.PathError{Op: "write", Path: name, Err: errors.New("path escapes from parent")} // same text as in os.Root
		}
		name = filepath.Join(filepath.Dir(name), to)
	}
	return createIn(root, name, mode)
}
