// kubernetes/apiextensions-apiserver:pkg/registry/customresource/validator.go

package custom

import (
	"context"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	schemavalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celcommon "k8s.io/apiserver/pkg/cel/common"

	"github.com/admsim/admsim/internal/objects/customrules"
	"github.com/admsim/admsim/internal/objects/customschema"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// These are the server's checks of a custom resource, in its order:
// kubernetes/apiextensions-apiserver:pkg/registry/customresource/strategy.go, status_strategy.go and validator.go. An
// object of a wrong kind is not checked against the schema, but against everything else.

func (v *customVersion) validate(u *unstructured.Unstructured) field.ErrorList {
	var errs rules.Errors
	errs.Add(v.validateKind(u))
	if !errs.Any() {
		errs.Add(rules.ValidateNewMetadata(u, rules.Request{Namespaced: v.namespaced}, rules.DNSSubdomain))
		errs.Add(rules.Ordered(v.schema.Validate(nil, u.Object)))
		errs.Add(v.validateSpecReplicas(u))
		errs.Add(v.validateStatusReplicas(u))
	}
	errs.Add(v.validateEmbedded(u))
	errs.Add(v.validateLists(u))
	return v.validateRules(errs.List(), u, nil, nil, nil)
}

func (v *customVersion) validateUpdate(u, old *unstructured.Unstructured, warn func(string)) field.ErrorList {
	both := v.correlate(u, old)
	var errs rules.Errors
	errs.Add(v.validateKind(u))
	if !errs.Any() {
		errs.Add(rules.ValidateAnyMetadataUpdate(u, old, v.release))
		errs.Add(rules.Ordered(v.schema.ValidateUpdate(nil, u.Object, old.Object, ratcheting(both)...)))
		errs.Add(v.validateSpecReplicas(u))
		errs.Add(v.validateStatusReplicas(u))
	}
	errs.Add(v.validateEmbedded(u))
	errs.Add(v.validateListsUpdate(u, old))
	return v.validateRules(errs.List(), u, old, both, warn)
}

// validateStatusUpdate checks only the status against the schema, but the whole object against the rules. Up to 1.27, the
// whole object is checked against the schema as well. Up to 1.32, errors that existed before are not excused.
func (v *customVersion) validateStatusUpdate(u, old *unstructured.Unstructured, warn func(string)) field.ErrorList {
	var both *celcommon.CorrelatedObject
	if v.release.Has(kubeversion.CustomStatusRatcheting) {
		both = v.correlate(u, old)
	}
	var errs rules.Errors
	errs.Add(v.validateKind(u))
	if !errs.Any() {
		errs.Add(rules.ValidateAnyMetadataUpdate(u, old, v.release))
		errs.Add(rules.Ordered(v.validateStatus(u, old, both)))
		errs.Add(v.validateStatusReplicas(u))
	}
	errs.Add(v.validateListsUpdate(u, old))
	return v.validateRules(errs.List(), u, old, both, warn)
}

func (v *customVersion) validateStatus(u, old *unstructured.Unstructured, both *celcommon.CorrelatedObject) field.ErrorList {
	if !v.release.Has(kubeversion.CustomStatusAlone) {
		return v.schema.Validate(nil, u.Object)
	}
	status, ok := u.Object["status"]
	if !ok {
		return nil
	}
	var options []schemavalidation.ValidationOption
	if v.structural != nil && both != nil {
		options = ratcheting(both.Key("status"))
	}
	path := field.NewPath("status")
	if !v.release.Has(kubeversion.CustomStatusPath) {
		path = nil
	}
	return v.status.ValidateUpdate(path, status, old.Object["status"], options...)
}

// correlate pairs the parts of an object with those of the old one, so that an unchanged part is not checked against a
// changed schema. It returns nil if the release checks all parts.
func (v *customVersion) correlate(u, old *unstructured.Unstructured) *celcommon.CorrelatedObject {
	if !v.release.Enabled("CRDValidationRatcheting") {
		return nil
	}
	return celcommon.NewCorrelatedObject(u.Object, old.Object, &model.Structural{Structural: v.structural})
}

func ratcheting(both *celcommon.CorrelatedObject) []schemavalidation.ValidationOption {
	if both == nil {
		return nil
	}
	return []schemavalidation.ValidationOption{schemavalidation.WithRatcheting(both)}
}

func (v *customVersion) validateKind(u *unstructured.Unstructured) field.ErrorList {
	var errs rules.Errors
	if u.GetKind() != v.gvk.Kind {
		errs.Invalid(field.NewPath("kind"), u.GetKind(), "must be "+v.gvk.Kind)
	}
	if want := v.gvk.GroupVersion().String(); u.GetAPIVersion() != want {
		errs.Invalid(field.NewPath("apiVersion"), u.GetAPIVersion(), "must be "+want)
	}
	return errs.List()
}

func (v *customVersion) validateEmbedded(u *unstructured.Unstructured) field.ErrorList {
	return rules.Ordered(customschema.ValidateMetadata(nil, u.Object, v.structural, false, v.release))
}

func (v *customVersion) validateLists(u *unstructured.Unstructured) field.ErrorList {
	return rules.Ordered(listtype.ValidateListSetsAndMaps(nil, v.structural, u.Object))
}

// validateListsUpdate ignores errors if the old object has any.
func (v *customVersion) validateListsUpdate(u, old *unstructured.Unstructured) field.ErrorList {
	if len(v.validateLists(old)) > 0 {
		return nil
	}
	return v.validateLists(u)
}

// validateRules adds the errors of x-kubernetes-validations to those found so far. The rules are not evaluated if the
// object does not have the shape that they rely on.
func (v *customVersion) validateRules(errs field.ErrorList, u, old *unstructured.Unstructured, both *celcommon.CorrelatedObject, warn func(string)) field.ErrorList {
	rules := v.rules()
	if rules == nil {
		return errs
	}
	if unreliable(errs) {
		return append(errs, field.Invalid(nil, nil, rulesNotChecked))
	}
	return append(errs, v.check(rules, u, old, both, warn)...)
}

const rulesNotChecked = "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"

// check returns the errors of rules about u, which replaces old, or is new if old is nil. Errors that the server tolerates
// are passed to warn, unless that is nil.
func (v *customVersion) check(of *customrules.Rules, u, old *unstructured.Unstructured, both *celcommon.CorrelatedObject, warn func(string)) field.ErrorList {
	var errs, tolerated field.ErrorList
	for _, fault := range faultsOf(of, u, old, both) {
		if fault.Tolerated {
			tolerated = append(tolerated, fault.Error)
		} else {
			errs = append(errs, fault.Error)
		}
	}
	if warn != nil {
		for _, err := range rules.Worded(v.release, tolerated) {
			warn(err.Error())
		}
	}
	return errs
}

// faultsOf evaluates rules for u, which replaces old, or is new if old is nil.
func faultsOf(of *customrules.Rules, u, old *unstructured.Unstructured, both *celcommon.CorrelatedObject) (faults []customrules.Fault) {
	var before map[string]any
	if old != nil {
		before = old.Object
	}
	customrules.Limited(fmt.Sprintf("%s %q", u.GetKind(), u.GetName()), func(ctx context.Context) {
		faults = of.Faults(ctx, u.Object, before, both)
	})
	return faults
}

func unreliable(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

func (v *customVersion) validateSpecReplicas(u *unstructured.Unstructured) field.ErrorList {
	if v.scale == nil {
		return nil
	}
	return validateReplicas(u, v.scale.SpecReplicasPath)
}

func (v *customVersion) validateStatusReplicas(u *unstructured.Unstructured) field.ErrorList {
	if v.scale == nil {
		return nil
	}
	var errs rules.Errors
	errs.Add(validateReplicas(u, v.scale.StatusReplicasPath))
	if path := v.scale.LabelSelectorPath; path != nil {
		selector, _, err := unstructured.NestedString(u.Object, fieldsOf(*path)...)
		if err != nil {
			errs.Invalid(field.NewPath(*path), selector, err.Error())
		}
	}
	return errs.List()
}

func validateReplicas(u *unstructured.Unstructured, path string) field.ErrorList {
	const most = 1<<31 - 1
	replicas, _, err := unstructured.NestedInt64(u.Object, fieldsOf(path)...)
	fault := ""
	switch {
	case err != nil:
		fault = err.Error()
	case replicas < 0:
		fault = "should be a non-negative integer"
	case replicas > most:
		fault = fmt.Sprintf("should be less than or equal to %d", most)
	default:
		return nil
	}
	return field.ErrorList{field.Invalid(field.NewPath(path), replicas, fault)}
}
