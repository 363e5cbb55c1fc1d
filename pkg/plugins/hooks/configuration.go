package hooks

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A policyConfiguration is the part of --admission-control-config-file for one of the plugins that evaluate policies.
type policyConfiguration struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	StaticManifestsDir string `json:"staticManifestsDir"`
}

// A webhookConfiguration is the part for one of the plugins that call webhooks.
type webhookConfiguration struct {
	policyConfiguration
	KubeConfigFile string `json:"kubeConfigFile"`
}

// A loadedWebhookConfiguration has the content of the kubeconfig, too, which whoever read the files has added.
type loadedWebhookConfiguration struct {
	webhookConfiguration
	KubeConfig json.RawMessage `json:"kubeConfig"`
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

// Folders returns the folders of manifests in the configurations of those plugins that run. It refuses configurations
// with which the server would not start (W-046), all of them at once.
func (c Configured) Folders(run []kubeversion.Plugin) (folders []Folder, err error) {
	var wrong []error
	for _, p := range run {
		data := c.Plugins[p.Name]
		if len(data) == 0 {
			continue
		}
		dir, err := c.dirOf(p.Name, data)
		switch {
		case err != nil:
			wrong = append(wrong, c.Located(p.Name, fmt.Errorf("configuration of %s: %w", p.Name, err)))
		case dir != "":
			folders = append(folders, Folder{plugin: p.Name, dir: dir, manifests: c.Manifests[p.Name], again: c.Running})
		}
	}
	return folders, errors.Join(wrong...)
}

// dirOf returns the name of the folder of manifests in the configuration of a plugin.
func (c Configured) dirOf(name string, data []byte) (dir string, err error) {
	isPolicies, isWebhooks := name == mutatingPolicies || name == validatingPolicies, name == mutatingWebhooks || name == validatingWebhooks
	var of loadedWebhookConfiguration
	switch static := c.Release.Has(kubeversion.StaticManifests); {
	case static && isPolicies:
		err = plugin.Configured(data, &of.policyConfiguration, configurationVersion+name+"Configuration")
	case static && isWebhooks:
		err = plugin.InType(plugin.Configured(data, &of, configurationVersion+"WebhookAdmissionConfiguration"), &of.webhookConfiguration)
	case isWebhooks:
		return "", c.checkBefore(data)
	default:
		return "", nil
	}
	if err == nil {
		err = c.checkDir(of.StaticManifestsDir, name)
	}
	return of.StaticManifestsDir, err
}

// checkBefore checks the configuration of webhooks as servers without static manifests do. They ignore unknown fields:
// kubernetes/apiserver@v0.35.4:pkg/admission/plugin/webhook/config/kubeconfig.go.
func (c Configured) checkBefore(data []byte) error {
	kinds := []string{"apiserver.config.k8s.io/v1alpha1 WebhookAdmission"}
	if c.Release.Has(kubeversion.WebhookAdmissionV1) {
		kinds = append([]string{configurationVersion + "WebhookAdmissionConfiguration"}, kinds...)
	}
	var of webhookConfiguration
	if err := plugin.OfKind(data, kinds...); err != nil {
		return err
	}
	if err := kjson.UnmarshalCaseSensitivePreserveInts(data, &of); err != nil {
		return err
	}
	if of.KubeConfigFile == "" {
		return newMistake("", "name a kubeconfig, with its path on the server: kubeConfigFile: /etc/kubernetes/webhooks.yaml",
			"%w", field.Invalid(field.NewPath("kubeConfigFile"), "", "must be an absolute file path"))
	}
	return nil
}

// checkDir checks the name of a folder: kubernetes/apiserver:pkg/admission/plugin/manifest/validation.go.
func (c Configured) checkDir(dir, plugin string) error {
	at := field.NewPath("staticManifestsDir")
	switch _, there := c.Manifests[plugin]; {
	case dir == "":
		return nil
	case !c.Release.Enabled(manifestsGate):
		return newMistake("", "switch it on: --feature-gates "+manifestsGate+"=true",
			"%w", field.Forbidden(at, "staticManifestsDir requires the "+manifestsGate+" feature gate to be enabled"))
	case !path.IsAbs(dir):
		return field.Invalid(at, dir, "must be an absolute file path")
	case !there:
		return field.Invalid(at, dir, "unable to read: stat "+dir+": no such file or directory")
	}
	return nil
}
