// Package scaffold makes a suite to start from: a case for each webhook and policy among manifests
// ([Builder.FromManifests]), or one of a denial that was recorded ([Builder.FromRecording]).
//
// It writes no file: [Builder.Files] returns what is to be written. That the suite passes is for
// its caller to see.
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

// Options say what a suite is made of. Load, Warn and Note are required.
type Options struct {
	Name     string
	Release  string // that is written into the suite; empty: none
	Output   string // the folder that the suite will be in
	Defaults scenario.Defaults
	Redactor *redact.Redactor // nil: nothing is taken out

	Reading scenario.Options // how manifests are read

	// Load makes the world of the manifests in paths, in which webhooks without a backend allow
	// everything. The same is loaded more than once; quiet is set where warnings would come twice.
	Load func(ctx context.Context, paths []string, quiet bool) (*worlds.Loaded, error)

	Warn func(...*scenario.Error) // of what the author may want to know
	Note func(text string)        // of what was chosen
}

// A Builder makes one suite.
type Builder struct {
	Options
	paths []string          // manifests of the user
	files map[string][]byte // to be written, by their names in the folder
	draft convert.Draft

	// denial is the backend that says what was recorded; nil: no webhook denied it.
	denial any
}

// New returns the builder of a suite for the manifests in paths, which are as [Beside] returns them.
func New(paths []string, o Options) *Builder {
	return &Builder{Options: o, paths: paths, files: map[string][]byte{}, draft: convert.Draft{Name: o.Name, Release: o.Release}}
}

// Files are those of the suite, by their names in its folder, and golden the names of those that its
// first run writes.
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

// Loads are the names of what the suite loads, in its folder, once it has [Builder.Files].
func (b *Builder) Loads() []string { return b.draft.Load }

// addMade has the suite load what was made for its world, from a folder that has nothing else.
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

// RelativeTo is how a file is called in a folder.
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

// load is the world of the suite as far as it is made.
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

// end closes a world, and warns of what went wrong with programs.
func (b *Builder) end(w *worlds.Loaded) {
	failures := w.Backends.Failures()
	w.Backends.Close()
	for _, err := range failures {
		b.Warn(&scenario.Error{Message: err.Error()})
	}
}

// manifest is an object as the text of a file.
func manifest(object any) ([]byte, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return scenario.YAML(data)
}
