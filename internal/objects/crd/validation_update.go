// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go

package crd

import (
	"reflect"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A crdCheck checks a CRD. Its fields are the rules that are relaxed if the old CRD broke them.
type crdCheck struct {
	release      *kubeversion.Release
	environments func() *environment.EnvSet // of rules

	schema         bool // require a schema in each version
	types          bool // require types of OpenAPI
	structural     bool // require structural schemas
	prunedDefaults bool // refuse fields in defaults that the schema does not know
	atomicSets     bool // refuse sets of items that are not compared as a whole
	listKeys       bool // refuse list keys that may be absent, and items that may be null
	reviewVersion  bool // require a version of reviews that the server supports
	caBundle       bool // refuse invalid bundles
	noDefaults     bool // refuse defaults

	whyNoDefaults string // what the error about a default adds; it may be empty

	manyFields map[string]bool // versions that may select more fields; "" for those of all versions
	sameSchema map[string]bool // versions in which a rule may cost more
	before     crdExpressions
}

// newCRDCheck returns the check of new CRDs. They do not serve anything yet, so a bundle may be added later.
func newCRDCheck(r rules.Request) crdCheck {
	c := crdCheck{release: r.Release, environments: environmentsOf(r.Release), schema: true, types: true, structural: true, prunedDefaults: true, atomicSets: true, listKeys: true, reviewVersion: true}
	return c.inVersion(r, false)
}

// inVersion returns the check for the version of a request. v1beta1 needs no structural schemas, nor any schema at all
// (CRD-01). It has no defaults unless the old CRD had some; before there was v1, that depended on a gate.
func (c crdCheck) inVersion(r rules.Request, hadDefaults bool) crdCheck {
	if r.IsBeta() {
		gated := !r.Release.Has(kubeversion.DefinitionsV1) && r.Release.Enabled("CustomResourceDefaulting")
		c.schema, c.types, c.structural = false, false, false
		c.noDefaults = !gated && !hadDefaults
		if r.Release.Has(kubeversion.DefaultsOfV1Named) {
			c.whyNoDefaults = "(cannot set default values in apiextensions.k8s.io/v1beta1 CRDs, must use apiextensions.k8s.io/v1)"
		}
	}
	return c
}

// crdCheckOfUpdate returns a check that allows the faults of the old CRD.
func crdCheckOfUpdate(crd, old *apiextensions.CustomResourceDefinition, r rules.Request) crdCheck {
	spec := &old.Spec
	c := crdCheck{
		release:        r.Release,
		environments:   environmentsOf(r.Release),
		schema:         !lacksSchema(spec),
		types:          !anySchema(spec, hasUnknownType),
		structural:     !slices.ContainsFunc(rootSchemas(spec), isNotStructural),
		prunedDefaults: !slices.ContainsFunc(rootSchemas(spec), hasUnprunedDefaults),
		atomicSets:     !anySchema(spec, func(s *apiextensions.JSONSchemaProps) bool { return setOfParts(s) != "" }),
		listKeys:       !anySchema(spec, func(s *apiextensions.JSONSchemaProps) bool { return len(validateListItems(s, nil)) > 0 }),
		reviewVersion:  spec.Conversion == nil || speaksReviews(spec.Conversion.ConversionReviewVersions, r.Release),
		caBundle:       r.Release.Has(kubeversion.DefinitionBundlesChecked) && apiextensions.IsCRDConditionTrue(old, apiextensions.Established) && !hasBrokenBundle(spec.Conversion),
		manyFields:     manyFields(&crd.Spec, spec, r.Release),
		sameSchema:     sameSchema(crd, old),
		before:         expressionsOf(spec),
	}
	return c.inVersion(r, anySchema(spec, hasDefault))
}

// sameSchema returns the versions whose schema an update does not change.
func sameSchema(crd, old *apiextensions.CustomResourceDefinition) map[string]bool {
	same := map[string]bool{}
	for _, v := range crd.Spec.Versions {
		after, err := apiextensions.GetSchemaForVersion(crd, v.Name)
		if err != nil {
			continue
		}
		before, err := apiextensions.GetSchemaForVersion(old, v.Name)
		if err == nil && semantic.DeepEqual(after, before) {
			same[v.Name] = true
		}
	}
	return same
}

// manyFields returns the versions that keep more selectable fields than are now allowed.
func manyFields(spec, old *apiextensions.CustomResourceDefinitionSpec, r *kubeversion.Release) map[string]bool {
	if !r.Has(kubeversion.ManySelectableFieldsKept) {
		return nil
	}
	kept := map[string]bool{}
	keep := func(version string, after, before []apiextensions.SelectableField) {
		if len(before) > mostSelectableFields && semantic.DeepEqual(after, before) {
			kept[version] = true
		}
	}
	keep("", spec.SelectableFields, old.SelectableFields)
	for _, v := range spec.Versions {
		for _, before := range slices.Backward(old.Versions) { // the last one with the name
			if before.Name == v.Name {
				keep(v.Name, v.SelectableFields, before.SelectableFields)
				break
			}
		}
	}
	return kept
}

func lacksSchema(spec *apiextensions.CustomResourceDefinitionSpec) bool {
	if spec.Validation != nil && spec.Validation.OpenAPIV3Schema != nil {
		return false
	}
	return slices.ContainsFunc(spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
		return v.Schema == nil || v.Schema.OpenAPIV3Schema == nil
	})
}

func isNotStructural(schema *apiextensions.JSONSchemaProps) bool {
	s, err := structuralschema.NewStructural(schema)
	return err != nil || len(structuralschema.ValidateStructural(nil, s)) > 0
}

// hasUnprunedDefaults reports whether a default has fields that are not in the schema.
func hasUnprunedDefaults(schema *apiextensions.JSONSchemaProps) bool {
	if !hasSchema(schema, hasDefault) || isNotStructural(schema) {
		return false
	}
	s, err := structuralschema.NewStructural(schema)
	if err != nil {
		return false
	}
	pruned := s.DeepCopy()
	return defaulting.PruneDefaults(pruned) == nil && !reflect.DeepEqual(s, pruned)
}
