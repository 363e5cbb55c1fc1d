package rest

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/objects"
)

// apply is a server-side apply; current is nil where it creates:
// kubernetes/apiserver:pkg/endpoints/handlers/patch.go, applyPatcher.
func (x *exchange) apply(current runtime.Object, options *metav1.PatchOptions, s objects.Strictness) (runtime.Object, error) {
	target, err := x.target()
	if err != nil {
		return nil, err
	}
	force := options.Force != nil && *options.Force
	object, err := target.Apply(current, x.req.Body, x.writer(options.FieldManager, force))
	if err != nil {
		return nil, refuse(err)
	}
	if s == objects.Ignore {
		return object, nil
	}
	// A field given twice is looked for last, and by the YAML library, whose words these are.
	if err := yaml.UnmarshalStrict(x.req.Body, &map[string]any{}); err != nil {
		if s == objects.Strict {
			return nil, badRequest("error strict decoding YAML: %v", err)
		}
		x.warnings.Add(err.Error())
	}
	return object, nil
}
