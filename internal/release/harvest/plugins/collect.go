// Package plugins turns Kubernetes' own unit tests of admission plugins into cases with the answers of these plugins.
//
// The tests build a plugin in a cluster of fake clients and informers, and ask it about requests. [Collect] runs them
// with plugins that record all this: what they are asked, what they know about the cluster, and what they answer.
// [Cases] turns the calls into recordings, without what cannot happen on a server. No server is needed: the answer is
// that of the release's own code.
package plugins

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/conformance/plugincall"
	"github.com/admsim/admsim/internal/release/harvest/tests"
	"github.com/admsim/admsim/internal/release/upstream"
)

// recorder holds what is compiled with the plugins.
//
//go:embed _recorder/*.go
var recorder embed.FS

// module has copies of the plugins and their tests. All other packages are those of the release: they do not know the
// copies, and need not be compiled again.
const module = tests.Module

// roots lists the folders that have plugins or their tests, by module.
var roots = map[string][]string{
	upstream.Main:      {"plugin/pkg/admission"},
	"k8s.io/apiserver": {"pkg/admission/plugin/namespace", "pkg/admission/plugin/resourcequota"},
}

// Options configure how calls are collected.
type Options struct {
	Version  string
	Folder   string         // of the module, which is kept between runs
	Only     *regexp.Regexp // packages whose tests run; nil: all
	Fresh    bool           // rerun tests that completed before
	Progress io.Writer
}

// A Call is a call of a plugin by a test.
type Call struct {
	Plugin   string // its name in the flags of the server
	Method   string // Admit or Validate
	Test     string
	Handles  []string        // operations about which the server asks the plugin; nil: not known
	Gates    map[string]bool // feature gates that differ from the defaults of the release
	Settings map[string]json.RawMessage

	Operation                                   string
	Group, Version, Resource, Subresource, Kind string
	Namespace, Name                             string
	DryRun                                      bool
	Options, Object, OldObject                  json.RawMessage
	User                                        *authenticationv1.UserInfo // nil: the test gives none

	Listed, Stored []json.RawMessage // the objects that the listers of the plugin and its client have
	Questions      []plugincall.Question
	Exchanges      []plugincall.Exchange

	// The answers of some plugins depend on earlier calls. Instance says which plugin it is; empty: it remembers nothing.
	Instance string
	Number   int
	At       time.Duration // on the clock of the plugin

	After       json.RawMessage   // the object as the plugin left it
	Written     []json.RawMessage // the objects that it created and updated
	Status      *metav1.Status    // nil: it has no objection
	Warnings    []string
	Annotations map[string]string

	Live bool   // whether it asked a client that the test answers with errors
	Lost string // why the call could not be recorded
}

// Collect runs upstream's tests of admission plugins, and returns the calls.
func Collect(ctx context.Context, o Options) ([]Call, error) {
	h := &harvest{Options: o}
	if err := h.write(ctx); err != nil {
		return nil, err
	}
	those := h.tests()
	if err := tests.Run(ctx, those); err != nil {
		return nil, err
	}
	lines, err := those.Written(0)
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, line := range lines {
		var c Call
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}

type harvest struct {
	Options
	packages []*copied
}

// A copied package has a plugin or the tests of one.
type copied struct {
	path   string // of the original
	files  map[string][]byte
	plugin bool
}

// own returns the path of the copy.
func (c *copied) own() string { return module + "/" + strings.TrimPrefix(c.path, "k8s.io/") }

// write writes the module.
func (h *harvest) write(ctx context.Context) error {
	release, err := upstream.Download(ctx, h.Version)
	if err != nil {
		return err
	}
	if err := h.copy(ctx, release); err != nil {
		return err
	}
	install, err := release.Install("recorder")
	if err != nil {
		return err
	}
	files := map[string][]byte{"recorder/install.go": []byte(install), "lines/lines.go": tests.Lines}
	programs, err := programsFor(ctx, release)
	if err != nil {
		return err
	}
	for _, name := range programs {
		if files["recorder/"+name], err = recorder.ReadFile("_recorder/" + name); err != nil {
			return err
		}
	}
	for _, p := range h.packages {
		for name, text := range p.files {
			files[strings.TrimPrefix(p.own(), module+"/")+"/"+name] = text
		}
	}
	if err := os.RemoveAll(filepath.Join(h.Folder, "recorder")); err != nil { // it may have other files
		return err
	}
	return release.WriteModule(h.Folder, module, nil, files)
}

// copy reads the packages of the plugins and those that test them, and makes the plugins record their calls.
func (h *harvest) copy(ctx context.Context, release *upstream.Release) error {
	var all []*copied
	for from, folders := range roots {
		root, err := release.File(ctx, strings.TrimPrefix(from, "k8s.io/"), "")
		if err != nil {
			return err
		}
		for _, folder := range folders {
			found, err := packagesBelow(root, folder, from)
			if err != nil {
				return err
			}
			all = append(all, found...)
		}
	}
	slices.SortFunc(all, func(a, b *copied) int { return strings.Compare(a.path, b.path) })
	methods := 0
	for _, p := range all {
		n, err := instrument(p.files)
		if err != nil {
			return fmt.Errorf("%s: %w", p.path, err)
		}
		methods, p.plugin = methods+n, n > 0
	}
	fmt.Fprintf(h.Progress, "%d methods of plugins are instrumented\n", methods)
	for _, p := range all {
		if p.plugin || slices.ContainsFunc(all, func(of *copied) bool { return of.plugin && p.imports(of.path) }) {
			h.packages = append(h.packages, p)
		}
	}
	for _, p := range h.packages {
		for name, text := range p.files {
			for _, of := range h.packages {
				text = bytes.ReplaceAll(text, []byte(`"`+of.path+`"`), []byte(`"`+of.own()+`"`))
			}
			p.files[name] = text
		}
	}
	return nil
}

func (c *copied) imports(path string) bool {
	for _, text := range c.files {
		if bytes.Contains(text, []byte(`"`+path+`"`)) {
			return true
		}
	}
	return false
}

// packagesBelow reads the packages in a folder and its subfolders, with the files that their tests read.
func packagesBelow(root, folder, module string) ([]*copied, error) {
	by := map[string]*copied{}
	err := filepath.WalkDir(filepath.Join(root, filepath.FromSlash(folder)), func(name string, entry fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) {
			return nil // an older release does not have it
		}
		if err != nil || entry.IsDir() {
			return err
		}
		relative, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		of, file := filepath.ToSlash(filepath.Dir(relative)), entry.Name()
		if before, below, ok := strings.Cut(filepath.ToSlash(relative), "/testdata/"); ok {
			of, file = before, "testdata/"+below
		} else if !strings.HasSuffix(name, ".go") {
			return nil
		}
		if by[of] == nil {
			by[of] = &copied{path: module + "/" + of, files: map[string][]byte{}}
		}
		by[of].files[file], err = os.ReadFile(name)
		return err
	})
	var all []*copied
	for _, p := range by {
		all = append(all, p)
	}
	return all, err
}

// batch is how many packages a go command tests. It keeps all their binaries until it ends.
const batch = 4

// tests returns the tests that are run, with their benchmarks once.
func (h *harvest) tests() tests.Options {
	var paths []string
	for _, p := range h.packages {
		if h.Only == nil || h.Only.MatchString(p.path) {
			paths = append(paths, p.own())
		}
	}
	return tests.Options{
		Folder: h.Folder, Packages: paths, Batch: batch, Flags: []string{"-bench=.", "-benchtime=1x"}, Fresh: h.Fresh, Progress: h.Progress,
	}
}
