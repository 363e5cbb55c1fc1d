// Package scaffold makes a first suite: with a case for each webhook and policy among manifests
// ([Builder.FromManifests]), or with a case for a recorded denial ([Builder.FromRecording]).
//
// It writes no files: [Builder.Files] returns what has to be written. The caller has to check that the suite passes.
package scaffold

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/convert"
	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/worlds"
)

// Options describe the suite. Load, Warn and Note are required.
type Options struct {
	Name     string
	Release  string // written into the suite; empty: none
	Output   string // the folder that the suite will be in
	Defaults scenario.Defaults
	Redactor *redact.Redactor // nil: nothing is redacted

	Reading scenario.Options // how manifests are read

	// Load makes the world of the manifests in paths, in which webhooks without a backend allow everything. It is
	// called several times for the same paths; quiet is set if its warnings would be repeated.
	Load func(ctx context.Context, paths []string, quiet bool) (*worlds.Loaded, error)

	Warn func(...*scenario.Error) // reports what the author may want to know
	Note func(text string)        // reports what was chosen
}

// A Builder makes one suite.
type Builder struct {
	Options
	paths []string          // the user's manifests
	files map[string][]byte // to be written, by name in the folder
	draft convert.Draft

	// denial is the backend that answers as recorded; nil: no webhook denied it.
	denial any
}

// New returns a builder of a suite for the manifests in paths, which [Beside] has returned.
func New(paths []string, o Options) *Builder {
	return &Builder{Options: o, paths: paths, files: map[string][]byte{}, draft: convert.Draft{Name: o.Name, Release: o.Release}}
}

// Files returns the files of the suite by name in its folder, and the names of the golden files, which its first run
// writes.
func (b *Builder) Files() (files map[string][]byte, golden []string, err error) {
	for _, path := range b.paths {
		relative, err := RelativeTo(b.Output, path)
		if err != nil {
			return nil, nil, err
		}
		b.draft.Load = append(b.draft.Load, relative)
	}
	b.addMade()
	b.files["admsim.yaml"] = b.draft.YAML()
	for _, c := range b.draft.Cases {
		if c.Golden != "" {
			golden = append(golden, c.Golden)
		}
	}
	return b.files, golden, nil
}

// Loads returns the names of what the suite loads, relative to its folder. It is set by [Builder.Files].
func (b *Builder) Loads() []string { return b.draft.Load }

// addMade makes the suite load what was created for its world, from a folder that has nothing else.
func (b *Builder) addMade() {
	folder := "world"
	if slices.ContainsFunc(b.draft.Load, func(name string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }) {
		folder = "made"
	}
	for _, name := range slices.Collect(maps.Keys(b.files)) {
		rest, is := strings.CutPrefix(name, "world/")
		if !is {
			continue
		}
		data := b.files[name]
		delete(b.files, name)
		b.files[folder+"/"+rest] = data
		if len(b.draft.Load) == 0 || b.draft.Load[0] != folder {
			b.draft.Load = append([]string{folder}, b.draft.Load...)
		}
	}
}

// RelativeTo returns the path of a file relative to a folder.
func RelativeTo(folder, path string) (string, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(whole, to)
	return filepath.ToSlash(relative), err
}

// load returns the world of the suite as far as it is built.
func (b *Builder) load(ctx context.Context, quiet bool) (*worlds.Loaded, error) {
	folder, err := os.MkdirTemp("", "admsim-init-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	paths := b.paths
	for name, data := range b.files {
		if !strings.HasPrefix(name, "world/") {
			continue
		}
		full := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(full, data, 0o600); err != nil {
			return nil, err
		}
		paths = append([]string{filepath.Join(folder, "world")}, b.paths...)
	}
	return b.Load(ctx, paths, quiet)
}

// end closes a world, and warns about failures of programs.
func (b *Builder) end(w *worlds.Loaded) {
	failures := w.Backends.Failures()
	w.Backends.Close()
	for _, err := range failures {
		b.Warn(&scenario.Error{Message: err.Error()})
	}
}

// manifest returns an object as the text of a file.
func manifest(object any) ([]byte, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return scenario.YAML(data)
}
