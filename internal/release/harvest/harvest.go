// Package harvest turns Kubernetes' own unit tests into requests that a real server answers.
//
// Upstream's validation tests pass objects to functions. [Collect] runs the tests in a copy of a published release that
// records these objects, and encodes the objects in every version of their kind. [Cases] turns them into requests. The
// expectations of the tests are ignored: the server decides what is right, with its default feature gates, so a test
// that switches a gate does no harm.
package harvest

import (
	"bufio"
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

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/harvest/tests"
	"github.com/admsim/admsim/internal/release/upstream"
)

// programs holds what is compiled with Kubernetes: calls into its tests, encode with its API groups.
//
//go:embed _programs/calls/calls.go _programs/encode/main.go
var programs embed.FS

// Options configure how objects are collected.
type Options struct {
	Version  string
	Folder   string         // of the copy of the release, which is kept between runs
	Only     *regexp.Regexp // packages whose tests run; nil: all
	Batch    int            // number of packages that a go command tests
	Fresh    bool           // rerun tests that completed before
	Progress io.Writer
}

// A Call holds the arguments of a function.
type Call struct {
	Function              string
	Resource, Subresource string // if the test names them
	Lost                  string // why there are no objects
	Objects               []Object

	// For a custom resource there is a schema. Object is null if a function got nothing else.
	Schema, Object, Old json.RawMessage
}

// An Object is an argument of a function, in one version. Old is null if it is not an update.
type Object struct {
	Group, Version, Kind string
	Object, Old          json.RawMessage
}

// Collect runs upstream's tests, and returns the arguments of their functions.
func Collect(ctx context.Context, o Options) ([]Call, error) {
	h := &harvest{Options: o}
	if err := h.copy(ctx); err != nil {
		return nil, err
	}
	those, err := h.tests()
	if err != nil {
		return nil, err
	}
	if err := tests.Run(ctx, those); err != nil {
		return nil, err
	}
	lines, err := those.Written(longest)
	if err != nil {
		return nil, err
	}
	return h.encode(ctx, lines)
}

type harvest struct {
	Options
	copies map[string]string // of modules, by module path
}

// copy creates the module: copies of what is instrumented, and our programs.
func (h *harvest) copy(ctx context.Context) error {
	release, err := upstream.Download(ctx, h.Version)
	if err != nil {
		return err
	}
	h.copies = map[string]string{}
	for module, folders := range instrumented {
		if module != upstream.Main && !release.Has(module) {
			continue
		}
		name := strings.TrimPrefix(module, "k8s.io/")
		h.copies[module] = "./" + name
		to := filepath.Join(h.Folder, name)
		if _, err := os.Stat(to); err == nil {
			continue
		}
		from := release.Dir
		if module != upstream.Main {
			if from, err = release.File(ctx, name, "."); err != nil {
				return err
			}
		}
		fmt.Fprintf(h.Progress, "copying %s\n", module)
		// In two steps, so that an interrupted copy does not look complete.
		unfinished := to + ".unfinished"
		if err := errors.Join(os.RemoveAll(unfinished), copyTree(from, unfinished)); err != nil {
			return err
		}
		functions := 0
		for _, folder := range folders {
			n, err := instrumentFolder(unfinished, folder)
			if err != nil {
				return err
			}
			functions += n
		}
		fmt.Fprintf(h.Progress, "%s: %d functions are instrumented\n", module, functions)
		if err := os.Rename(unfinished, to); err != nil {
			return err
		}
	}
	install, err := release.Install("main")
	if err != nil {
		return err
	}
	files := map[string][]byte{"encode/install.go": []byte(install), "lines/lines.go": tests.Lines}
	for _, name := range []string{"calls/calls.go", "encode/main.go"} {
		if files[name], err = programs.ReadFile("_programs/" + name); err != nil {
			return err
		}
	}
	return release.WriteModule(h.Folder, tests.Module, h.copies, files)
}

// copyTree copies files so that they are writable, which those in the module cache are not.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		path, err := filepath.Rel(from, name)
		if err != nil {
			return err
		}
		path = filepath.Join(to, path)
		if entry.IsDir() {
			return os.MkdirAll(path, 0o755)
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(path, text, 0o644)
	})
}

// aboutValidation matches the names of tests that pass objects to the functions of interest.
var aboutValidation = regexp.MustCompile(`[vV]alidat|Strategy|Verify|package policy`)

// testFolders lists the folders of upstream's tests, by module. Storage tests are left out: they start an etcd of their
// own, and pass the same few objects to all strategies.
var testFolders = map[string][]string{
	"k8s.io/kubernetes": {"pkg/apis", "pkg/registry", "test/declarative_validation"},
	"k8s.io/apiextensions-apiserver": {"pkg/apis/apiextensions/validation", "pkg/registry/customresourcedefinition",
		"pkg/apiserver/schema", "pkg/apiserver/validation"},
	podSecurity: {"policy"},
}

func (h *harvest) packages() ([]string, error) {
	var all []string
	for module, folders := range testFolders {
		root := filepath.Join(h.Folder, filepath.Base(module))
		for _, folder := range folders {
			err := filepath.WalkDir(filepath.Join(root, folder), func(name string, entry fs.DirEntry, err error) error {
				if errors.Is(err, fs.ErrNotExist) {
					return nil // an older release does not have it
				}
				if err != nil || entry.IsDir() || !strings.HasSuffix(name, "_test.go") {
					return err
				}
				text, err := os.ReadFile(name)
				if err != nil {
					return err
				}
				path, err := filepath.Rel(root, filepath.Dir(name))
				if err != nil {
					return err
				}
				if path = module + "/" + filepath.ToSlash(path); aboutValidation.Match(text) && !strings.HasSuffix(path, "/storage") &&
					(h.Only == nil || h.Only.MatchString(path)) {
					all = append(all, path)
				}
				return nil
			})
			if err != nil {
				return nil, err
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

// tests returns the tests that are run.
func (h *harvest) tests() (tests.Options, error) {
	packages, err := h.packages()
	return tests.Options{Folder: h.Folder, Packages: packages, Batch: h.Batch, Fresh: h.Fresh, Progress: h.Progress}, err
}

// longest is the maximum size of a call. Longer ones are about the total size of annotations and of data. They are the
// same few for each kind, and would be nine tenths of the corpus.
const longest = 100_000

// encode encodes the objects with the release's own codecs.
func (h *harvest) encode(ctx context.Context, lines []string) ([]Call, error) {
	binary := filepath.Join(h.Folder, "encoder")
	if out, err := tests.GoCommand(ctx, h.Folder, "build", "-mod=mod", "-ldflags=-w", "-o", binary, "./encode").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the encoder: %w\n%s", err, out)
	}
	cmd := command.Child(ctx, binary)
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(lines, "")), h.Progress
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("encoding objects: %w", err)
	}
	var calls []Call
	for decoder := json.NewDecoder(bufio.NewReader(bytes.NewReader(out))); decoder.More(); {
		var c Call
		if err := decoder.Decode(&c); err != nil {
			return nil, err
		}
		calls = append(calls, c)
	}
	return calls, nil
}
