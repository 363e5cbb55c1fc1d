package objects

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// apiextensionsGroup is what the server has of the group.
func apiextensionsGroup() Group {
	return Group{
		Kinds: []*entry{
			hub(apiextensionsv1.SchemeGroupVersion, "CustomResourceDefinition", customResourceDefinition),
		},
		Versions: definitionVersions(),
	}
}
