package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/internal/yamldoc"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// admissionConfigurationVersions are the versions of an AdmissionConfiguration (CF-01).
var admissionConfigurationVersions = []string{"apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"}

const admissionConfigurationHint = "it begins with apiVersion: apiserver.config.k8s.io/v1 and kind: AdmissionConfiguration"

// legacyConfigurations lists the plugins whose configuration had no kind at first, with the key under which it was
// found (CF-04).
var legacyConfigurations = map[string]string{
	"ImagePolicyWebhook": "imagePolicy",
	"PodNodeSelector":    "podNodeSelectorPluginConfig",
}

// An AdmissionConfiguration is the configuration of admission plugins.
type AdmissionConfiguration struct {
	// Parts are the configurations of the plugins, as JSON, by plugin.
	Parts map[string][]byte

	// Manifests are the contents of the folder that a plugin's configuration names with staticManifestsDir, by plugin.
	// There is no entry if the folder does not exist.
	Manifests map[string][]StaticManifest

	// Warnings are about what the server ignores: the configuration of plugins that the release does not have (CF-03),
	// and fields that the release does not have (W-046).
	Warnings []*manifest.Error

	places  map[string]func(path string) manifest.Source // by plugin
	missing map[missingFile]string                       // hints for files that do not exist
	reread  map[string]func() ([]StaticManifest, error)  // by plugin
	unread  map[string]manifest.Errors                   // by plugin: why the plugin's part was not read as a whole
}

// A missingFile is a file or folder that a field in the configuration of a plugin names.
type missingFile struct{ plugin, field string }

// Static returns the contents of all folders of manifests, by plugin.
func (c *AdmissionConfiguration) Static() (all []Manifest) {
	for _, plugin := range slices.Sorted(maps.Keys(c.Manifests)) {
		for _, m := range c.Manifests[plugin] {
			all = append(all, m.Manifest)
		}
	}
	return all
}

// Keep leaves out all objects in folders of manifests but these.
func (c *AdmissionConfiguration) Keep(manifests []Manifest) {
	for plugin, all := range c.Manifests {
		c.Manifests[plugin] = slices.DeleteFunc(all, func(one StaticManifest) bool {
			return !slices.ContainsFunc(manifests, func(m Manifest) bool { return m.Source == one.Source })
		})
	}
}

// Reread reads the folder of a plugin again, which was found when the configuration was loaded. The error is an
// [Errors].
func (c *AdmissionConfiguration) Reread(plugin string) ([]StaticManifest, error) {
	return c.reread[plugin]()
}

// Located adds places to err, which is about the configuration of a plugin.
func (c *AdmissionConfiguration) Located(plugin string, err error) error {
	at, ok := c.places[plugin]
	if !ok {
		return err
	}
	if wrong := c.unread[plugin]; len(wrong) > 0 {
		return wrong // err is only a consequence of it
	}
	field, located := locatedAt(at, plugin+": ", err)
	var all manifest.Errors
	all.Join(located)
	for _, one := range all {
		one.Err = &PluginError{Plugin: plugin, Err: one.Err}
	}
	if len(all) == 1 && all[0].Hint == "" {
		all[0].Hint = c.hint(plugin, field, err)
	}
	return located
}

// A PluginError says that an error is about the configuration of a plugin.
type PluginError struct {
	Plugin string
	Err    error // may be nil
}

func (e *PluginError) Error() string { return fmt.Sprintf("%s: %v", e.Plugin, e.Err) }

func (e *PluginError) Unwrap() error { return e.Err }

// LeaveOut leaves out the configuration of a plugin. ok reports whether there was one.
func (c *AdmissionConfiguration) LeaveOut(plugin string) (ok bool) {
	_, ok = c.Parts[plugin]
	delete(c.Parts, plugin)
	delete(c.Manifests, plugin)
	return ok
}

// hint returns a hint for an error about a field of a plugin's configuration.
func (c *AdmissionConfiguration) hint(plugin, field string, err error) string {
	var (
		knows interface{ Hint() string }
		typed interface{ GoType() reflect.Type }
	)
	switch {
	case errors.As(err, &knows) && knows.Hint() != "":
		return knows.Hint()
	case errors.As(err, &typed) && field != "":
		return manifest.FieldHint(typed.GoType(), field, manifest.InCluster)
	}
	return c.missing[missingFile{plugin, field}]
}

// LoadAdmissionConfiguration reads the file that kube-apiserver gets with --admission-control-config-file, and the
// files named in it. plugins are those that are enabled: of other plugins it only checks whether the release has them,
// and does not look at their configuration (CF-03). In the configurations of ImagePolicyWebhook and of the two plugins
// that call webhooks, the contents of the kubeconfig that they name are added under the key kubeConfig. All these files
// have to be in o.Root, or else in the folder of the first file: a stranger's configuration could otherwise show the
// contents of any file, or have its tokens sent to a webhook. The error is an [Errors]; what could be read is returned
// with it.
func LoadAdmissionConfiguration(file string, plugins []string, r *kubeversion.Release, o manifest.Options) (*AdmissionConfiguration, error) {
	c := admissionConfiguration{naming: namingFile(file, o), options: o, release: r}
	c.Parts, c.places = map[string][]byte{}, map[string]func(string) manifest.Source{}
	c.unread = map[string]manifest.Errors{}
	c.Manifests, c.missing, c.reread = map[string][]StaticManifest{}, map[missingFile]string{}, map[string]func() ([]StaticManifest, error){}
	if d, ok := c.document(file); ok {
		c.In = cmp.Or(c.Root, c.Within) // for the files that it names
		c.read(d, plugins)
	}
	return &c.AdmissionConfiguration, c.Errs.Err()
}

type admissionConfiguration struct {
	naming
	options manifest.Options
	AdmissionConfiguration
	release *kubeversion.Release
}

func (c *admissionConfiguration) read(d yamldoc.Document, plugins []string) {
	object, _ := d.Value.(map[string]any)
	apiVersion, _ := object["apiVersion"].(string)
	if object["kind"] == "AdmissionConfiguration" && slices.Contains(admissionConfigurationVersions, apiVersion) {
		m := manifest.Manifest{Source: d.Source, Places: d.Places, JSON: manifest.Encode(object)}
		c.entries(manifest.Form(&m, &c.Errs), plugins)
		return
	}
	legacy := false
	for _, key := range legacyConfigurations {
		_, has := object[key]
		legacy = legacy || has
	}
	if !legacy {
		c.Errs.Add(d.Source, admissionConfigurationHint, "not an AdmissionConfiguration")
		return
	}
	for _, name := range plugins {
		if _, ok := legacyConfigurations[name]; ok {
			c.keep(name, d, c.file, positionsIn(d))
		}
	}
}

// entries reads the configuration of each plugin; the first entry of a name counts.
func (c *admissionConfiguration) entries(v manifest.Value, plugins []string) {
	v.Mapping("apiVersion", "kind", "plugins")
	for _, entry := range v.At("plugins").List() {
		if !entry.Mapping("name", "path", "configuration") {
			if !entry.Given() {
				entry.Wrong("a mapping")
			}
			continue
		}
		name := entry.At("name").Text()
		c.checkName(entry.At("name"))
		if _, taken := c.Parts[name]; taken || !slices.Contains(plugins, name) {
			continue
		}
		inline, file := entry.At("configuration"), entry.At("path").Text()
		switch { // CF-02
		case inline.Given():
			c.keep(name, yamldoc.Document{Value: inline.Is, Source: inline.Source()}, c.file, func(path string) manifest.Source { return inline.Below(path).Source() })
		case file != "":
			if !path.IsAbs(file) {
				file = path.Join(path.Dir(c.file), file)
			}
			if !c.Confined(file) {
				entry.At("path").Errorf(confinedHint, "%q is outside of the folder of %s", file, c.file)
				continue
			}
			if d, ok := c.document(file); ok {
				c.keep(name, d, file, positionsIn(d))
			}
		}
	}
}

// checkName warns about a plugin that the release does not have.
func (c *admissionConfiguration) checkName(name manifest.Value) {
	if _, ok := c.release.Plugin(name.Text()); ok || name.Text() == "" {
		return
	}
	var known []string
	for _, p := range c.release.Plugins {
		known = append(known, p.Name)
	}
	unknown := &manifest.Error{Source: name.Source(), Message: fmt.Sprintf("Kubernetes %s has no admission plugin %q; its configuration has no effect", c.release.Version, name.Text())}
	if others := kubeversion.ReleasesWith(name.Text()); others != "" {
		unknown.Hint = "it is one of " + others
	} else {
		unknown.Hint = manifest.DidYouMean(name.Text(), known)
	}
	c.Warnings = append(c.Warnings, unknown)
}

// keep stores the configuration of a plugin, which was found in file.
func (c *admissionConfiguration) keep(name string, d yamldoc.Document, file string, at func(path string) manifest.Source) {
	whole, _ := d.Value.(map[string]any)
	folder, dir, before := "", "", len(c.Errs)
	c.warnIgnored(name, whole, at)
	switch name {
	case "ImagePolicyWebhook":
		policy, _ := whole["imagePolicy"].(map[string]any)
		if tried, ok := c.kubeconfig(policy, file); !ok {
			c.Errs.Add(d.Source, "put it beside this file",
				"the kubeconfig of ImagePolicyWebhook does not exist: %s", strings.Join(tried, ", "))
		}
	case "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook":
		c.refuseAdded(name, whole, at)
		if tried, ok := c.kubeconfig(whole, file); !ok { // only matters if webhooks are really called (W-153)
			c.missing[missingFile{name, kubeconfigField}] = "put it beside the file that names it: " + tried[len(tried)-1]
		}
		folder, dir = c.findStatic(name, whole, file, at)
	case "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy":
		folder, dir = c.findStatic(name, whole, file, at)
	}
	c.Parts[name], c.places[name] = manifest.Encode(d.Value), at
	for _, wrong := range c.Errs[before:] {
		wrong.Err = &PluginError{Plugin: name, Err: wrong.Err}
		c.unread[name] = append(c.unread[name], wrong)
	}
	if folder != "" {
		c.static(name, folder, dir)
	}
}
