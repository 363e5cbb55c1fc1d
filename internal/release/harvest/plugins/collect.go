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
	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/upstream"
)

// recorder holds what is compiled with the plugins.
//
//go:embed _recorder/*.go
var recorder embed.FS

// module has copies of the plugins and their tests. All other packages are those of the release: they do not know the
// copies, and need not be compiled again.
const module = "admsim.example/plugins"

// roots lists the folders that have plugins or their tests, by module.
var roots = map[string][]string{
	upstream.Main:      {"plugin/pkg/admission"},
	"k8s.io/apiserver": {"pkg/admission/plugin/namespace", "pkg/admission/plugin/resourcequota"},
}

// Options configure how calls are collected.
type Options struct {
	Version  string
	Folder   string         // of the module, which is written anew each time
	Only     *regexp.Regexp // packages whose tests run; nil: all
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
	User                                        authenticationv1.UserInfo

	Listed, Stored []json.RawMessage // the objects that the listers of the plugin and its client have
	Questions      []plugincall.Question

	After       json.RawMessage   // the object as the plugin left it
	Written     []json.RawMessage // the objects that its client had only after the call
	Status      *metav1.Status    // nil: it has no objection
	Warnings    []string
	Annotations map[string]string

	Live bool   // whether it asked a client that the test answers
	Lost string // why the call could not be recorded
}

// Collect runs upstream's tests of admission plugins, and returns the calls.
func Collect(ctx context.Context, o Options) ([]Call, error) {
	h := &harvest{Options: o}
	if err := h.write(ctx); err != nil {
		return nil, err
	}
	if err := h.test(ctx); err != nil {
		return nil, err
	}
	return h.read()
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
	sums, err := os.ReadFile(filepath.Join(release.Dir, "go.sum"))
	if err != nil {
		return err
	}
	install, err := release.Install("recorder")
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"go.mod":              []byte(release.Module(module, nil)),
		"go.sum":              sums,
		"recorder/install.go": []byte(install),
	}
	programs, err := fs.Glob(recorder, "_recorder/*.go")
	if err != nil {
		return err
	}
	for _, name := range programs {
		if files[strings.TrimPrefix(name, "_")], err = recorder.ReadFile(name); err != nil {
			return err
		}
	}
	for _, p := range h.packages {
		for name, text := range p.files {
			files[strings.TrimPrefix(p.own(), module+"/")+"/"+name] = text
		}
	}
	if err := os.RemoveAll(h.Folder); err != nil {
		return err
	}
	for name, text := range files {
		name = filepath.Join(h.Folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, text, 0o644)); err != nil {
			return err
		}
	}
	return nil
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

// test runs the tests, and their benchmarks once. Failing tests do not matter: a call is recorded when it is made.
func (h *harvest) test(ctx context.Context) error {
	var paths []string
	for _, p := range h.packages {
		if h.Only == nil || h.Only.MatchString(p.path) {
			paths = append(paths, p.own())
		}
	}
	if len(paths) == 0 {
		return errors.New("no package has such tests")
	}
	if err := os.MkdirAll(h.recorded(), 0o755); err != nil {
		return err
	}
	started := time.Now()
	for some := range slices.Chunk(paths, batch) {
		args := []string{"test", "-mod=mod", "-vet=off", "-ldflags=-s -w", "-count=1", "-p", "2", "-bench=.", "-benchtime=1x"}
		cmd := command.Child(ctx, "go", append(args, some...)...)
		cmd.Dir = h.Folder
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "ADMSIM_HARVEST="+h.recorded())
		out, err := cmd.CombinedOutput()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for line := range bytes.Lines(out) {
			if err != nil && problem.Match(line) {
				fmt.Fprintf(h.Progress, "  %s", line)
			}
		}
		fmt.Fprintf(h.Progress, "%s: tested up to %s\n", time.Since(started).Round(time.Second), some[len(some)-1])
	}
	return nil
}

// problem matches the lines of a go command's output that say what failed.
var problem = regexp.MustCompile(`^(FAIL|--- FAIL|# |go: |panic: |\S+\.go:\d)`)

func (h *harvest) recorded() string { return filepath.Join(h.Folder, "recorded") }

// read reads what the tests have recorded. The names of test processes differ between runs, so calls are sorted.
func (h *harvest) read() ([]Call, error) {
	files, err := filepath.Glob(filepath.Join(h.recorded(), "*.jsonl"))
	if err != nil {
		return nil, err
	}
	var calls []Call
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			var c Call
			if err := json.Unmarshal(line, &c); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			calls = append(calls, c)
		}
	}
	return calls, nil
}
