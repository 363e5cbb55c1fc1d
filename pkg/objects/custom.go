package objects

import (
	"errors"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// custom is the kind of a CRD.
type custom struct{ kind }

func newCustom(crd *apiextensionsv1.CustomResourceDefinition) (*custom, error) {
	return nil, errors.New("custom resources are not there yet: " + crd.Name)
}
