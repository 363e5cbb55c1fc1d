// Package crd has the rules of CustomResourceDefinition; custom resources themselves are handled by package custom. It
// follows kubernetes/apiextensions-apiserver:pkg/apis/apiextensions.
package crd

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// Kinds returns the kinds of the group.
func Kinds() rules.Kinds {
	return rules.Kinds{
		Hubs: []rules.Kind{
			rules.Hub(apiextensionsv1.SchemeGroupVersion, "CustomResourceDefinition", customResourceDefinition),
		},
		Versions: definitionVersions(),
	}
}
