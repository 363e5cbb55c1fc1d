package managedfields

import (
	"iter"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Schemas holds the schemas of custom resources, each built when it is first needed. The zero value is ready to use,
// also concurrently. A changed definition counts as a different one; see [Schemas.Keep]. A nil Schemas builds a schema
// on each call.
type Schemas struct {
	made sync.Map // *apiextensionsv1.CustomResourceDefinition → func() (*Schema, error)
}

// Keep returns the schemas for a cluster with these definitions: s itself, or a new Schemas without the schemas of
// other definitions.
func (s *Schemas) Keep(crds iter.Seq[*apiextensionsv1.CustomResourceDefinition]) *Schemas {
	present := map[any]bool{}
	for crd := range crds {
		present[crd] = true
	}
	kept, all := &Schemas{}, true
	s.made.Range(func(crd, made any) bool {
		if present[crd] {
			kept.made.Store(crd, made)
		} else {
			all = false
		}
		return true
	})
	if all {
		return s
	}
	return kept
}

// Of returns the schema of the custom resource that crd defines, or the schema of the built-in kinds if crd is nil.
func (s *Schemas) Of(crd *apiextensionsv1.CustomResourceDefinition) (*Schema, error) {
	if crd == nil {
		return builtIn(), nil
	}
	if s == nil {
		return custom(crd)
	}
	read, known := s.made.Load(crd)
	if !known {
		read, _ = s.made.LoadOrStore(crd, sync.OnceValues(func() (*Schema, error) { return custom(crd) }))
	}
	return read.(func() (*Schema, error))()
}
