// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go

package crd

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/transport"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const (
	mostSelectableFields = 8
	longestDeprecation   = 256
)

var (
	columnTypes   = []string{"boolean", "date", "integer", "number", "string"}
	columnFormats = []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}
)

// version checks the part of the spec about one version.
func (c crdCheck) version(v *apiextensions.CustomResourceDefinitionVersion, status bool, path *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(deprecationFault(v, path.Child("deprecationWarning")))
	errs.Add(c.root(v.Schema, v.Name, status, path.Child("schema")))
	errs.Add(scaleSubresource(v.Subresources, path.Child("subresources")))
	errs.Add(columns(v.AdditionalPrinterColumns, path.Child("additionalPrinterColumns")))
	if len(v.SelectableFields) == 0 {
		return errs.List()
	}
	if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
		errs.Invalid(path.Child("selectableFields"), "", "may only be set when `version.schema.openAPIV3Schema` is not included")
		return errs.List()
	}
	errs.Add(c.selectableFields(v.SelectableFields, v.Schema.OpenAPIV3Schema, v.Name, path))
	return errs.List()
}

// common checks what all versions have in common.
func (c crdCheck) common(spec *apiextensions.CustomResourceDefinitionSpec) field.ErrorList {
	status := hasStatus(spec.Subresources) || slices.ContainsFunc(spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
		return hasStatus(v.Subresources)
	})
	var errs rules.Errors
	errs.Add(c.root(spec.Validation, spec.Version, status, rules.SpecPath.Child("validation")))
	errs.Add(scaleSubresource(spec.Subresources, rules.SpecPath.Child("subresources")))
	errs.Add(columns(spec.AdditionalPrinterColumns, rules.SpecPath.Child("additionalPrinterColumns")))
	if len(spec.SelectableFields) == 0 {
		return errs.List()
	}
	if spec.Validation == nil {
		errs.Invalid(rules.SpecPath.Child("selectableFields"), "", "may only be set when validations.schema is included")
		return errs.List()
	}
	errs.Add(c.selectableFields(spec.SelectableFields, spec.Validation.OpenAPIV3Schema, "", rules.SpecPath))
	return errs.List()
}

func hasStatus(s *apiextensions.CustomResourceSubresources) bool { return s != nil && s.Status != nil }

// subresourcesOf returns the subresources of a version: its own, if any version has its own.
func subresourcesOf(spec *apiextensions.CustomResourceDefinitionSpec, name string) *apiextensions.CustomResourceSubresources {
	own := func(v apiextensions.CustomResourceDefinitionVersion) bool { return v.Subresources != nil }
	if !slices.ContainsFunc(spec.Versions, own) {
		return spec.Subresources
	}
	for _, v := range spec.Versions {
		if v.Name == name {
			return v.Subresources
		}
	}
	return nil
}

func deprecationFault(v *apiextensions.CustomResourceDefinitionVersion, path *field.Path) field.ErrorList {
	if v.DeprecationWarning == nil {
		return nil
	}
	if !v.Deprecated {
		return field.ErrorList{field.Invalid(path, v.DeprecationWarning, "can only be set for deprecated versions")}
	}
	text := *v.DeprecationWarning
	var wrong []string
	if len(text) > longestDeprecation {
		wrong = append(wrong, "must be <= 256 characters long")
	}
	if text == "" {
		wrong = append(wrong, "must not be an empty string")
	}
	// Control characters are not printable either.
	if i := strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }); i >= 0 {
		wrong = append(wrong, fmt.Sprintf("must only contain printable UTF-8 characters; non-printable character found at index %d", i))
	}
	if !utf8.ValidString(text) {
		wrong = append(wrong, "must only contain printable UTF-8 characters")
	}
	return rules.Faults(path, v.DeprecationWarning, wrong)
}

func scaleSubresource(s *apiextensions.CustomResourceSubresources, path *field.Path) field.ErrorList {
	if s == nil || s.Scale == nil {
		return nil
	}
	required := func(value, under string, path *field.Path) field.ErrorList {
		if value == "" {
			return field.ErrorList{field.Required(path, "")}
		}
		if errs := simplePath(value, path); len(errs) > 0 {
			return errs
		}
		return rules.Unless(strings.HasPrefix(value, "."+under+"."), path, value, "should be a json path under ."+under)
	}
	var errs rules.Errors
	errs.Add(required(s.Scale.SpecReplicasPath, "spec", path.Child("scale.specReplicasPath")))
	errs.Add(required(s.Scale.StatusReplicasPath, "status", path.Child("scale.statusReplicasPath")))
	selector := s.Scale.LabelSelectorPath
	if selector == nil || *selector == "" {
		return errs.List()
	}
	path = path.Child("scale.labelSelectorPath")
	if wrong := simplePath(*selector, path); len(wrong) > 0 {
		errs.Add(wrong)
		return errs.List()
	}
	errs.Add(rules.Unless(strings.HasPrefix(*selector, ".spec.") || strings.HasPrefix(*selector, ".status."), path, selector, "should be a json path under either .spec or .status"))
	return errs.List()
}

func columns(list []apiextensions.CustomResourceColumnDefinition, path *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, column := range list {
		path := path.Index(i)
		if column.Name == "" {
			errs.Required(path.Child("name"), "")
		}
		types := "must be one of " + strings.Join(columnTypes, ",")
		if column.Type == "" {
			errs.Required(path.Child("type"), types)
		} else {
			errs.Add(rules.Unless(slices.Contains(columnTypes, column.Type), path.Child("type"), column.Type, types))
		}
		errs.Add(rules.Unless(column.Format == "" || slices.Contains(columnFormats, column.Format), path.Child("format"), column.Format, "must be one of "+strings.Join(columnFormats, ",")))
		if column.JSONPath == "" {
			errs.Required(path.Child("JSONPath"), "")
		} else {
			errs.Add(simplePath(column.JSONPath, path.Child("JSONPath")))
		}
	}
	return errs.List()
}

func simplePath(text string, path *field.Path) field.ErrorList {
	return rules.Unless(strings.HasPrefix(text, "."), path, text, "must be a simple json path starting with .")
}

// selectableFields checks the fields by which objects can be listed. path is the common path of the fields and their
// schema.
func (c crdCheck) selectableFields(fields []apiextensions.SelectableField, schema *apiextensions.JSONSchemaProps, version string, path *field.Path) field.ErrorList {
	var errs rules.Errors
	structural, err := structuralschema.NewStructural(schema)
	if err != nil {
		errs.Invalid(path.Child("schema.openAPIV3Schema"), "", err.Error())
	}
	path = path.Child("selectableFields")
	seen := sets.New[string]()
	for i, f := range fields {
		path := path.Index(i).Child("jsonPath")
		if f.JSONPath == "" {
			errs.Required(path, "")
			continue
		}
		to, found, err := cel.ValidFieldPath(f.JSONPath, structural, cel.WithFieldPathAllowArrayNotation(false))
		if err != nil {
			errs.Invalid(path, f.JSONPath, fmt.Sprintf("is an invalid path: %v", err))
			continue
		}
		errs.Add(rules.Unless(to.Root().String() != "metadata", path, f.JSONPath, "must not point to fields in metadata"))
		scalar := found != nil && slices.Contains([]string{"string", "boolean", "integer"}, found.Type)
		errs.Add(rules.Unless(scalar, path, f.JSONPath, "must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed."))
		if seen.Has(to.String()) {
			errs.Duplicate(path, f.JSONPath)
		}
		seen.Insert(to.String())
	}
	if len(seen) > mostSelectableFields && !c.manyFields[version] {
		errs.TooMany(path, len(seen), mostSelectableFields)
	}
	return errs.List()
}

// conversion checks how versions are converted.
func (c crdCheck) conversion(spec *apiextensions.CustomResourceDefinitionSpec, path *field.Path) field.ErrorList {
	conversion := spec.Conversion
	if conversion == nil {
		return nil
	}
	var errs rules.Errors
	if conversion.Strategy != apiextensions.NoneConverter && preserves(spec) && c.release.Has(kubeversion.UnknownFieldsPruned) {
		errs.Invalid(path.Child("strategy"), conversion.Strategy, "must be None if spec.preserveUnknownFields is true")
	}
	strategies := []apiextensions.ConversionStrategyType{apiextensions.NoneConverter, apiextensions.WebhookConverter}
	errs.Add(oneOfThese(conversion.Strategy, strategies, path.Child("strategy")))
	config, versions := path.Child("webhookClientConfig"), path.Child("conversionReviewVersions")
	if conversion.Strategy != apiextensions.WebhookConverter {
		if conversion.WebhookClientConfig != nil {
			errs.Forbidden(config, "should not be set when strategy is not set to Webhook")
		}
		if len(conversion.ConversionReviewVersions) > 0 {
			errs.Forbidden(versions, "should not be set when strategy is not set to Webhook")
		}
		return errs.List()
	}
	if conversion.WebhookClientConfig == nil {
		message := "required when strategy is set to Webhook"
		if c.release.Disabled(webhookConversion) {
			message += fmt.Sprintf(", but not allowed because the %s feature is disabled", webhookConversion)
		}
		errs.Required(config, message)
	} else {
		errs.Add(c.converter(conversion.WebhookClientConfig, config))
	}
	errs.Add(c.reviewVersions(conversion.ConversionReviewVersions, versions))
	return errs.List()
}

func (c crdCheck) converter(config *apiextensions.WebhookClientConfig, path *field.Path) field.ErrorList {
	webhook := admissionregistrationv1.WebhookClientConfig{URL: config.URL}
	if s := config.Service; s != nil {
		webhook.Service = &admissionregistrationv1.ServiceReference{Namespace: s.Namespace, Name: s.Name, Path: s.Path, Port: &s.Port}
	}
	var errs rules.Errors
	errs.Add(rules.ValidateClientConfig(webhook, path))
	if c.caBundle {
		errs.Add(readableBundle(config.CABundle, path.Child("caBundle")))
	}
	return errs.List()
}

func hasBrokenBundle(c *apiextensions.CustomResourceConversion) bool {
	return c != nil && c.WebhookClientConfig != nil && len(readableBundle(c.WebhookClientConfig.CABundle, nil)) > 0
}

// readableBundle requires a bundle that the server's client can read, with that client's message.
func readableBundle(bundle []byte, path *field.Path) field.ErrorList {
	if _, err := transport.TLSConfigFor(&transport.Config{TLS: transport.TLSConfig{CAData: bundle}}); err != nil {
		return field.ErrorList{field.Invalid(path, bundle, err.Error())}
	}
	return nil
}

func (c crdCheck) reviewVersions(versions []string, path *field.Path) field.ErrorList {
	if len(versions) == 0 {
		return field.ErrorList{field.Required(path, "")}
	}
	var errs rules.Errors
	for i, v := range versions {
		if slices.Contains(versions[:i], v) {
			errs.Invalid(path.Index(i), v, "duplicate version")
			continue
		}
		errs.Add(rules.Faults(path.Index(i), v, utilvalidation.IsDNS1035Label(v)))
	}
	if c.reviewVersion && !speaksReviews(versions, c.release) {
		errs.Add(rules.NoReviewVersion(versions, path, c.release))
	}
	return errs.List()
}

// speaksReviews reports whether the server supports one of the versions. An empty list counts as any version.
func speaksReviews(versions []string, r *kubeversion.Release) bool {
	known := rules.ReviewVersions(r)
	return len(versions) == 0 || slices.ContainsFunc(versions, func(v string) bool { return slices.Contains(known, v) })
}
