package policy

import (
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/pkg/patch"
)

// Schemas are the merge schemas of custom resources, each made when it is first needed. The
// zero value is ready; it is safe for concurrent use, and good for all states of a cluster.
type Schemas struct {
	byCRD sync.Map // *apiextensionsv1.CustomResourceDefinition → func() (*patch.Schema, error)
}

func (s *Schemas) of(crd *apiextensionsv1.CustomResourceDefinition) (*patch.Schema, error) {
	read, known := s.byCRD.Load(crd)
	if !known {
		read, _ = s.byCRD.LoadOrStore(crd, sync.OnceValues(func() (*patch.Schema, error) { return patch.Custom(crd) }))
	}
	return read.(func() (*patch.Schema, error))()
}
