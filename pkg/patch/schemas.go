package patch

import (
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Schemas are the schemas of custom resources, each made when it is first needed. The zero
// value is ready; it is safe for concurrent use, and good for all states of a cluster, since
// a definition that changed is another one. Nil makes a schema anew each time.
type Schemas struct {
	made sync.Map // *apiextensionsv1.CustomResourceDefinition → func() (*Schema, error)
}

// Of returns the schema of what crd defines; nil stands for the built-in kinds.
func (s *Schemas) Of(crd *apiextensionsv1.CustomResourceDefinition) (*Schema, error) {
	if crd == nil {
		return BuiltIn(), nil
	}
	if s == nil {
		return Custom(crd)
	}
	read, known := s.made.Load(crd)
	if !known {
		read, _ = s.made.LoadOrStore(crd, sync.OnceValues(func() (*Schema, error) { return Custom(crd) }))
	}
	return read.(func() (*Schema, error))()
}
