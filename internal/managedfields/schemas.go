package managedfields

import (
	"iter"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// Schemas are the schemas of custom resources, each built when it is first needed. The zero value is ready to
// use, also concurrently. A definition that changed is another one; see [Schemas.Keep]. Nil builds a schema
// each time.
type Schemas struct {
	made sync.Map // *apiextensionsv1.CustomResourceDefinition → func() (*Schema, error)
}

// Keep returns the schemas of a cluster that has these definitions: s itself, or a new one without the schemas
// of other definitions.
func (s *Schemas) Keep(crds iter.Seq[*apiextensionsv1.CustomResourceDefinition]) *Schemas {
	there := map[any]bool{}
	for crd := range crds {
		there[crd] = true
	}
	kept, all := &Schemas{}, true
	s.made.Range(func(crd, made any) bool {
		if there[crd] {
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

// Of returns the schema of what crd defines; nil stands for the built-in kinds.
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
