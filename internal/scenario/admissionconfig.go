package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/manifest"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	fielderrors "k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/yamldoc"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// What may stand in an AdmissionConfiguration (CF-01).
var admissionConfigurationVersions = []string{"apiserver.config.k8s.io/v1", "apiserver.k8s.io/v1alpha1"}

const admissionConfigurationHint = "it begins with apiVersion: apiserver.config.k8s.io/v1 and kind: AdmissionConfiguration"

// Plugins that had a configuration before it had a kind, and the key it was found by
// (CF-04).
var legacyConfigurations = map[string]string{
	"ImagePolicyWebhook": "imagePolicy",
	"PodNodeSelector":    "podNodeSelectorPluginConfig",
}

// An AdmissionConfiguration is how admission plugins are configured.
type AdmissionConfiguration struct {
	// Parts are each plugin's own, as JSON, under its name.
	Parts map[string][]byte

	// Manifests are what is in the folder that the part of a plugin names with staticManifestsDir,
	// under the plugin's name; there is none where the folder does not exist.
	Manifests map[string][]StaticManifest

	// Warnings are of plugins that the release does not have: the server does not look at what
	// is said of them (CF-03).
	Warnings []*manifest.Error

	places  map[string]func(path string) manifest.Source // of each part
	missing map[string]string                            // what to do about a folder that does not exist
}

// Located is an error about what a plugin is configured with, with the places that it speaks of.
func (c *AdmissionConfiguration) Located(plugin string, err error) error {
	at, ok := c.places[plugin]
	if !ok {
		return err
	}
	var found manifest.Errors
	var many utilerrors.Aggregate
	if errors.As(err, &many) {
		for _, one := range many.Errors() {
			var wrong *fielderrors.Error
			if errors.As(one, &wrong) {
				found.Add(at(wrong.Field), "", "%s: %v", plugin, wrong)
			}
		}
	}
	if len(found) > 0 {
		return found.Err()
	}
	if wrong := manifest.WrongType.FindStringSubmatch(err.Error()); wrong != nil {
		return &manifest.Error{Source: at(wrong[2]), Message: fmt.Sprintf("%s: %s: %s instead of %s", plugin, wrong[2], manifest.ATypeOfJSON(wrong[1]), manifest.GoTypeName(wrong[3])), Err: err}
	}
	field := manifest.QuotedField(err.Error())
	var one *fielderrors.Error
	if errors.As(err, &one) {
		field = one.Field
	}
	located := &manifest.Error{Source: at(field), Message: err.Error(), Err: err}
	if field == "staticManifestsDir" {
		located.Hint = c.missing[plugin]
	}
	return located
}

// LoadAdmissionConfiguration reads the file that kube-apiserver is given with
// --admission-control-config-file, and the files named in it. plugins are those that are on:
// what is said of others is not looked at (CF-03), only whether the release has them. In the
// parts of ImagePolicyWebhook and of the two plugins that call webhooks, the kubeconfig that
// they name is put under the key kubeConfig beside its name. All these files have to be in
// o.Root, without one in the folder of the first: a stranger's configuration could otherwise
// show what is in any file, or have its tokens sent to a webhook. The error is an [Errors].
func LoadAdmissionConfiguration(file string, plugins []string, r *kubeversion.Release, o manifest.Options) (*AdmissionConfiguration, error) {
	l := manifest.NewLoader(o)
	l.Within = path.Dir(file)
	c := admissionConfiguration{Loader: l, file: file, release: r}
	c.Parts, c.places = map[string][]byte{}, map[string]func(string) manifest.Source{}
	c.Manifests, c.missing = map[string][]StaticManifest{}, map[string]string{}
	if d, ok := c.document(file); ok {
		c.In = cmp.Or(c.Root, c.Within) // what it names
		c.read(d, plugins)
	}
	if len(l.Errs) > 0 {
		return nil, l.Errs.Err()
	}
	return &c.AdmissionConfiguration, nil
}

type admissionConfiguration struct {
	*manifest.Loader
	AdmissionConfiguration
	file    string
	release *kubeversion.Release
}

// Document reads a file that holds one value.
func (c *admissionConfiguration) document(name string) (yamldoc.Document, bool) {
	docs, ok := c.Documents(name)
	if ok && len(docs) != 1 {
		c.Errs.Add(manifest.Source{File: name}, "", "%d documents instead of one", len(docs))
		ok = false
	}
	if !ok {
		return yamldoc.Document{}, false
	}
	return docs[0], true
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

// entries reads what is said of each plugin; the first entry of a name counts.
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

// positionsIn returns where the field at a path of a document was written.
func positionsIn(d yamldoc.Document) func(path string) manifest.Source {
	m := manifest.Manifest{Source: d.Source, Places: d.Places}
	return m.Position
}

// checkName warns of a plugin that the release does not have.
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

// keep takes what a plugin is configured with, found in file.
func (c *admissionConfiguration) keep(name string, d yamldoc.Document, file string, at func(path string) manifest.Source) {
	whole, _ := d.Value.(map[string]any)
	switch name {
	case "ImagePolicyWebhook":
		policy, _ := whole["imagePolicy"].(map[string]any)
		if tried, ok := c.kubeconfig(policy, file); !ok {
			c.Errs.Add(d.Source, "put it beside this file",
				"the kubeconfig of ImagePolicyWebhook does not exist: %s", strings.Join(tried, ", "))
		}
	case "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook":
		c.kubeconfig(whole, file) // which only matters where webhooks are really called (W-153)
		c.static(name, whole, file, at)
	case "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy":
		c.static(name, whole, file, at)
	}
	c.Parts[name], c.places[name] = manifest.Encode(d.Value), at
}

// kubeconfig puts the kubeconfig that part names into it, and where it was found. The server
// looks for it in its own file system, which is not admsim's: beside the file that names it
// does as well. If it is nowhere, ok is false.
func (c *admissionConfiguration) kubeconfig(part map[string]any, file string) (tried []string, ok bool) {
	named, _ := part["kubeConfigFile"].(string)
	if named == "" {
		return nil, true // the plugin complains where it needs one
	}
	tried = []string{named}
	if beside := path.Join(path.Dir(file), named); !path.IsAbs(named) && beside != named {
		tried = append(tried, beside)
	}
	for _, name := range tried {
		if _, err := fs.Stat(c.FS, name); err != nil {
			continue
		}
		if !c.Confined(name) {
			c.Errs.Add(manifest.Source{File: file}, confinedHint, "the kubeconfig %q is outside of the folder of %s", name, c.file)
			return nil, true
		}
		if kubeconfig, read := c.document(name); read {
			c.credentials(kubeconfig, name)
			part["kubeConfig"], part["kubeConfigFile"] = kubeconfig.Value, name
		}
		return nil, true
	}
	return tried, false
}

const confinedHint = "put it beside the file that names it"

// credentials refuses a kubeconfig whose users have files outside of what may be read: what
// is in them is sent to webhooks.
func (c *admissionConfiguration) credentials(kubeconfig yamldoc.Document, file string) {
	whole, _ := kubeconfig.Value.(map[string]any)
	users, _ := whole["users"].([]any)
	for i, one := range users {
		entry, _ := one.(map[string]any)
		user, _ := entry["user"].(map[string]any)
		for _, key := range []string{"tokenFile", "client-certificate", "client-key"} {
			name, _ := user[key].(string)
			if name == "" {
				continue
			}
			if !path.IsAbs(name) {
				name = path.Join(path.Dir(file), name)
			}
			if !c.Confined(name) {
				c.Errs.Add(positionsIn(kubeconfig)(fmt.Sprintf("users[%d].user.%s", i, key)), confinedHint, "%s %q is outside of the folder of %s", key, name, c.file)
			}
		}
	}
}
