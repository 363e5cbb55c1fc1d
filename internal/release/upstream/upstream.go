// Package upstream finds the published source of a Kubernetes release: the module k8s.io/kubernetes, and the staging
// modules that its repository publishes.
//
// It uses the go command, so Go's configured proxies and caches apply.
package upstream

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/release/command"
)

// Main is the module that has kube-apiserver.
const Main = "k8s.io/kubernetes"

// A Release is a published version of Kubernetes on this machine.
type Release struct {
	Version string            // 1.37.2
	Minor   int               // 37
	Dir     string            // of k8s.io/kubernetes
	Go      string            // the Go version in its go.mod
	Godebug map[string]string // in its go.mod
	Require []Module          // in its go.mod, including staging modules
	Staging map[string]string // versions of the staging modules, by path
	Pins    map[string]string // the replacements of other modules in its go.mod, "path version", by path
}

// A Module is a requirement in a go.mod.
type Module struct {
	Path, Version string
	Indirect      bool
}

var version = regexp.MustCompile(`^1\.((\d+)\.\d+)$`)

// MinorOf returns the minor version of a release: 1.37 for 1.37.2.
func MinorOf(release string) (string, error) {
	_, minor, err := split(release)
	return "1." + minor, err
}

// split returns the parts of a release after the 1: 37.2 and 37 for 1.37.2.
func split(release string) (patch, minor string, err error) {
	m := version.FindStringSubmatch(release)
	if m == nil {
		return "", "", fmt.Errorf("%q is not a release of Kubernetes, want one such as 1.37.2", release)
	}
	return m[1], m[2], nil
}

// Download downloads a release and reads its go.mod.
func Download(ctx context.Context, release string) (*Release, error) {
	release = strings.TrimPrefix(release, "v")
	patch, number, err := split(release)
	if err != nil {
		return nil, err
	}
	var got struct{ Dir, GoMod, Error string }
	if err := goJSON(ctx, &got, "mod", "download", "-json", Main+"@v"+release); err != nil && got.Error == "" {
		return nil, err
	}
	if got.Error != "" {
		return nil, fmt.Errorf("downloading %s v%s: %s", Main, release, got.Error)
	}
	minor, err := strconv.Atoi(number)
	if err != nil {
		return nil, err
	}
	r := &Release{
		Version: release, Minor: minor, Dir: got.Dir,
		Godebug: map[string]string{}, Staging: map[string]string{}, Pins: map[string]string{},
	}
	return r, r.readGoMod(ctx, got.GoMod, "v0."+patch)
}

func (r *Release) readGoMod(ctx context.Context, file, staging string) error {
	var mod struct {
		Go      string
		Godebug []struct{ Key, Value string }
		Require []Module
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := goJSON(ctx, &mod, "mod", "edit", "-json", file); err != nil {
		return err
	}
	r.Go = mod.Go
	for _, g := range mod.Godebug {
		r.Godebug[g.Key] = g.Value
	}
	for _, replace := range mod.Replace {
		if strings.HasPrefix(replace.New.Path, "./staging/") {
			r.Staging[replace.Old.Path] = staging
		} else if replace.New.Version != "" {
			r.Pins[replace.Old.Path] = replace.New.Path + " " + replace.New.Version
		}
	}
	for _, m := range mod.Require {
		if _, ok := r.Staging[m.Path]; ok {
			m.Version = staging
		}
		r.Require = append(r.Require, m)
	}
	if len(r.Staging) > 0 {
		return nil
	}
	if _, err := os.Stat(filepath.Join(r.Dir, stagingTree)); r.Dir == "" || err != nil {
		return fmt.Errorf("%s does not replace a staging module", file)
	}
	return nil
}

// stagingTree is the folder of the staging modules in releases up to 1.14, which have no go.mod.
const stagingTree = "staging/src"

// Module returns the go.mod of a module of ours that builds the content of a release. The go.mod of the release itself
// refers to folders for its staging modules; this one refers to what was published, and for an old release to modules that
// today's Go can build. instead has the replacements of further modules, by path: a folder, or another path and version.
func (r *Release) Module(name string, instead map[string]string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\n", name, r.Go)
	for _, key := range slices.Sorted(maps.Keys(r.Godebug)) {
		fmt.Fprintf(&b, "godebug %s=%s\n", key, r.Godebug[key])
	}
	fmt.Fprintf(&b, "require (\n\t%s v%s\n", Main, r.Version)
	for _, m := range r.Require {
		comment := ""
		if m.Indirect {
			comment = " // indirect"
		}
		fmt.Fprintf(&b, "\t%s %s%s\n", m.Path, m.Version, comment)
	}
	fmt.Fprintf(&b, ")\n\nreplace (\n")
	replace := maps.Clone(r.Pins)
	if replace == nil {
		replace = map[string]string{}
	}
	for path, version := range r.Staging {
		replace[path] = path + " " + version
	}
	maps.Copy(replace, raisedFor(r.Minor))
	maps.Copy(replace, instead)
	for _, path := range slices.Sorted(maps.Keys(replace)) {
		fmt.Fprintf(&b, "\t%s => %s\n", path, replace[path])
	}
	fmt.Fprintf(&b, ")\n")
	return b.String()
}

// WriteModule writes a module of ours that builds content of a release: its go.mod as [Release.Module] returns it, and
// files by name.
func (r *Release) WriteModule(folder, name string, instead map[string]string, files map[string][]byte) error {
	sums, err := os.ReadFile(filepath.Join(r.Dir, "go.sum"))
	if err != nil {
		return err
	}
	all := maps.Clone(files)
	all["go.mod"] = []byte(r.Module(name, instead))
	if _, err := os.Stat(filepath.Join(folder, "go.sum")); err != nil { // otherwise the go command has added to it
		all["go.sum"] = sums
	}
	for name, text := range all {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, text, 0o644)); err != nil {
			return err
		}
	}
	return nil
}

// Install returns a Go file of a package that registers every API group with the scheme of the release.
func (r *Release) Install(name string) (string, error) {
	groups, err := filepath.Glob(filepath.Join(r.Dir, "pkg/apis/*/install"))
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "package %s\n\nimport (\n\t\"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install\"\n\t\"k8s.io/kubernetes/pkg/api/legacyscheme\"\n\n", name)
	for _, group := range groups {
		fmt.Fprintf(&b, "\t_ \"k8s.io/kubernetes/pkg/apis/%s/install\"\n", filepath.Base(filepath.Dir(group)))
	}
	b.WriteString(")\n\nfunc init() { install.Install(legacyscheme.Scheme) }\n")
	return b.String(), nil
}

// Has reports whether a release has a staging module.
func (r *Release) Has(module string) bool {
	if len(r.Staging) > 0 {
		return r.Staging[module] != ""
	}
	_, err := os.Stat(filepath.Join(r.Dir, stagingTree, filepath.FromSlash(module)))
	return err == nil
}

// File returns the name of a file that comments cite by repository and path, such as
// apiserver:pkg/admission/reinvocation.go. Its module is downloaded if necessary.
func (r *Release) File(ctx context.Context, repository, path string) (string, error) {
	if repository == "kubernetes" {
		return filepath.Join(r.Dir, filepath.FromSlash(path)), nil
	}
	module := "k8s.io/" + repository
	staging, ok := r.Staging[module]
	if !ok && len(r.Staging) == 0 {
		return filepath.Join(r.Dir, stagingTree, filepath.FromSlash(module), filepath.FromSlash(path)), nil
	}
	if !ok {
		return "", fmt.Errorf("Kubernetes %s has no staging module %s", r.Version, module)
	}
	var got struct{ Dir, Error string }
	if err := goJSON(ctx, &got, "mod", "download", "-json", module+"@"+staging); err != nil && got.Error == "" {
		return "", err
	}
	if got.Error != "" {
		return "", fmt.Errorf("downloading %s %s: %s", module, staging, got.Error)
	}
	return filepath.Join(got.Dir, filepath.FromSlash(path)), nil
}

// goJSON runs the go command outside of any module, and decodes the JSON that it prints, even if it fails.
func goJSON(ctx context.Context, into any, args ...string) error {
	cmd := command.Child(ctx, "go", args...)
	cmd.Dir = os.TempDir()
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if decodeErr := json.Unmarshal(out, into); err == nil {
		err = decodeErr
	}
	if err != nil {
		return errors.Join(fmt.Errorf("go %s: %w", strings.Join(args, " "), err), errors.New(strings.TrimSpace(complaints.String())))
	}
	return nil
}
