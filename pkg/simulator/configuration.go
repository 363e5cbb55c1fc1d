package simulator

import (
	"encoding/json"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A hookConfiguration is what --admission-control-config-file says of one of the plugins that
// ask webhooks or policies. That of webhooks also names a kubeconfig, which is not of interest
// here.
type hookConfiguration struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	StaticManifestsDir string `json:"staticManifestsDir"`
}

const (
	configurationVersion = "apiserver.config.k8s.io/v1"
	manifestsGate        = "ManifestBasedAdmissionControlConfig"
)

// staticFolders are the folders of manifests that the configurations of those plugins name that ask
// webhooks or policies. It refuses a configuration with which the server would not start (W-046).
func staticFolders(plugins []kubeversion.Plugin, o Options) (folders []static, err error) {
	if !o.Release.Has(kubeversion.StaticManifests) { // earlier releases did not know the field
		return nil, nil
	}
	for _, p := range plugins {
		data := o.Plugins.Configuration[p.Name]
		if len(data) == 0 {
			continue
		}
		var c hookConfiguration
		var err error
		switch p.Name {
		case mutatingPolicies, validatingPolicies:
			c, err = policyConfiguration(data, p.Name+"Configuration")
		case mutatingWebhooks, validatingWebhooks:
			err = json.Unmarshal(data, &c)
		default:
			continue
		}
		if err == nil {
			err = checkManifestsDir(c.StaticManifestsDir, p.Name, o)
		}
		if err != nil {
			return nil, o.Plugins.located(p.Name, fmt.Errorf("configuration of %s: %w", p.Name, err))
		}
		if c.StaticManifestsDir != "" {
			folders = append(folders, static{p.Name, c.StaticManifestsDir, o.Plugins.Manifests[p.Name]})
		}
	}
	return folders, nil
}

// staticObjects are what is in the folders of manifests.
func staticObjects(plugins []kubeversion.Plugin, o Options) ([]cluster.Object, error) {
	folders, err := staticFolders(plugins, o)
	if err != nil || len(folders) == 0 {
		return nil, err
	}
	types := newTypes(discovery.New(o.Release, cluster.New()), o.Expressions, o)
	var all []cluster.Object
	for _, f := range folders {
		found, err := f.load(types)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
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

// checkManifestsDir checks the name of a folder:
// kubernetes/apiserver:pkg/admission/plugin/manifest/validation.go.
func checkManifestsDir(dir, plugin string, o Options) error {
	at := field.NewPath("staticManifestsDir")
	switch _, there := o.Plugins.Manifests[plugin]; {
	case dir == "":
		return nil
	case !o.Release.Enabled(manifestsGate):
		return field.Forbidden(at, "staticManifestsDir requires the "+manifestsGate+" feature gate to be enabled")
	case !path.IsAbs(dir):
		return field.Invalid(at, dir, "must be an absolute file path")
	case !there:
		return field.Invalid(at, dir, "unable to read: stat "+dir+": no such file or directory")
	}
	return nil
}
