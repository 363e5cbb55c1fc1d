package hooks

import (
	"encoding/json"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A policyConfiguration is the part of --admission-control-config-file for one of the plugins that evaluate policies.
type policyConfiguration struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	StaticManifestsDir string `json:"staticManifestsDir"`
}

// A webhookConfiguration is the part for one of the plugins that call webhooks. The kubeconfig does not matter here:
// whoever read the file that it names has added its content.
type webhookConfiguration struct {
	policyConfiguration
	KubeConfigFile string          `json:"kubeConfigFile"`
	KubeConfig     json.RawMessage `json:"kubeConfig"`
}

const (
	configurationVersion = "apiserver.config.k8s.io/v1 "
	manifestsGate        = "ManifestBasedAdmissionControlConfig"
)

// Configured is the configuration of the plugins, by name.
type Configured struct {
	Release   *kubeversion.Release
	Plugins   map[string][]byte     // each plugin's own part of the admission configuration, as JSON
	Manifests map[string][]Manifest // the content of the folder that the plugin names in staticManifestsDir

	Running bool // the server has started, and reads the folders again

	// Located returns an error about a plugin's configuration with the positions that it is about.
	Located func(plugin string, err error) error
}

// Folders returns the folders of manifests in the configurations of those plugins that run. It refuses a configuration
// with which the server would not start (W-046).
func (c Configured) Folders(run []kubeversion.Plugin) (folders []Folder, err error) {
	if !c.Release.Has(kubeversion.StaticManifests) { // earlier releases ignore the field
		return nil, nil
	}
	for _, p := range run {
		data := c.Plugins[p.Name]
		if len(data) == 0 {
			continue
		}
		var of webhookConfiguration
		var err error
		switch p.Name {
		case mutatingPolicies, validatingPolicies:
			err = plugin.Configured(data, &of.policyConfiguration, configurationVersion+p.Name+"Configuration")
		case mutatingWebhooks, validatingWebhooks:
			err = plugin.Configured(data, &of, configurationVersion+"WebhookAdmissionConfiguration")
		default:
			continue
		}
		if err == nil {
			err = c.checkDir(of.StaticManifestsDir, p.Name)
		}
		if err != nil {
			return nil, c.Located(p.Name, fmt.Errorf("configuration of %s: %w", p.Name, err))
		}
		if of.StaticManifestsDir != "" {
			folders = append(folders, Folder{plugin: p.Name, dir: of.StaticManifestsDir, manifests: c.Manifests[p.Name], again: c.Running})
		}
	}
	return folders, nil
}

// checkDir checks the name of a folder: kubernetes/apiserver:pkg/admission/plugin/manifest/validation.go.
func (c Configured) checkDir(dir, plugin string) error {
	at := field.NewPath("staticManifestsDir")
	switch _, there := c.Manifests[plugin]; {
	case dir == "":
		return nil
	case !c.Release.Enabled(manifestsGate):
		return field.Forbidden(at, "staticManifestsDir requires the "+manifestsGate+" feature gate to be enabled")
	case !path.IsAbs(dir):
		return field.Invalid(at, dir, "must be an absolute file path")
	case !there:
		return field.Invalid(at, dir, "unable to read: stat "+dir+": no such file or directory")
	}
	return nil
}
