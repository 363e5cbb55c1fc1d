package convert

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/scenario"
)

// input is a folder with tests.
type input struct {
	root  string   // the folder
	tests []string // files that may be tests, below it
	errs  scenario.Errors
}

func open(from string) (*conversion, error) {
	c := &conversion{files: map[string][]byte{}}
	info, err := os.Stat(from)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		// A test may name files above its folder. The folder that contains all of them is not known, so its own folder
		// is used.
		c.root, c.tests = filepath.Dir(from), []string{filepath.Base(from)}
		return c, nil
	}
	c.root = from
	err = fs.WalkDir(os.DirFS(from), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && strings.HasPrefix(d.Name(), "."):
			// kaptest keeps tests in hidden folders.
			if d.Name() != ".kaptest" {
				return fs.SkipDir
			}
		case !d.IsDir() && slices.Contains([]string{".yaml", ".yml", ".json"}, path.Ext(name)):
			c.tests = append(c.tests, name)
		}
		return nil
	})
	return c, err
}

// place returns the name of a file in messages.
func (in *input) place(name string) string { return filepath.ToSlash(filepath.Join(in.root, name)) }

func (in *input) fail(at scenario.Source, format string) {
	in.errs = append(in.errs, &scenario.Error{Source: at, Message: format})
}

func (in *input) read(name string) ([]byte, bool) {
	file := filepath.Join(in.root, filepath.FromSlash(name))
	if projectfiles.LeadsOut(in.root, file) {
		in.fail(scenario.Source{File: in.place(name)}, "it is a link that leads out of the folder")
		return nil, false
	}
	f, err := projectfiles.OpenIn(in.root, file)
	var data []byte
	if err == nil {
		data, err = io.ReadAll(f)
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		in.fail(scenario.Source{File: in.place(name)}, manifest.WhyUnread(err))
		return nil, false
	}
	return data, true
}

// mentions reports whether a file contains some words. A file without them is not one of the tests, whatever else may
// be wrong with it.
func (in *input) mentions(name, words string) bool {
	data, ok := in.read(name)
	return ok && bytes.Contains(data, []byte(words))
}

// documents reads the documents of a file, whatever their kind.
func (in *input) documents(name string) []document {
	data, ok := in.read(name)
	if !ok {
		return nil
	}
	found, err := scenario.Documents(in.place(name), data)
	if err != nil {
		var all scenario.Errors
		errors.As(err, &all)
		in.errs = append(in.errs, all...)
		return nil
	}
	var docs []document
	for _, m := range found {
		d := document{Manifest: m}
		if err := kjson.UnmarshalCaseSensitivePreserveInts(m.JSON, &d.value); err != nil {
			in.fail(m.Source, err.Error())
			continue
		}
		docs = append(docs, d)
	}
	return docs
}

// A document is a manifest with its decoded value.
type document struct {
	scenario.Manifest
	value any
}

func (d document) object() map[string]any {
	object, _ := d.value.(map[string]any)
	return object
}

// copied returns a copy of the object of a document.
func copied(d document) map[string]any { return clone(d.object()).(map[string]any) }

// sole returns the only document of a file. If the file that at names has none or several, that is reported.
func (c *conversion) sole(name string, at scenario.Source) (document, bool) {
	failed := len(c.errs)
	docs := c.documents(name)
	if len(c.errs) > failed {
		return document{}, false
	}
	if len(docs) != 1 {
		c.unsupported(at, "", "%d objects in %s instead of one", len(docs), c.place(name))
		return document{}, false
	}
	return docs[0], true
}

// beside returns the file that name, written in another file, refers to. If that is not below the folder that is
// converted, it reports that and returns an empty name.
func (c *conversion) beside(file, name string, at scenario.Source) string {
	full := path.Join(path.Dir(file), filepath.ToSlash(name))
	if path.IsAbs(name) || full == ".." || strings.HasPrefix(full, "../") {
		c.unsupported(at, "convert a folder that holds both", "%s is outside of %s", name, c.root)
		return ""
	}
	return full
}

// objects reads the objects in manifest files, including those in lists.
func (c *conversion) objects(names []string) (all []document) {
	for _, name := range names {
		for _, d := range c.documents(name) {
			items, isList := d.object()["items"].([]any)
			if !isList || !strings.HasSuffix(d.Kind, "List") {
				all = append(all, d)
				continue
			}
			for _, item := range items {
				all = append(all, documentOf(item, d.Source))
			}
		}
	}
	return all
}

// documentOf returns a document for an object that is part of another one.
func documentOf(object any, within scenario.Source) document {
	d := document{Manifest: scenario.Manifest{Source: within, GroupVersionKind: kindOf(object)}, value: object}
	d.Namespace, d.Name = text(object, "metadata", "namespace"), text(object, "metadata", "name")
	return d
}
