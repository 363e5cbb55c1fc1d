// Package render builds folders that hold the source of another tool: kustomizations with the library of kustomize, and
// Helm charts with the program helm.
//
// [Kustomize] and [Helm] are builders for package scenario, which reads all files for them and knows which ones they
// may read. The package opens no connection: a remote reference in a kustomization is an error. It does not know what
// objects are for.
package render

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resource"
	"sigs.k8s.io/kustomize/api/types"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/yamldoc"
)

// Kustomize builds kustomizations.
type Kustomize struct{}

// Marks returns the names of the files that mark a kustomization.
func (Kustomize) Marks() []string { return konfig.RecognizedKustomizationFileNames() }

// Build builds what kustomize build writes for a folder.
func (Kustomize) Build(s manifest.SourceFolder) ([]yamldoc.Document, error) {
	f := &files{folder: newFolder(s)}
	if err := f.check(f.path); err != nil {
		return nil, err
	}
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(f, f.path)
	if err != nil {
		return nil, f.located(err)
	}
	objects := make([]built, made.Size())
	for i, r := range made.Resources() {
		if objects[i].from, err = f.originOf(r); err != nil {
			return nil, err
		}
	}
	if !f.asked {
		if err := made.RemoveOriginAnnotations(); err != nil {
			return nil, err
		}
	}
	all := make([]yamldoc.Document, len(objects))
	for i, r := range made.Resources() {
		if objects[i].json, err = r.MarshalJSON(); err != nil {
			return nil, fmt.Errorf("%s: %w", r.CurId(), err)
		}
		if all[i], err = f.document(objects[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// originOf returns the file that an object comes from.
func (f *files) originOf(r *resource.Resource) (from yamldoc.Source, err error) {
	origin, err := r.GetOrigin()
	if err != nil || origin == nil {
		return from, err
	}
	switch {
	case origin.Path != "":
		from.File = f.named(filepath.Join(f.path, origin.Path))
	case origin.ConfiguredIn != "":
		from.File = f.named(filepath.Join(f.path, origin.ConfiguredIn))
	}
	return from, nil
}

// check checks a kustomization, and those that it is made of, before kustomize reads it: anything that kustomize would
// fetch over the network, or run a program for, is an error, and so are files that do not exist.
func (f *files) check(folder string) error {
	if slices.Contains(f.checked, folder) {
		return nil
	}
	f.checked = append(f.checked, folder)
	for _, mark := range konfig.RecognizedKustomizationFileNames() {
		file := filepath.Join(folder, mark)
		if info, err := f.stat(file); err != nil || info.IsDir() {
			continue
		}
		text, err := f.read(file)
		if err != nil {
			return f.unread(file, err)
		}
		var errs yamldoc.Errors
		for _, d := range yamldoc.Documents(f.named(file), text, &errs) {
			f.kustomizations = append(f.kustomizations, d)
			c := checker{files: f, at: folder, doc: d, errs: &errs}
			c.kustomization()
		}
		if err := errs.Err(); err != nil {
			return err
		}
	}
	return nil
}

// A checker checks the files that one document names.
type checker struct {
	*files
	at   string // the folder of the document
	doc  yamldoc.Document
	errs *yamldoc.Errors
}

// Keys under which kustomizations and the configurations of transformers name files. Those of bases may also name
// folders.
var (
	baseKeys   = []string{"resources", "bases", "components"}
	pluginKeys = []string{"generators", "transformers", "validators"}
	fileKeys   = []string{"crds", "configurations", "path", "paths", "patchesStrategicMerge", "files", "envs", "env"}
	existKeys  = []string{"crds", "configurations", "patches", "patchesJson6902", "patchesStrategicMerge", "replacements", "openapi", "configMapGenerator", "secretGenerator"} // in these, path names a file and not a field
)

func (c *checker) kustomization() {
	fields, ok := c.doc.Value.(map[string]any)
	if !ok {
		return // reported by kustomize
	}
	for _, key := range []string{"helmCharts", "helmChartInflationGenerator"} {
		if fields[key] != nil {
			c.errs.Add(c.place(key), "write the output of helm template to a file, and name that under resources; or load the output of kustomize build --enable-helm",
				"%s makes kustomize run helm, which admsim does not allow", key)
		}
	}
	for key, value := range fields {
		switch {
		case slices.Contains(baseKeys, key):
			for i, one := range list(value) {
				c.base(one, fmt.Sprintf("%s[%d]", key, i))
			}
		case slices.Contains(pluginKeys, key):
			for i, one := range list(value) {
				c.plugin(one, fmt.Sprintf("%s[%d]", key, i))
			}
		default:
			c.look(key, value, key, slices.Contains(existKeys, key))
		}
	}
	for _, one := range list(fields["buildMetadata"]) {
		c.asked = c.asked || one == types.OriginAnnotations
	}
}

// list returns a list, or a list of the single value that may stand for it.
func list(value any) []any {
	if many, ok := value.([]any); ok {
		return many
	}
	return []any{value}
}

func (c *checker) place(path string) yamldoc.Source { return c.doc.Places.Find(path).Or(c.doc.Source) }

// base checks a file, or a folder with another kustomization.
func (c *checker) base(value any, at string) {
	name, ok := value.(string)
	if !ok || name == "" {
		return
	}
	whole, info := c.find(name, at)
	if info != nil && info.IsDir() {
		c.errs.Join(c.check(whole))
	}
}

// plugin checks a file with configurations of transformers, or such a configuration itself.
func (c *checker) plugin(value any, at string) {
	text, ok := value.(string)
	if !ok || text == "" {
		return
	}
	if strings.Contains(text, "\n") {
		var errs yamldoc.Errors // reported by kustomize
		for _, d := range yamldoc.Documents(c.doc.Source.File, []byte(text), &errs) {
			c.configuration(d.Value, func(string) yamldoc.Source { return c.place(at) })
		}
		return
	}
	whole, info := c.find(text, at)
	if info == nil {
		return
	}
	if info.IsDir() {
		c.errs.Add(c.place(at), "name the files in it", "admsim does not build transformers from the folder %s", text)
		return
	}
	data, err := c.read(whole)
	if err != nil {
		c.errs.Join(c.unread(whole, err))
		return
	}
	var errs yamldoc.Errors
	for _, d := range yamldoc.Documents(c.named(whole), data, &errs) {
		c.configuration(d.Value, func(path string) yamldoc.Source { return d.Places.Find(path).Or(d.Source) })
	}
}

// configuration checks the configuration of one transformer or generator.
func (c *checker) configuration(value any, at func(path string) yamldoc.Source) {
	fields, ok := value.(map[string]any)
	if !ok {
		return
	}
	if version, _ := fields["apiVersion"].(string); version != "builtin" {
		c.errs.Add(at("apiVersion"), "load the output of kustomize build",
			"%v %v is a plugin, which is a program: admsim runs only what is built into kustomize", fields["apiVersion"], fields["kind"])
		return
	}
	if kind, _ := fields["kind"].(string); strings.HasPrefix(kind, "HelmChart") {
		c.errs.Add(at("kind"), "write the output of helm template to a file, and name that under resources", "%s makes kustomize run helm, which admsim does not allow", kind)
	}
	inner := *c
	inner.doc.Places = nil
	inner.doc.Source = at("kind")
	for key, value := range fields {
		inner.look(key, value, key, false)
	}
}

// look searches everything below a key of a kustomization for files.
func (c *checker) look(key string, value any, at string, exists bool) {
	switch value := value.(type) {
	case map[string]any:
		for inner, v := range value {
			c.look(inner, v, at+"."+inner, exists)
		}
	case []any:
		for i, v := range value {
			c.look(key, v, fmt.Sprintf("%s[%d]", at, i), exists)
		}
	case string:
		if !slices.Contains(fileKeys, key) || value == "" || strings.Contains(value, "\n") {
			return
		}
		if _, file, ok := strings.Cut(value, "="); ok && key == "files" {
			value = file
		}
		if !c.remote(value, at) && exists {
			c.find(value, at)
		}
	}
}

// remotes matches what kustomize fetches over the network, with git or HTTP: api/internal/git/repospec.go.
var remotes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(git::)*(ssh://|https?://|file://|[a-z][a-z0-9-]*@|github\.com[/:])`)
})

// remote reports whether a name is a remote reference, which is an error.
func (c *checker) remote(name, at string) bool {
	if !remotes().MatchString(name) {
		return false
	}
	c.errs.Add(c.place(at), "get a copy, for example with kustomize localize, and name that; or load the output of kustomize build",
		"%s is not on this machine, and admsim fetches nothing over the network", name)
	return true
}

// find looks for a file or folder that is named; the result is nil if it does not exist, which is an error.
func (c *checker) find(name, at string) (string, fs.FileInfo) {
	if c.remote(name, at) {
		return "", nil
	}
	whole := filepath.FromSlash(name)
	if !filepath.IsAbs(whole) {
		whole = filepath.Join(c.at, whole)
	}
	info, err := c.stat(whole)
	switch {
	case err == nil:
		return whole, info
	case errors.Is(err, manifest.ErrOutside):
		c.errs.Add(c.place(at), "the project is the folder with .git, go.mod or .admsim.yaml: put an empty .admsim.yaml into the folder that contains both", "%s is outside of the project that is loaded", name)
	case errors.Is(err, fs.ErrNotExist):
		c.errs.Add(c.place(at), "paths are relative to the folder of the kustomization", "no such file or folder: %s", name)
	default:
		c.errs.Add(c.place(at), "", "%s: %s", name, manifest.WhyUnread(err))
	}
	return "", nil
}
