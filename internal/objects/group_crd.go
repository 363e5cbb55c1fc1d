package objects

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// apiextensionsKinds are those of the group.
func apiextensionsKinds() Kinds {
	return Kinds{
		Hubs: []*entry{
			hub(apiextensionsv1.SchemeGroupVersion, "CustomResourceDefinition", customResourceDefinition),
		},
		Versions: definitionVersions(),
	}
}
