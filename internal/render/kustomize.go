// Package render builds folders that hold the source of another tool: those of kustomize by its own library, and
// Helm charts by the program helm.
//
// [Kustomize] and [Helm] are builders for package scenario, which reads all files for them and knows which ones it may
// read. The package opens no connection: what a kustomization has elsewhere is an error. It knows nothing of what
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

// Marks are what kustomizations are called.
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

// originOf is the file that an object comes from.
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

// check looks at a kustomization, and at those that it is made of, before kustomize does: what kustomize would get over
// the network, or run a program for, is an error, and so are files that do not exist.
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

// A checker looks at one document for files.
type checker struct {
	*files
	at   string // the folder of the document
	doc  yamldoc.Document
	errs *yamldoc.Errors
}

// Keys under which kustomizations and the configurations of transformers name what is loaded. What is under lists of
// bases may be folders.
var (
	baseKeys   = []string{"resources", "bases", "components"}
	pluginKeys = []string{"generators", "transformers", "validators"}
	fileKeys   = []string{"crds", "configurations", "path", "paths", "patchesStrategicMerge", "files", "envs", "env"}
	existKeys  = []string{"crds", "configurations", "patches", "patchesJson6902", "patchesStrategicMerge", "replacements", "openapi", "configMapGenerator", "secretGenerator"} // where path is no field's
)

func (c *checker) kustomization() {
	fields, ok := c.doc.Value.(map[string]any)
	if !ok {
		return // of which kustomize complains
	}
	for _, key := range []string{"helmCharts", "helmChartInflationGenerator"} {
		if fields[key] != nil {
			c.errs.Add(c.place(key), "write what helm template makes of the chart to a file, and name that under resources; or give admsim what kustomize build --enable-helm makes of the folder",
				"%s has kustomize run helm, which admsim does not", key)
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

// list is a list, or the one value that may stand for it.
func list(value any) []any {
	if many, ok := value.([]any); ok {
		return many
	}
	return []any{value}
}

func (c *checker) place(path string) yamldoc.Source { return c.doc.Places.Find(path).Or(c.doc.Source) }

// base is a file or a folder with another kustomization.
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

// plugin is a file of configurations of transformers, or such a configuration.
func (c *checker) plugin(value any, at string) {
	text, ok := value.(string)
	if !ok || text == "" {
		return
	}
	if strings.Contains(text, "\n") {
		var errs yamldoc.Errors // kustomize complains
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
		c.errs.Add(c.place(at), "name the files in it", "admsim does not build transformers out of the folder %s", text)
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

// configuration is that of one transformer or generator.
func (c *checker) configuration(value any, at func(path string) yamldoc.Source) {
	fields, ok := value.(map[string]any)
	if !ok {
		return
	}
	if version, _ := fields["apiVersion"].(string); version != "builtin" {
		c.errs.Add(at("apiVersion"), "give admsim what kustomize build makes of the folder",
			"%v %v is a plugin, which is a program: admsim runs only what is built into kustomize", fields["apiVersion"], fields["kind"])
		return
	}
	if kind, _ := fields["kind"].(string); strings.HasPrefix(kind, "HelmChart") {
		c.errs.Add(at("kind"), "write what helm template makes of the chart to a file, and name that under resources", "%s has kustomize run helm, which admsim does not", kind)
	}
	inner := *c
	inner.doc.Places = nil
	inner.doc.Source = at("kind")
	for key, value := range fields {
		inner.look(key, value, key, false)
	}
}

// look looks for files in whatever a kustomization has under a key.
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

// remotes are what kustomize gets over the network, by git or HTTP: api/internal/git/repospec.go.
var remotes = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(git::)*(ssh://|https?://|file://|[a-z][a-z0-9-]*@|github\.com[/:])`)
})

// remote reports whether a name is of something elsewhere, which is an error.
func (c *checker) remote(name, at string) bool {
	if !remotes().MatchString(name) {
		return false
	}
	c.errs.Add(c.place(at), "get a copy, such as by kustomize localize, and name that; or give admsim what kustomize build makes of the folder",
		"%s is not on this machine, and admsim gets nothing over the network", name)
	return true
}

// find looks for a file or folder that is named; nil if there is none, which is an error.
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
		c.errs.Add(c.place(at), "the project begins with the folder that has .git, go.mod or .admsim.yaml: put an empty .admsim.yaml into the one that holds both", "%s is outside of the project that is loaded", name)
	case errors.Is(err, fs.ErrNotExist):
		c.errs.Add(c.place(at), "paths are relative to the folder of the kustomization", "no such file or folder: %s", name)
	default:
		c.errs.Add(c.place(at), "", "%s: %s", name, manifest.WhyUnread(err))
	}
	return "", nil
}
