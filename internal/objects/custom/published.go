// kubernetes/apiextensions-apiserver:pkg/controller/openapi/builder/builder.go

package custom

import (
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// Published returns the schema that the server publishes for custom resources in a version, which includes the one of
// metadata; ok is false if there is no such version:
// kubernetes/apiextensions-apiserver:pkg/controller/openapi/builder/builder.go.
func (k *Kind) Published(version string, metadata *spec.Schema) (s *spec.Schema, ok bool) {
	v, ok := k.versions[version]
	switch {
	case !ok:
		return nil, false
	case v.structural == nil:
		return &spec.Schema{SchemaProps: spec.SchemaProps{Type: []string{"object"}}}, true
	}
	s = v.structural.ToKubeOpenAPI()
	text := spec.StringProperty()
	s.SetProperty("apiVersion", *text)
	s.SetProperty("kind", *text)
	s.SetProperty("metadata", *metadata)
	return s, true
}
