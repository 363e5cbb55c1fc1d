// kubernetes/apiextensions-apiserver@v0.15.12:pkg/registry/customresourcedefinition/strategy.go
// kubernetes/apiextensions-apiserver@v0.20.15:pkg/apis/apiextensions/validation/validation.go

package crd

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsv1beta1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
)

// The shape of a definition of v1beta1 is where it has its schemas, subresources and columns: for all versions, in each
// version, or both. The hub only has them in versions, so a definition loses its shape on the way there and back. Those
// that the server accepts get the same shape again; the others have to keep theirs until they are refused.

// restoreShape gives a definition the shape of the one from which its hub was made, except for what has changed since.
func restoreShape(obj, from *apiextensionsv1beta1.CustomResourceDefinition) {
	spec, sent, reshaped := &obj.Spec, &betaFromInternal(betaToInternal(from)).Spec, &definitionFromHub(definitionToHub(from)).Spec
	if len(spec.Versions) != len(sent.Versions) || len(reshaped.Versions) != len(sent.Versions) {
		return
	}
	if spec.Version == reshaped.Version {
		spec.Version = sent.Version
	}
	restorePlaces(schemaPlaces, spec, sent, reshaped)
	restorePlaces(subresourcePlaces, spec, sent, reshaped)
	restorePlaces(columnPlaces, spec, sent, reshaped)
}

type betaSpec = apiextensionsv1beta1.CustomResourceDefinitionSpec

// restorePlaces sets all places of spec as in sent, if they are what a change of shape made of those of sent.
func restorePlaces[T any](places func(*betaSpec) []*T, spec, sent, reshaped *betaSpec) {
	now, before := places(spec), places(sent)
	if !semantic.DeepEqual(now, places(reshaped)) {
		return
	}
	for i := range now {
		*now[i] = *before[i]
	}
}

// schemaPlaces returns where a definition has schemas: for all versions, and then in each version.
func schemaPlaces(spec *betaSpec) []**apiextensionsv1beta1.CustomResourceValidation {
	places := []**apiextensionsv1beta1.CustomResourceValidation{&spec.Validation}
	for i := range spec.Versions {
		places = append(places, &spec.Versions[i].Schema)
	}
	return places
}

func subresourcePlaces(spec *betaSpec) []**apiextensionsv1beta1.CustomResourceSubresources {
	places := []**apiextensionsv1beta1.CustomResourceSubresources{&spec.Subresources}
	for i := range spec.Versions {
		places = append(places, &spec.Versions[i].Subresources)
	}
	return places
}

func columnPlaces(spec *betaSpec) []*[]apiextensionsv1beta1.CustomResourceColumnDefinition {
	places := []*[]apiextensionsv1beta1.CustomResourceColumnDefinition{&spec.AdditionalPrinterColumns}
	for i := range spec.Versions {
		places = append(places, &spec.Versions[i].AdditionalPrinterColumns)
	}
	return places
}

// prepareShape makes the changes before a write that depend on the shape: an update of the status keeps the spec, and
// while versions cannot be converted, they may have nothing of their own unless they had it before.
func prepareShape(crd, old *apiextensionsv1beta1.CustomResourceDefinition, r rules.Request) {
	if r.Subresource == "status" {
		crd.Spec = *old.Spec.DeepCopy()
		return
	}
	if !r.Release.Disabled(webhookConversion) || old != nil && slices.ContainsFunc(old.Spec.Versions, hasOwnFields) {
		return
	}
	for i := range crd.Spec.Versions {
		v := &crd.Spec.Versions[i]
		if hasOwnFields(*v) {
			r.Drops("spec.versions[]", webhookConversion)
		}
		v.Schema, v.Subresources, v.AdditionalPrinterColumns = nil, nil, nil
	}
}

func hasOwnFields(v apiextensionsv1beta1.CustomResourceDefinitionVersion) bool {
	return v.Schema != nil || v.Subresources != nil || len(v.AdditionalPrinterColumns) > 0
}

// checkedForm returns the internal form of a CRD that is checked. It has the shape in which it was sent.
func checkedForm(crd *apiextensionsv1.CustomResourceDefinition, r rules.Request) *apiextensions.CustomResourceDefinition {
	if sent, ok := r.Sent.(*apiextensionsv1beta1.CustomResourceDefinition); ok {
		return betaToInternal(sent)
	}
	return internalCRD(crd)
}

// shapeFaults refuses a definition that has something both for all versions and in versions, or the same in all
// versions. In the internal form of a definition of v1, what all versions have in common is in one place.
func shapeFaults(spec *apiextensions.CustomResourceDefinitionSpec) field.ErrorList {
	var errs rules.Errors
	// own returns what a version has of its own, or nil.
	check := func(field, things string, isSet bool, own func(apiextensions.CustomResourceDefinitionVersion) any) {
		inVersions, alike := false, len(spec.Versions) > 0
		for _, v := range spec.Versions {
			value := own(v)
			inVersions = inVersions || value != nil
			alike = alike && value != nil && semantic.DeepEqual(value, own(spec.Versions[0]))
		}
		if isSet && inVersions {
			errs.Forbidden(rules.SpecPath.Child(field), "top-level and per-version "+things+" are mutually exclusive")
		}
		if alike {
			errs.Invalid(rules.SpecPath.Child("versions"), spec.Versions, fmt.Sprintf("per-version %s may not all be set to identical values (top-level %s should be used instead)", things, field))
		}
	}
	check("validation", "schemas", spec.Validation != nil, func(v apiextensions.CustomResourceDefinitionVersion) any {
		if v.Schema == nil {
			return nil
		}
		return v.Schema
	})
	check("subresources", "subresources", spec.Subresources != nil, func(v apiextensions.CustomResourceDefinitionVersion) any {
		if v.Subresources == nil {
			return nil
		}
		return v.Subresources
	})
	check("additionalPrinterColumns", "additionalPrinterColumns", len(spec.AdditionalPrinterColumns) > 0, func(v apiextensions.CustomResourceDefinitionVersion) any {
		if len(v.AdditionalPrinterColumns) == 0 {
			return nil
		}
		return v.AdditionalPrinterColumns
	})
	return errs.List()
}
