package hooks

import (
	"encoding/json"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A hookConfiguration is the part of --admission-control-config-file for one of the plugins that call webhooks or
// evaluate policies. For webhooks it also names a kubeconfig, which does not matter here.
type hookConfiguration struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	StaticManifestsDir string `json:"staticManifestsDir"`
}

const (
	configurationVersion = "apiserver.config.k8s.io/v1"
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
	if !c.Release.Has(kubeversion.StaticManifests) { // earlier releases do not know the field
		return nil, nil
	}
	for _, p := range run {
		data := c.Plugins[p.Name]
		if len(data) == 0 {
			continue
		}
		var of hookConfiguration
		var err error
		switch p.Name {
		case mutatingPolicies, validatingPolicies:
			of, err = policyConfiguration(data, p.Name+"Configuration")
		case mutatingWebhooks, validatingWebhooks:
			err = json.Unmarshal(data, &of)
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

func policyConfiguration(data []byte, kind string) (c hookConfiguration, err error) {
	strict, err := kjson.UnmarshalStrict(data, &c)
	switch {
	case err != nil:
		return c, err
	case len(strict) > 0:
		return c, runtime.NewStrictDecodingError(strict)
	case c.APIVersion != configurationVersion || c.Kind != kind:
		return c, fmt.Errorf("the configuration is of kind %q, version %q; want %s of %s", c.Kind, c.APIVersion, kind, configurationVersion)
	}
	return c, nil
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
