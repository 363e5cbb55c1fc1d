// kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go
// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/v1/defaults.go

package crd

import (
	"fmt"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/objects/customschema"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// customResourceDefinition is the kind of CRDs themselves. It does not simulate any controller of the server: a new CRD
// has no accepted names and no conditions.
//
// kubernetes/apiextensions-apiserver:pkg/registry/customresourcedefinition/strategy.go.
var customResourceDefinition = rules.Of[*apiextensionsv1.CustomResourceDefinition]{
	Undeclared:    true,
	CountsDropped: true,

	Behaviour:        rules.Behaviour{StoredAsJSON: true},
	AnyFinalizer:     true,
	Defaults:         apiextensionsv1.SetObjectDefaults_CustomResourceDefinition,
	Normalise:        normaliseCRD,
	Spec:             func(crd *apiextensionsv1.CustomResourceDefinition) any { return &crd.Spec },
	Status:           func(crd *apiextensionsv1.CustomResourceDefinition) any { return &crd.Status },
	PrepareForCreate: func(crd *apiextensionsv1.CustomResourceDefinition, r rules.Request) { prepare(crd, nil, r) },
	PrepareForUpdate: func(crd, old *apiextensionsv1.CustomResourceDefinition, r rules.Request) {
		if r.Subresource != "status" {
			prepare(crd, old, r)
		}
	},
	Validate:       validateCRD,
	ValidateUpdate: validateCRDUpdate,
	OnUpdate:       rules.CheckNothing, // validateCRDUpdate checks metadata itself
	Warnings:       crdWarnings,
}

// prepare completes a CRD that is written. Before there was a field for it, all unknown fields of custom resources were
// preserved (CRD-01). old is nil on create.
func prepare(crd, old *apiextensionsv1.CustomResourceDefinition, r rules.Request) {
	recordStoredVersion(crd)
	for _, part := range gatedParts {
		if r.Release.Disabled(part.gate) && !part.isIn(old) && part.isIn(crd) {
			r.Drops("spec.versions[].schema.openAPIV3Schema."+part.path, part.gate)
			part.dropFrom(crd)
		}
	}
	if r.Release.Disabled(webhookConversion) {
		dropConversion(crd, old, r)
	}
	if !r.Release.Has(kubeversion.UnknownFieldsPruned) {
		crd.Spec.PreserveUnknownFields = true
	}
}

// webhookConversion is a feature gate.
const webhookConversion = "CustomResourceWebhookConversion"

// dropConversion drops the webhook of a CRD unless the old one has one, too. What versions may not have of their own is
// gone by then (prepareShape).
// kubernetes/apiextensions-apiserver@v0.15.12:pkg/registry/customresourcedefinition/strategy.go.
func dropConversion(crd, old *apiextensionsv1.CustomResourceDefinition, r rules.Request) {
	if converter(crd) != nil && (old == nil || converter(old) == nil && r.Release.Has(kubeversion.AddedConvertersDropped)) {
		r.Drops("spec.conversion.webhook.clientConfig", webhookConversion)
		crd.Spec.Conversion = crd.Spec.Conversion.DeepCopy()
		crd.Spec.Conversion.Webhook.ClientConfig = nil
	}
}

func converter(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.WebhookClientConfig {
	if c := crd.Spec.Conversion; c != nil && c.Webhook != nil {
		return c.Webhook.ClientConfig
	}
	return nil
}

// A gatedPart is a part of schemas that a CRD loses while a gate is off, unless the old CRD has it anywhere.
type gatedPart struct {
	path, gate string
	has        func(*apiextensions.JSONSchemaProps) bool
	drop       func(*apiextensionsv1.JSONSchemaProps)
}

var gatedParts = []gatedPart{
	{
		"x-kubernetes-validations", "CustomResourceValidationExpressions",
		func(s *apiextensions.JSONSchemaProps) bool { return s.XValidations != nil },
		func(s *apiextensionsv1.JSONSchemaProps) { s.XValidations = nil },
	},
	{
		"x-kubernetes-validations[].optionalOldSelf", "CRDValidationRatcheting",
		func(s *apiextensions.JSONSchemaProps) bool {
			return slices.ContainsFunc(s.XValidations, func(r apiextensions.ValidationRule) bool { return r.OptionalOldSelf != nil })
		},
		func(s *apiextensionsv1.JSONSchemaProps) {
			for i := range s.XValidations {
				s.XValidations[i].OptionalOldSelf = nil
			}
		},
	},
}

// isIn reports whether a CRD, which may be nil, has the part.
func (p gatedPart) isIn(crd *apiextensionsv1.CustomResourceDefinition) bool {
	return crd != nil && anySchema(&internalCRD(crd).Spec, p.has)
}

// dropFrom drops the part from a CRD, except where rules are not allowed anyway, such as in an allOf.
func (p gatedPart) dropFrom(crd *apiextensionsv1.CustomResourceDefinition) {
	for i, v := range crd.Spec.Versions {
		if v.Schema != nil {
			crd.Spec.Versions[i].Schema = v.Schema.DeepCopy()
			p.dropFromSchema(crd.Spec.Versions[i].Schema.OpenAPIV3Schema)
		}
	}
}

func (p gatedPart) dropFromSchema(s *apiextensionsv1.JSONSchemaProps) {
	if s == nil {
		return
	}
	p.drop(s)
	if s.AdditionalProperties != nil {
		p.dropFromSchema(s.AdditionalProperties.Schema)
	}
	for name, property := range s.Properties {
		p.dropFromSchema(&property)
		s.Properties[name] = property
	}
	if s.Items != nil {
		p.dropFromSchema(s.Items.Schema)
		for i := range s.Items.JSONSchemas {
			p.dropFromSchema(&s.Items.JSONSchemas[i])
		}
	}
	for _, d := range s.Dependencies {
		p.dropFromSchema(d.Schema)
	}
}

// recordStoredVersion records that objects may be stored in the storage version.
func recordStoredVersion(crd *apiextensionsv1.CustomResourceDefinition) {
	for _, v := range crd.Spec.Versions {
		if !v.Storage {
			continue
		}
		if !slices.Contains(crd.Status.StoredVersions, v.Name) {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
		}
		return
	}
}

// crdWarnings warns about parts of schemas that the server does not know or support, unless the old CRD had them as
// well.
func crdWarnings(crd, old *apiextensionsv1.CustomResourceDefinition, r rules.Request) []string {
	if r.Subresource == "status" {
		return nil
	}
	var before []string
	if old != nil {
		before = schemaWarnings(old, r.Release)
	}
	return slices.DeleteFunc(schemaWarnings(crd, r.Release), func(warning string) bool {
		return slices.Contains(before, warning)
	})
}

func schemaWarnings(crd *apiextensionsv1.CustomResourceDefinition, r *kubeversion.Release) []string {
	var warnings []string
	if r.Has(kubeversion.UnknownFormatWarnings) {
		for _, format := range unknownFormats(crd, r) {
			warnings = append(warnings, fmt.Sprintf("unrecognized format %q", format))
		}
	}
	if r.Has(kubeversion.SetItemWarnings) {
		for _, items := range setItemTypes(crd) {
			warnings = append(warnings, fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", items))
		}
	}
	return warnings
}

// setItemTypes returns the types of the items of sets, sorted, unless they are scalars.
func setItemTypes(crd *apiextensionsv1.CustomResourceDefinition) []string {
	var found []string
	collect := func(s *apiextensions.JSONSchemaProps) bool {
		if isListType(s, "set") && s.Items != nil && s.Items.Schema != nil && slices.Contains([]string{"array", "object"}, s.Items.Schema.Type) {
			found = append(found, s.Items.Schema.Type)
		}
		return false // continue
	}
	anySchema(&internalCRD(crd).Spec, collect)
	slices.Sort(found)
	return slices.Compact(found)
}

// unknownFormats returns the unknown formats, sorted. Formats of types other than string count since 1.36, and the
// server uses those that the previous release knew.
func unknownFormats(crd *apiextensionsv1.CustomResourceDefinition, r *kubeversion.Release) []string {
	var unknown []string
	collect := func(s *apiextensions.JSONSchemaProps) bool {
		if s.Format != "" && (s.Type == "string" || r.Has(kubeversion.FormatsOfAllTypes)) {
			one := &spec.Schema{SchemaProps: spec.SchemaProps{Format: s.Format, Type: []string{s.Type}}}
			unknown = append(unknown, schemavalidation.GetUnrecognizedFormats(one, customschema.CompatibleWith(r))...)
		}
		return false // continue
	}
	anySchema(&internalCRD(crd).Spec, collect)
	slices.Sort(unknown) // found by iterating over maps
	return slices.Compact(unknown)
}

// crdScheme converts CRDs between v1 and the internal version. The server validates CRDs in the internal version, and
// its messages use it.
var crdScheme = sync.OnceValue(func() *runtime.Scheme {
	s := runtime.NewScheme()
	install.Install(s)
	return s
})

func internalCRD(crd *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	var internal apiextensions.CustomResourceDefinition
	if err := crdScheme().Convert(crd.DeepCopy(), &internal, nil); err != nil {
		panic(fmt.Sprintf("objects: CustomResourceDefinition %s has no internal form: %v", crd.Name, err))
	}
	return &internal
}

// normaliseCRD converts crd to the internal version and back.
func normaliseCRD(crd *apiextensionsv1.CustomResourceDefinition, _ *kubeversion.Release) {
	var out apiextensionsv1.CustomResourceDefinition
	if err := crdScheme().Convert(internalCRD(crd), &out, nil); err != nil {
		panic(fmt.Sprintf("objects: CustomResourceDefinition %s has no external form: %v", crd.Name, err))
	}
	out.TypeMeta = crd.TypeMeta
	*crd = out
}
