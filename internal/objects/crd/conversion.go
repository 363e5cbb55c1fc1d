// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1beta1/conversion.go

package crd

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects/rules"
)

// definitionVersions is v1beta1 of CRDs, served up to 1.21. Its conversions are published, so these are the server's
// own.
func definitionVersions() []*rules.Version {
	const kind = "CustomResourceDefinition"
	v := rules.VersionOf(
		apiextensionsv1beta1.SchemeGroupVersion.WithKind(kind), apiextensionsv1.SchemeGroupVersion.WithKind(kind),
		apiextensionsv1beta1.SetObjectDefaults_CustomResourceDefinition, definitionToHub, definitionFromHub,
	)
	v.Restore = func(obj, from runtime.Object) {
		restoreShape(obj.(*apiextensionsv1beta1.CustomResourceDefinition), from.(*apiextensionsv1beta1.CustomResourceDefinition))
	}
	v.Prepare = func(obj, old runtime.Object, r rules.Request) {
		before, _ := old.(*apiextensionsv1beta1.CustomResourceDefinition)
		prepareShape(obj.(*apiextensionsv1beta1.CustomResourceDefinition), before, r)
	}
	return []*rules.Version{v}
}

func definitionToHub(in *apiextensionsv1beta1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := &apiextensionsv1.CustomResourceDefinition{}
	must(apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(betaToInternal(in), out, nil))
	return out
}

func definitionFromHub(in *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1beta1.CustomResourceDefinition {
	internal := &apiextensions.CustomResourceDefinition{}
	must(apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(in.DeepCopy(), internal, nil))
	return betaFromInternal(internal)
}

func betaToInternal(in *apiextensionsv1beta1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	out := &apiextensions.CustomResourceDefinition{}
	must(apiextensionsv1beta1.Convert_v1beta1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(in.DeepCopy(), out, nil))
	return out
}

func betaFromInternal(in *apiextensions.CustomResourceDefinition) *apiextensionsv1beta1.CustomResourceDefinition {
	out := &apiextensionsv1beta1.CustomResourceDefinition{}
	must(apiextensionsv1beta1.Convert_apiextensions_CustomResourceDefinition_To_v1beta1_CustomResourceDefinition(in, out, nil))
	return out
}

// must is for conversions that cannot fail, although the library's signatures allow it.
func must(err error) {
	if err != nil {
		panic("objects: " + err.Error())
	}
}
