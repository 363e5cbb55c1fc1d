// kubernetes/apiextensions-apiserver:pkg/apiserver/validation/validation.go

// Package customschema checks values against the schemas in CRDs as a release does: custom resources ([New]), the defaults
// in these schemas ([OfDefault]), and the metadata of resources embedded in both ([ValidateMetadata]). Its errors are those
// of the release (ER-08 to ER-08c).
//
// It does not know requests, nor the rules in schemas.
package customschema

import (
	"context"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Schema is compiled for a release. It does not change, and may be used concurrently. A nil Schema accepts everything.
type Schema struct {
	release   *kubeversion.Release
	validator schemavalidation.SchemaValidator
}

// New compiles a schema without the formats that a release does not know. Before [kubeversion.NumberFormatsChecked],
// formats were looked up by name, whatever the type. int32 was not a format then: it was not checked, not even in the
// branches of an anyOf, and no error named it. If props is nil, the schema is empty.
func New(props *apiextensions.JSONSchemaProps, r *kubeversion.Release) (*Schema, error) {
	if r.Has(kubeversion.NumberFormatsChecked) {
		validator, _, err := schemavalidation.NewSchemaValidatorForVersion(props, CompatibleWith(r))
		return &Schema{r, validator}, err
	}
	schema := &spec.Schema{}
	if !r.Has(kubeversion.SizesNotAlone) {
		err := schemavalidation.ConvertJSONSchemaProps(props, schema)
		return &Schema{r, formerValidator{schema: schema, release: r}}, err
	}
	err := schemavalidation.ConvertJSONSchemaPropsWithPostProcess(props, schema, func(s *spec.Schema) error {
		dropUnknownFormat(s, r)
		return nil
	})
	return &Schema{r, schemavalidation.NewSchemaValidatorFromOpenAPI(schema)}, err
}

// OfDefault compiles a schema for its default.
func OfDefault(s *structuralschema.Structural, r *kubeversion.Release) *Schema {
	if !r.Has(kubeversion.SizesNotAlone) {
		return &Schema{r, formerValidator{schema: s.ToKubeOpenAPI(), release: r, ofDefault: true}}
	}
	return &Schema{r, schemavalidation.NewSchemaValidatorFromOpenAPI(s.ToKubeOpenAPI())}
}

// ValidateMetadata returns the errors about the metadata of the resources in a value, which is one itself if isResource says
// so. Before [kubeversion.TerseDetails], errors about missing values had a longer text.
func ValidateMetadata(path *field.Path, value any, s *structuralschema.Structural, isResource bool, r *kubeversion.Release) field.ErrorList {
	errs := objectmeta.Validate(context.Background(), path, value, s, isResource)
	for _, e := range errs {
		if e.Type == field.ErrorTypeRequired && !r.Has(kubeversion.TerseDetails) {
			e.Detail = "must not be empty"
		}
	}
	return errs
}

func dropUnknownFormat(s *spec.Schema, r *kubeversion.Release) {
	byName := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format}}
	if len(schemavalidation.GetUnrecognizedFormats(byName, CompatibleWith(r))) > 0 {
		s.Format = ""
	}
}

// Validate returns the errors about a value, which is at path; nil for a whole custom resource.
func (s *Schema) Validate(path *field.Path, value any) field.ErrorList {
	if s == nil {
		return nil
	}
	if !s.release.Has(kubeversion.CustomErrorsTyped) {
		return s.formerErrors(path, value)
	}
	return s.inRelease(schemavalidation.ValidateCustomResource(path, value, s.validator))
}

// ValidateUpdate is Validate for a value that replaces old.
func (s *Schema) ValidateUpdate(path *field.Path, value, old any, options ...schemavalidation.ValidationOption) field.ErrorList {
	if s == nil {
		return nil
	}
	if !s.release.Has(kubeversion.CustomErrorsTyped) {
		return s.formerErrors(path, value)
	}
	return s.inRelease(schemavalidation.ValidateCustomResourceUpdate(path, value, old, s.validator, options...))
}

// CompatibleWith returns the version whose formats and functions a release allows in new schemas: the previous one, to
// which it could be rolled back. Before [kubeversion.CELStored], it is the release itself.
func CompatibleWith(r *kubeversion.Release) *version.Version {
	if !r.Has(kubeversion.CELStored) {
		return version.MajorMinor(1, uint(r.Minor))
	}
	return version.MajorMinor(1, uint(r.Minor-1))
}
