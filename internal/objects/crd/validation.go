// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go

package crd

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apihelpers"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// validateCRD checks a new CRD including its metadata, as the server does:
// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation. It is reimplemented here because that package
// imports a client for webhooks with all its options, which would slow down every start of a program.
//
// The internal form is checked. The conversion of v1 to it moves what all versions have in common into top-level fields.
func validateCRD(crd *apiextensionsv1.CustomResourceDefinition, r rules.Request) field.ErrorList {
	internal := checkedForm(crd, r)
	name := func(name string, prefix bool) []string {
		wrong := rules.DNSSubdomain(name, prefix)
		if name != internal.Spec.Names.Plural+"."+internal.Spec.Group {
			wrong = append(wrong, `must be spec.names.plural+"."+spec.group`)
		}
		return wrong
	}
	var errs rules.Errors
	errs.Add(validation.ValidateObjectMeta(&internal.ObjectMeta, false, name, rules.MetadataPath))
	errs.Add(newCRDCheck(r).crd(internal))
	if r.IsBeta() {
		return rules.Ordered(errs.List())
	}
	if protects(internal) {
		state, reason := apihelpers.GetAPIApprovalState(internal.Annotations)
		errs.Add(approval(internal, state, reason))
	}
	errs.Add(prunes(internal, r.Release))
	return rules.Ordered(errs.List())
}

func validateCRDUpdate(crd, old *apiextensionsv1.CustomResourceDefinition, r rules.Request) field.ErrorList {
	after, previous := checkedForm(crd, r), internalCRD(old)
	var errs rules.Errors
	errs.Add(validation.ValidateObjectMetaUpdate(&after.ObjectMeta, &previous.ObjectMeta, rules.MetadataPath))
	if r.Subresource == "status" {
		errs.Add(crdNames(&after.Status.AcceptedNames, field.NewPath("status").Child("acceptedNames")))
		return errs.List()
	}
	errs.Add(crdCheckOfUpdate(after, previous, r).crd(after))
	if apiextensions.IsCRDConditionTrue(previous, apiextensions.Established) { // objects are stored under these names
		errs.Add(validation.ValidateImmutableField(after.Spec.Scope, previous.Spec.Scope, rules.SpecPath.Child("scope")))
		errs.Add(validation.ValidateImmutableField(after.Spec.Names.Kind, previous.Spec.Names.Kind, rules.SpecPath.Child("names", "kind")))
	}
	errs.Add(validation.ValidateImmutableField(after.Spec.Group, previous.Spec.Group, rules.SpecPath.Child("group")))
	errs.Add(validation.ValidateImmutableField(after.Spec.Names.Plural, previous.Spec.Names.Plural, rules.SpecPath.Child("names", "plural")))
	if r.IsBeta() {
		return rules.Ordered(errs.List())
	}
	if protects(after) {
		before, _ := apihelpers.GetAPIApprovalState(previous.Annotations)
		if state, reason := apihelpers.GetAPIApprovalState(after.Annotations); state != before {
			errs.Add(approval(after, state, reason))
		}
	}
	if !preserves(&previous.Spec) {
		errs.Add(prunes(after, r.Release))
	}
	return rules.Ordered(errs.List())
}

// protects reports whether the group of a CRD belongs to the Kubernetes project, which has to approve its APIs.
func protects(crd *apiextensions.CustomResourceDefinition) bool {
	return apihelpers.IsProtectedCommunityGroup(crd.Spec.Group)
}

func approval(crd *apiextensions.CustomResourceDefinition, state apihelpers.APIApprovalState, reason string) field.ErrorList {
	path := rules.MetadataPath.Child("annotations").Key(apiextensionsv1.KubeAPIApprovedAnnotation)
	switch state {
	case apihelpers.APIApproved, apihelpers.APIApprovalBypassed:
		return nil
	case apihelpers.APIApprovalMissing:
		return field.ErrorList{field.Required(path, reason)}
	}
	return field.ErrorList{field.Invalid(path, crd.Annotations[apiextensionsv1.KubeAPIApprovedAnnotation], reason)}
}

// preserves reports whether fields of objects that a schema does not know are preserved.
func preserves(spec *apiextensions.CustomResourceDefinitionSpec) bool {
	return spec.PreserveUnknownFields != nil && *spec.PreserveUnknownFields
}

func prunes(crd *apiextensions.CustomResourceDefinition, r *kubeversion.Release) field.ErrorList {
	extension := "x-kubernetes-preserve-unknown-fields"
	if !r.Has(kubeversion.PreservingExtensionNamed) {
		extension = "x-preserve-unknown-fields" // which does not exist
	}
	return rules.Unless(!preserves(&crd.Spec), rules.SpecPath.Child("preserveUnknownFields"), crd.Spec.PreserveUnknownFields,
		"cannot set to true, set "+extension+" to true in spec.versions[*].schema instead")
}

// crd makes the checks that create and update have in common.
func (c crdCheck) crd(crd *apiextensions.CustomResourceDefinition) field.ErrorList {
	var errs rules.Errors
	errs.Add(c.spec(&crd.Spec))
	errs.Add(crdNames(&crd.Status.AcceptedNames, field.NewPath("status").Child("acceptedNames")))
	errs.Add(storedVersions(crd.Status.StoredVersions, crd.Spec.Versions, c.release))
	return errs.List()
}

func (c crdCheck) spec(spec *apiextensions.CustomResourceDefinitionSpec) field.ErrorList {
	var errs rules.Errors
	errs.Add(crdGroup(spec.Group))
	scopes := []apiextensions.ResourceScope{apiextensions.ClusterScoped, apiextensions.NamespaceScoped}
	errs.Add(oneOfThese(spec.Scope, scopes, rules.SpecPath.Child("scope")))

	path := rules.SpecPath.Child("versions")
	errs.Add(c.schemas(spec, path))
	if !c.noDefaults && anySchema(spec, hasDefault) {
		c.structural = true
		errs.Add(rules.Unless(!preserves(spec), rules.SpecPath.Child("preserveUnknownFields"), true, "must be false in order to use defaults in the schema"))
	}
	c.structural = c.structural || !preserves(spec) || anySchema(spec, hasExtension)

	storage := 0
	seen := map[string]bool{}
	for i, v := range spec.Versions {
		if v.Storage {
			storage++
		}
		seen[v.Name] = true
		errs.Add(labelFault(v.Name, path.Index(i).Child("name")))
		errs.Add(c.version(&v, hasStatus(subresourcesOf(spec, v.Name)), path.Index(i)))
	}
	errs.Add(shapeFaults(spec))
	errs.Add(rules.Unless(len(seen) == len(spec.Versions), path, spec.Versions, "must contain unique version names"))
	errs.Add(rules.Unless(storage == 1, path, spec.Versions, "must have exactly one version marked as storage version"))
	if spec.Version != "" {
		version := rules.SpecPath.Child("version")
		errs.Add(labelFault(spec.Version, version))
		errs.Add(rules.Unless(len(spec.Versions) == 0 || spec.Versions[0].Name == spec.Version, version, spec.Version, "must match the first version in spec.versions"))
	}

	names := rules.SpecPath.Child("names")
	for _, n := range []struct{ is, value string }{{"plural", spec.Names.Plural}, {"singular", spec.Names.Singular}, {"kind", spec.Names.Kind}, {"listKind", spec.Names.ListKind}} {
		if n.value == "" {
			errs.Required(names.Child(n.is), "")
		}
	}
	errs.Add(crdNames(&spec.Names, names))
	errs.Add(c.common(spec))
	errs.Add(c.conversion(spec, rules.SpecPath.Child("conversion")))
	return errs.List()
}

func crdGroup(group string) field.ErrorList {
	path := rules.SpecPath.Child("group")
	if group == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	if wrong := rules.DNS1123Subdomain(group); len(wrong) > 0 {
		return field.ErrorList{field.Invalid(path, group, strings.Join(wrong, ","))}
	}
	return rules.Unless(strings.Contains(group, "."), path, group, "should be a domain with at least one dot")
}

// schemas requires a schema in each version, or in those that are served.
func (c crdCheck) schemas(spec *apiextensions.CustomResourceDefinitionSpec, path *field.Path) field.ErrorList {
	if spec.Validation != nil && spec.Validation.OpenAPIV3Schema != nil {
		return nil
	}
	var errs rules.Errors
	for i, v := range spec.Versions {
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			continue
		}
		path := path.Index(i).Child("schema", "openAPIV3Schema")
		switch {
		case c.schema:
			errs.Required(path, "")
		case v.Served && !preserves(spec):
			errs.Required(path, "because otherwise all fields are pruned")
		}
	}
	return errs.List()
}

// crdNames checks the names that are set. Which of them are required differs.
func crdNames(n *apiextensions.CustomResourceDefinitionNames, path *field.Path) field.ErrorList {
	var errs rules.Errors
	check := func(value string, path *field.Path) { errs.Add(labelFault(value, path)) }
	checkKind := func(value string, path *field.Path) {
		if wrong := utilvalidation.IsDNS1035Label(strings.ToLower(value)); value != "" && len(wrong) > 0 {
			errs.Invalid(path, value, "may have mixed case, but should otherwise match: "+strings.Join(wrong, ","))
		}
	}
	if n.Plural != "" {
		check(n.Plural, path.Child("plural"))
	}
	if n.Singular != "" {
		check(n.Singular, path.Child("singular"))
	}
	checkKind(n.Kind, path.Child("kind"))
	checkKind(n.ListKind, path.Child("listKind"))
	for i, short := range n.ShortNames {
		check(short, path.Child("shortNames").Index(i))
	}
	errs.Add(rules.Unless(n.Kind == "" || n.Kind != n.ListKind, path.Child("listKind"), n.ListKind, "kind and listKind may not be the same"))
	for i, category := range n.Categories {
		check(category, path.Child("categories").Index(i))
	}
	return errs.List()
}

// labelFault returns one error with everything that is wrong with a DNS label.
func labelFault(value string, path *field.Path) field.ErrorList {
	wrong := utilvalidation.IsDNS1035Label(value)
	return rules.Unless(len(wrong) == 0, path, value, strings.Join(wrong, ","))
}

// oneOfThese checks a required field that has a fixed set of values.
func oneOfThese[T ~string](value T, values []T, path *field.Path) field.ErrorList {
	switch {
	case value == "":
		return field.ErrorList{field.Required(path, "")}
	case slices.Contains(values, value):
		return nil
	}
	return field.ErrorList{field.NotSupported(path, string(value), values)}
}

// storedVersions requires that the versions in which objects may be stored are kept.
func storedVersions(stored []string, versions []apiextensions.CustomResourceDefinitionVersion, r *kubeversion.Release) field.ErrorList {
	path := field.NewPath("status").Child("storedVersions")
	if len(stored) == 0 {
		return field.ErrorList{field.Invalid(path, stored, "must have at least one stored version")}
	}
	last := map[string]int{}
	for i, name := range stored {
		last[name] = i
	}
	var errs rules.Errors
	for _, v := range versions {
		// A second version with the same name is not found any more.
		if _, ok := last[v.Name]; !ok && v.Storage {
			var shown any = stored
			if !r.Has(kubeversion.StoredVersionsShown) {
				shown = v
			}
			errs.Invalid(path, shown, "must have the storage version "+v.Name)
		}
		delete(last, v.Name)
	}
	for name, i := range last {
		errs.Invalid(path.Index(i), name, fmt.Sprintf("missing from spec.versions; %[1]s was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in %[1]s and removes %[1]s from status.storedVersions", name))
	}
	return errs.List()
}
