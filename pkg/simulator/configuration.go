package simulator

import (
	"encoding/json"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

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

// checkHookConfiguration refuses a configuration with which the server would not start, of
// those plugins that ask webhooks or policies (W-046). Hooks from a folder of the server's
// own, which a feature gate has to allow first, are not simulated.
func checkHookConfiguration(plugins []kubeversion.Plugin, o Options) error {
	if !o.Release.Has(kubeversion.StaticManifests) { // earlier releases did not know the field
		return nil
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
			err = checkManifestsDir(c.StaticManifestsDir, o.Release)
		}
		if err != nil {
			return o.Plugins.located(p.Name, fmt.Errorf("configuration of %s: %w", p.Name, err))
		}
	}
	return nil
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

func checkManifestsDir(dir string, r *kubeversion.Release) error {
	at := field.NewPath("staticManifestsDir")
	switch {
	case dir == "":
		return nil
	case !r.Enabled(manifestsGate):
		return field.Forbidden(at, "staticManifestsDir requires the "+manifestsGate+" feature gate to be enabled")
	case !path.IsAbs(dir):
		return field.Invalid(at, dir, "must be an absolute file path")
	}
	return field.Invalid(at, dir, "what is in a folder of the server's is not simulated; put it into the cluster instead")
}
