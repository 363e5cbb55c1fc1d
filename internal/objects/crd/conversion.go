// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1beta1/conversion.go

package crd

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"

	"github.com/admsim/admsim/internal/objects/rules"
)

// definitionVersions is v1beta1 of CRDs, served up to 1.21. Its conversions are published, so these are the server's
// own.
func definitionVersions() []*rules.Version {
	const kind = "CustomResourceDefinition"
	return []*rules.Version{rules.VersionOf(
		apiextensionsv1beta1.SchemeGroupVersion.WithKind(kind), apiextensionsv1.SchemeGroupVersion.WithKind(kind),
		apiextensionsv1beta1.SetObjectDefaults_CustomResourceDefinition, definitionToHub, definitionFromHub,
	)}
}

func definitionToHub(in *apiextensionsv1beta1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	internal, out := &apiextensions.CustomResourceDefinition{}, &apiextensionsv1.CustomResourceDefinition{}
	must(apiextensionsv1beta1.Convert_v1beta1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(in.DeepCopy(), internal, nil))
	must(apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(internal, out, nil))
	return out
}

func definitionFromHub(in *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1beta1.CustomResourceDefinition {
	internal, out := &apiextensions.CustomResourceDefinition{}, &apiextensionsv1beta1.CustomResourceDefinition{}
	must(apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(in.DeepCopy(), internal, nil))
	must(apiextensionsv1beta1.Convert_apiextensions_CustomResourceDefinition_To_v1beta1_CustomResourceDefinition(internal, out, nil))
	return out
}

// must is for conversions that cannot fail, although the library's signatures allow it.
func must(err error) {
	if err != nil {
		panic("objects: " + err.Error())
	}
}
