package rest

import (
	"encoding/json"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// readable refuses a patch that is not in the declared format, before anything else is done with it.
func (x *exchange) readable() error {
	if !x.server.release().Has(kubeversion.PatchesReadFirst) {
		return nil
	}
	if x.req.PatchType != ApplyPatch {
		if !json.Valid(x.req.Body) {
			return badRequest("invalid JSON patch")
		}
		return nil
	}
	if _, err := yaml.YAMLToJSON(x.req.Body); err != nil {
		return badRequest("error encoding patch: %v", err)
	}
	return nil
}

// patchNoun returns the word that errors use for the applied patch.
func (x *exchange) patchNoun() string {
	if x.server.release().Has(kubeversion.PatchesReadFirst) {
		return "patch"
	}
	return "YAML"
}

// apply performs a server-side apply. current is nil if it creates the object:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, applyPatcher.
func (x *exchange) apply(current runtime.Object, options *metav1.PatchOptions, s objects.Strictness) (runtime.Object, error) {
	target, err := x.ownership().Target()
	if err != nil {
		return nil, err
	}
	target.Noun = x.patchNoun()
	force := options.Force != nil && *options.Force
	object, err := target.Apply(current, x.req.Body, x.ownership().Writer(options.FieldManager, force))
	if err != nil {
		return nil, refuse(err)
	}
	if s == objects.Ignore {
		return object, nil
	}
	// Duplicate fields are checked last, by the YAML library, whose messages these are.
	if err := yaml.UnmarshalStrict(x.req.Body, &map[string]any{}); err != nil {
		if s == objects.Strict {
			return nil, badRequest("error strict decoding %s: %v", x.patchNoun(), err)
		}
		for _, text := range objects.FaultTexts([]error{err}) {
			x.warnings.Add(text)
		}
	}
	return object, nil
}
