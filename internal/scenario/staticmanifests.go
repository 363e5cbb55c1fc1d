package scenario

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/internal/yamldoc"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A StaticManifest is one object in a folder that staticManifestsDir names, and the name of its file on the server.
type StaticManifest struct {
	manifest.Manifest
	File string
}

// findStatic finds the folder of manifests that the configuration of a plugin names. Like a kubeconfig it may be beside
// the file that names it, since the server's own file system is not admsim's: under its whole path, or the end of it.
// dir is its name on the server. found is empty if there is no such folder.
func (c *admissionConfiguration) findStatic(plugin string, part map[string]any, file string, at func(path string) manifest.Source) (found, dir string) {
	dir, _ = part[manifestsField].(string)
	if !path.IsAbs(dir) || !c.release.Has(kubeversion.StaticManifests) {
		return "", dir // reported by the plugin if necessary
	}
	refused, tried := "", placesOf(dir, path.Dir(file))
	for _, name := range tried {
		info, err := fs.Stat(c.FS, name)
		switch {
		case err != nil:
			continue
		case !c.Confined(name):
			refused = name
			continue
		case !info.IsDir():
			c.Errs.Add(at(manifestsField), "", "configuration of %s: staticManifestsDir: Invalid value: %q: must be a directory", plugin, dir)
			return "", dir
		}
		return name, dir
	}
	if refused != "" {
		c.Errs.Add(at(manifestsField), confinedHint, "the folder %q is outside of that of %s", refused, c.file)
	} else {
		c.missing[missingFile{plugin, manifestsField}] = fmt.Sprintf("put the folder beside the file that names it, as one of: %s", strings.Join(tried[1:], ", "))
	}
	return "", dir
}

// static reads a folder of manifests, whose name on the server is dir.
func (c *admissionConfiguration) static(plugin, folder, dir string) {
	c.Manifests[plugin] = c.folderOf(plugin, folder, dir)
	c.reread[plugin] = func() ([]StaticManifest, error) {
		o := c.options
		o.Opened = nil // it is known already
		again := admissionConfiguration{naming: namingFile(c.file, o)}
		again.In = c.In
		all := again.folderOf(plugin, folder, dir)
		return all, again.Errs.Err()
	}
}

// placesOf returns where the folder that is dir on a server may be: there, or below a folder next to the file that
// names it.
func placesOf(dir, beside string) []string {
	places := []string{path.Clean(dir)}
	parts := strings.Split(strings.Trim(path.Clean(dir), "/"), "/")
	for i := range parts {
		places = append(places, path.Join(beside, path.Join(parts[i:]...)))
	}
	return places
}

// folderOf reads the files of a folder in the order of their names, as
// kubernetes/apiserver:pkg/admission/plugin/manifest/loader.go does: subfolders are not read.
func (c *admissionConfiguration) folderOf(plugin, folder, dir string) []StaticManifest {
	found := []StaticManifest{}
	entries, err := fs.ReadDir(c.FS, folder)
	if err != nil {
		c.Fail(folder, err)
		return found
	}
	for _, entry := range entries {
		name := path.Join(folder, entry.Name())
		if entry.IsDir() || !slices.Contains([]string{".yaml", ".yml", ".json"}, strings.ToLower(path.Ext(name))) {
			continue
		}
		if !c.Confined(name) {
			c.Errs.Add(manifest.Source{File: name}, manifest.OutsideHint, manifest.Outside, name)
			continue
		}
		c.Note(name)
		data, err := c.Bytes(name)
		if err != nil {
			c.Fail(name, err)
			continue
		}
		of := path.Join(dir, entry.Name())
		c.commentsAlone(plugin, name, of, data)
		for _, d := range yamldoc.Documents(name, data, &c.Errs) {
			for _, m := range manifest.Manifests(d, &c.Errs) {
				found = append(found, StaticManifest{m, of})
			}
		}
	}
	return found
}

// commentsAlone refuses a document that holds nothing but comments: a server does not start with it.
func (c *admissionConfiguration) commentsAlone(plugin, name, of string, data []byte) {
	lines, texts := yamldoc.OnlyComments(name, data)
	for i, text := range texts {
		c.Errs.Add(manifest.Source{File: name, Line: lines[i]}, "remove the --- after it, or the comment",
			"failed to initialize admission plugin %q: error loading %s: Object 'Kind' is missing in '%s'", plugin, of, text)
	}
}
