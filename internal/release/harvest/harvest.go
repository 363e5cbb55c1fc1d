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
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/release/command"
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
	if err := h.test(ctx); err != nil {
		return nil, err
	}
	return h.encode(ctx)
}

type harvest struct {
	Options
	copies map[string]string // of modules, by module path
}

func (h *harvest) writtenFolder() string { return filepath.Join(h.Folder, "written") }

// copy creates the module: copies of what is instrumented, and our programs.
func (h *harvest) copy(ctx context.Context) error {
	release, err := upstream.Download(ctx, h.Version)
	if err != nil {
		return err
	}
	h.copies = map[string]string{}
	for module, folders := range instrumented {
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
	sums, err := os.ReadFile(filepath.Join(release.Dir, "go.sum"))
	if err != nil {
		return err
	}
	install, err := release.Install("main")
	if err != nil {
		return err
	}
	files := map[string][]byte{
		"go.mod":            []byte(release.Module("admsim.example/harvest", h.copies)),
		"go.sum":            sums,
		"encode/install.go": []byte(install),
	}
	for _, name := range []string{"calls/calls.go", "encode/main.go"} {
		if files[name], err = programs.ReadFile("_programs/" + name); err != nil {
			return err
		}
	}
	for name, text := range files {
		if name == "go.sum" {
			if _, err := os.Stat(filepath.Join(h.Folder, name)); err == nil {
				continue // the go command has appended to it
			}
		}
		path := filepath.Join(h.Folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			return err
		}
	}
	return nil
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
var aboutValidation = regexp.MustCompile(`[vV]alidat|Strategy|Verify`)

// testFolders lists the folders of upstream's tests, by module. Storage tests are left out: they start an etcd of their
// own, and pass the same few objects to all strategies.
var testFolders = map[string][]string{
	"k8s.io/kubernetes": {"pkg/apis", "pkg/registry", "test/declarative_validation"},
	"k8s.io/apiextensions-apiserver": {"pkg/apis/apiextensions/validation", "pkg/registry/customresourcedefinition",
		"pkg/apiserver/schema", "pkg/apiserver/validation"},
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

// test runs the tests. Failing tests do not matter: objects are recorded when a function is called.
func (h *harvest) test(ctx context.Context) error {
	packages, err := h.packages()
	if err != nil {
		return err
	}
	if len(packages) == 0 {
		return errors.New("no package has such tests")
	}
	if h.Fresh {
		if err := os.RemoveAll(h.writtenFolder()); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(h.writtenFolder(), 0o755); err != nil {
		return err
	}
	packages = slices.DeleteFunc(packages, func(path string) bool {
		_, err := os.Stat(h.tested(path))
		return err == nil
	})
	started := time.Now()
	for batch := range slices.Chunk(packages, max(1, h.Batch)) {
		// The linker leaves out what only debuggers need, and go vet is not needed here.
		args := append([]string{"test", "-mod=mod", "-vet=off", "-ldflags=-w", "-count=1", "-p", "2"}, batch...)
		out, err := h.goCommand(ctx, args...).CombinedOutput()
		if ctx.Err() != nil {
			return ctx.Err()
		}
		for line := range bytes.Lines(out) {
			if err != nil && (bytes.HasPrefix(line, []byte("FAIL")) || bytes.HasPrefix(line, []byte("# ")) || bytes.Contains(line, []byte(".go:"))) {
				fmt.Fprintf(h.Progress, "  %s", line)
			}
		}
		for _, path := range batch {
			if err := os.WriteFile(h.tested(path), nil, 0o644); err != nil {
				return err
			}
		}
		fmt.Fprintf(h.Progress, "%s: tested up to %s\n", time.Since(started).Round(time.Second), batch[len(batch)-1])
	}
	return nil
}

// tested returns the file that marks the tests of a package as completed.
func (h *harvest) tested(path string) string {
	return filepath.Join(h.writtenFolder(), strings.ReplaceAll(path, "/", "_")+".tested")
}

func (h *harvest) goCommand(ctx context.Context, args ...string) *exec.Cmd {
	cmd := command.Child(ctx, "go", args...)
	cmd.Dir = h.Folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOFLAGS=", "ADMSIM_HARVEST="+h.writtenFolder())
	return cmd
}

// longest is the maximum size of a call. Longer ones are about the total size of annotations and of data. They are the
// same few for each kind, and would be nine tenths of the corpus.
const longest = 100_000

// encode encodes the objects with the release's own codecs.
func (h *harvest) encode(ctx context.Context) ([]Call, error) {
	files, err := filepath.Glob(filepath.Join(h.writtenFolder(), "*.jsonl"))
	if err != nil {
		return nil, err
	}
	binary := filepath.Join(h.Folder, "encoder")
	if out, err := h.goCommand(ctx, "build", "-mod=mod", "-ldflags=-w", "-o", binary, "./encode").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the encoder: %w\n%s", err, out)
	}
	seen := map[string]bool{} // the names of test processes differ between runs, so we sort
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for line := range bytes.Lines(text) {
			if len(line) <= longest {
				seen[string(line)] = true
			}
		}
	}
	lines := slices.Sorted(maps.Keys(seen))
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
