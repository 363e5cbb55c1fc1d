package scenario

import (
	"io/fs"
	"path"
	"slices"
	"strings"
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

// LoadAdmissionConfiguration reads the file that kube-apiserver is given with
// --admission-control-config-file, and the files named in it. plugins are those that are
// on: what is said of others is not looked at (CF-03). Each plugin's own part is returned
// as JSON, under its name. In those of ImagePolicyWebhook and of the two plugins that call
// webhooks, the kubeconfig that they name is put under the key kubeConfig beside its name. The
// error is an [Errors].
func LoadAdmissionConfiguration(file string, plugins []string, o Options) (map[string][]byte, error) {
	l := newLoader(o)
	c := admissionConfiguration{loader: l, file: file, parts: map[string][]byte{}}
	if d, ok := c.document(file); ok {
		c.read(d, plugins)
	}
	if len(l.errs) > 0 {
		return nil, l.errs.err()
	}
	return c.parts, nil
}

type admissionConfiguration struct {
	*loader
	file  string
	parts map[string][]byte
}

// document reads a file that holds one value.
func (c *admissionConfiguration) document(name string) (document, bool) {
	data, err := fs.ReadFile(c.FS, name)
	if err != nil {
		c.fail(name, err)
		return document{}, false
	}
	found := len(c.errs)
	docs := documents(name, data, &c.errs)
	switch {
	case len(c.errs) > found:
		return document{}, false
	case len(docs) != 1:
		c.errs.add(Source{File: name}, "", "%d documents instead of one", len(docs))
		return document{}, false
	}
	return docs[0], true
}

func (c *admissionConfiguration) read(d document, plugins []string) {
	object, _ := d.value.(map[string]any)
	apiVersion, _ := object["apiVersion"].(string)
	if object["kind"] == "AdmissionConfiguration" && slices.Contains(admissionConfigurationVersions, apiVersion) {
		m := Manifest{Source: d.source, places: d.places, JSON: encode(object)}
		c.entries(form(&m, &c.errs), plugins)
		return
	}
	legacy := false
	for _, key := range legacyConfigurations {
		_, has := object[key]
		legacy = legacy || has
	}
	if !legacy {
		c.errs.add(d.source, admissionConfigurationHint, "not an AdmissionConfiguration")
		return
	}
	for _, name := range plugins {
		if _, ok := legacyConfigurations[name]; ok {
			c.keep(name, d, c.file)
		}
	}
}

// entries reads what is said of each plugin; the first entry of a name counts.
func (c *admissionConfiguration) entries(v value, plugins []string) {
	v.mapping("apiVersion", "kind", "plugins")
	for _, entry := range v.at("plugins").list() {
		if !entry.mapping("name", "path", "configuration") {
			if !entry.given() {
				entry.wrong("a mapping")
			}
			continue
		}
		name := entry.at("name").text()
		if _, taken := c.parts[name]; taken || !slices.Contains(plugins, name) {
			continue
		}
		inline, file := entry.at("configuration"), entry.at("path").text()
		switch { // CF-02
		case inline.given():
			c.keep(name, document{value: inline.is, source: inline.source()}, c.file)
		case file != "":
			if !path.IsAbs(file) {
				file = path.Join(path.Dir(c.file), file)
			}
			if d, ok := c.document(file); ok {
				c.keep(name, d, file)
			}
		}
	}
}

// keep takes what a plugin is configured with, found in file.
func (c *admissionConfiguration) keep(name string, d document, file string) {
	whole, _ := d.value.(map[string]any)
	switch name {
	case "ImagePolicyWebhook":
		policy, _ := whole["imagePolicy"].(map[string]any)
		if tried, ok := c.kubeconfig(policy, file); !ok {
			c.errs.add(d.source, "put it beside this file; of it all only the server's URL is used",
				"the kubeconfig of ImagePolicyWebhook is not there: %s", strings.Join(tried, ", "))
		}
	case "MutatingAdmissionWebhook", "ValidatingAdmissionWebhook":
		c.kubeconfig(whole, file) // which only matters where webhooks are really called (W-153)
	}
	c.parts[name] = encode(d.value)
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
	if !path.IsAbs(named) {
		tried = append(tried, path.Join(path.Dir(file), named))
	}
	for _, name := range tried {
		if _, err := fs.Stat(c.FS, name); err != nil {
			continue
		}
		if kubeconfig, read := c.document(name); read {
			part["kubeConfig"], part["kubeConfigFile"] = kubeconfig.value, name
		}
		return nil, true
	}
	return tried, false
}
