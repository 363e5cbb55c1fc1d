package policy

import (
	"errors"
	"fmt"
	"path"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	kjson "sigs.k8s.io/json"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A configuration is what --admission-control-config-file says of one of the two plugins.
type configuration struct {
	APIVersion         string `json:"apiVersion"`
	Kind               string `json:"kind"`
	StaticManifestsDir string `json:"staticManifestsDir"`
}

const (
	configurationVersion = "apiserver.config.k8s.io/v1"
	manifestsGate        = "ManifestBasedAdmissionControlConfig"
)

// CheckConfiguration refuses the configuration of one of the two plugins, as JSON, with which
// the server would not start; kind is the one that it must be of (W-046). Policies from a
// folder of the server's own, which a feature gate has to allow first, are not simulated.
func CheckConfiguration(data []byte, kind string, r *kubeversion.Release) error {
	if len(data) == 0 || !r.AtLeast(36) { // earlier releases did not read it
		return nil
	}
	var c configuration
	strict, err := kjson.UnmarshalStrict(data, &c)
	if err == nil && len(strict) > 0 {
		err = runtime.NewStrictDecodingError(strict)
	}
	at := field.NewPath("staticManifestsDir")
	switch {
	case err != nil:
		return err
	case c.APIVersion != configurationVersion || c.Kind != kind:
		return fmt.Errorf("the configuration is of kind %q, version %q; want %s of %s", c.Kind, c.APIVersion, kind, configurationVersion)
	case c.StaticManifestsDir == "":
		return nil
	case !r.Enabled(manifestsGate):
		return field.Forbidden(at, "staticManifestsDir requires the "+manifestsGate+" feature gate to be enabled")
	case !path.IsAbs(c.StaticManifestsDir):
		return field.Invalid(at, c.StaticManifestsDir, "must be an absolute file path")
	}
	return errors.New("staticManifestsDir: policies of a folder are not simulated; put them into the cluster instead")
}
