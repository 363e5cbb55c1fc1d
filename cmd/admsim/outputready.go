package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/admsim/admsim/internal/scenario"
)

// reading returns the options for reading manifests. They record the files that are read, for ready.
func (f *outputFlags) reading(stdin io.Reader, w *worldFlags) scenario.Options {
	if f.read == nil {
		f.read = &readFiles{}
	}
	return w.reading(stdin, f.read.add)
}

// readFiles are the names of files that were read. Cases of suites add theirs concurrently.
type readFiles struct {
	mu    sync.Mutex
	known map[string]bool
}

func (r *readFiles) add(name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[name] = true
}

func (r *readFiles) names() []string {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.known))
}

// ready makes sure that all outputs can be written before the work is done. further are files that are read in addition
// to the manifests.
func (f *outputFlags) ready(further ...string) error {
	outputs, err := f.parse(io.Discard)
	if err != nil {
		return err
	}
	for _, path := range f.besides {
		outputs = append(outputs, output{path: path})
	}
	return ready(outputs, append(further, f.read.names()...))
}

// ready creates the folders of the output files. It refuses a file that cannot be written, one that two outputs go to,
// and one that was read, since its contents would be lost.
func ready(outputs []output, read []string) error {
	taken := map[string]bool{}
	for _, one := range outputs {
		if one.path == "" || one.path == "-" {
			continue
		}
		info, err := os.Stat(one.path)
		switch {
		case err == nil && info.IsDir():
			return hinted(fmt.Errorf("writing the result: %s is a folder", one.path), "name a file in it")
		case err == nil && !info.Mode().IsRegular():
			continue // a device or a pipe takes everything
		}
		whole, err := wholeName(one.path)
		if err != nil {
			return err
		}
		if taken[whole] {
			return hinted(fmt.Errorf("two outputs for %s", one.path), "write each to a file of its own")
		}
		taken[whole] = true
		if err := checkNotRead(one.path, info, read); err != nil {
			return err
		}
		if err := checkWritable(one.path); err != nil {
			return fmt.Errorf("writing the result: %w", err)
		}
	}
	return nil
}

// wholeName returns the same name for all names of a file, as far as links show.
func wholeName(name string) (string, error) {
	whole, err := filepath.Abs(name)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(whole); err == nil {
		return real, nil
	}
	if folder, err := filepath.EvalSymlinks(filepath.Dir(whole)); err == nil {
		return filepath.Join(folder, filepath.Base(whole)), nil
	}
	return whole, nil
}

// checkNotRead refuses to write to a file that is also read; to is nil if the file does not exist yet.
func checkNotRead(name string, to fs.FileInfo, read []string) error {
	if to == nil {
		return nil
	}
	for _, one := range read {
		if from, err := os.Stat(one); err == nil && os.SameFile(from, to) {
			return hinted(fmt.Errorf("%s is an input, and would be overwritten", name), "write to another file, outside of the folders that are read")
		}
	}
	return nil
}

// checkWritable opens a file as if to write to it. It changes nothing except that it creates missing folders.
func checkWritable(name string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err == nil {
		return f.Close()
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	probe, err := os.CreateTemp(filepath.Dir(name), ".admsim-*")
	var at *fs.PathError
	if errors.As(err, &at) {
		at.Path = name // the user did not name the temporary file
	}
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}
