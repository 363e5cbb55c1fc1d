// kubernetes/kubernetes:pkg/apis/admissionregistration/validation/validation.go

package admissionregistration

import (
	"fmt"
	"slices"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/util/jsonpath"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var validationActions = []string{"Audit", "Deny", "Warn"}

var notFoundActions = []string{"Deny", "Allow"}

var mutatingOperations = []string{"*", "CONNECT", "CREATE", "UPDATE"} // on DELETE there is nothing to change

func validateValidatingPolicy(p *admissionregistrationv1.ValidatingAdmissionPolicy, r rules.Request) field.ErrorList {
	return append(checkValidatingPolicy(p, nil, r), staticName(p.Name, true, r)...)
}

func validateValidatingPolicyUpdate(p, old *admissionregistrationv1.ValidatingAdmissionPolicy, r rules.Request) field.ErrorList {
	if r.Subresource == "status" {
		return validatePolicyStatus(r.Release, p.Status, field.NewPath("status"))
	}
	return append(rules.ValidateNewMetadata(p, r, rules.DNSSubdomain), checkValidatingPolicy(p, old, r)...)
}

func checkValidatingPolicy(p, old *admissionregistrationv1.ValidatingAdmissionPolicy, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(validatePolicyFields(p.Spec.FailurePolicy, p.Spec.ParamKind, p.Spec.MatchConstraints, r.Release))
	if len(p.Spec.Validations) == 0 && !r.Release.Has(kubeversion.PolicyActions) {
		errs.Required(rules.SpecPath.Child("validations"), "")
		return errs.List()
	}
	errs.Add(r.CheckValidatingPolicy(p, old))
	return errs.List()
}

func validateMutatingPolicy(p *admissionregistrationv1.MutatingAdmissionPolicy, r rules.Request) field.ErrorList {
	return append(checkMutatingPolicy(p, nil, r), staticName(p.Name, true, r)...)
}

func validateMutatingPolicyUpdate(p, old *admissionregistrationv1.MutatingAdmissionPolicy, r rules.Request) field.ErrorList {
	return append(rules.ValidateNewMetadata(p, r, rules.DNSSubdomain), checkMutatingPolicy(p, old, r)...)
}

func checkMutatingPolicy(p, old *admissionregistrationv1.MutatingAdmissionPolicy, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(validatePolicyFields(p.Spec.FailurePolicy, p.Spec.ParamKind, p.Spec.MatchConstraints, r.Release))
	errs.Add(validateMutatingOperations(p.Spec.MatchConstraints, rules.SpecPath.Child("matchConstraints")))
	errs.Add(r.CheckMutatingPolicy(p, old))
	again := rules.SpecPath.Child("reinvocationPolicy")
	if p.Spec.ReinvocationPolicy == "" {
		errs.Required(again, "")
		return errs.List()
	}
	errs.Add(rules.OneOf(&p.Spec.ReinvocationPolicy, reinvocationPolicies, again))
	return errs.List()
}

func validateValidatingBinding(b *admissionregistrationv1.ValidatingAdmissionPolicyBinding, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(validateBindingFields(b.Spec.PolicyName, b.Spec.ParamRef, b.Spec.MatchResources, r))
	errs.Add(staticName(b.Name, r.Old == nil, r))
	if r.Release.Has(kubeversion.PolicyActions) {
		errs.Add(validateActions(b.Spec.ValidationActions, rules.SpecPath.Child("validationActions")))
	}
	return errs.List()
}

func validateMutatingBinding(b *admissionregistrationv1.MutatingAdmissionPolicyBinding, r rules.Request) field.ErrorList {
	var errs rules.Errors
	errs.Add(validateBindingFields(b.Spec.PolicyName, b.Spec.ParamRef, b.Spec.MatchResources, r))
	errs.Add(staticName(b.Name, r.Old == nil, r))
	errs.Add(validateMutatingOperations(b.Spec.MatchResources, rules.SpecPath.Child("matchResources")))
	return errs.List()
}

// validatePolicyFields checks what both kinds of policies have, except for expressions.
func validatePolicyFields(
	failure *admissionregistrationv1.FailurePolicyType, params *admissionregistrationv1.ParamKind,
	where *admissionregistrationv1.MatchResources, r *kubeversion.Release,
) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.OneOf(failure, failurePolicies, rules.SpecPath.Child("failurePolicy")))
	if params != nil {
		errs.Add(validateParamKind(*params, rules.SpecPath.Child("paramKind")))
	}
	at := rules.SpecPath.Child("matchConstraints")
	if where == nil {
		errs.Required(at, "")
		return errs.List()
	}
	errs.Add(validateMatchResources(where, at, r))
	if len(where.ResourceRules) == 0 {
		errs.Required(at.Child("resourceRules"), "")
	}
	return errs.List()
}

// validateBindingFields checks what both kinds of bindings have.
func validateBindingFields(policy string, params *admissionregistrationv1.ParamRef, where *admissionregistrationv1.MatchResources, r rules.Request) field.ErrorList {
	var errs rules.Errors
	if policy == "" {
		errs.Required(rules.SpecPath.Child("policyName"), "")
	} else {
		for _, wrong := range rules.DNSSubdomain(policy, false) {
			errs.Invalid(rules.SpecPath.Child("policyName"), policy, wrong)
		}
	}
	if params != nil {
		errs.Add(validateParamRef(params, r.Release, rules.SpecPath.Child("paramRef")))
	}
	if where != nil {
		at := rules.SpecPath.Child("matchResources")
		if !r.Release.Has(kubeversion.MatchResourcesPath) {
			at = rules.SpecPath.Child("matchResouces") // the typo is the server's
		}
		errs.Add(validateMatchResources(where, at, r.Release))
	}
	return errs.List()
}

func validateMatchResources(m *admissionregistrationv1.MatchResources, at *field.Path, r *kubeversion.Release) field.ErrorList {
	var errs rules.Errors
	errs.Add(rules.OneOf(m.MatchPolicy, matchPolicies, at.Child("matchPolicy")))
	errs.Add(metav1validation.ValidateLabelSelector(m.NamespaceSelector, rules.StrictLabelValues, at.Child("namespaceSelector")))
	objects := at.Child("objectSelector")
	if !r.Has(kubeversion.ObjectSelectorPath) {
		objects = at.Child("labelSelector")
	}
	errs.Add(metav1validation.ValidateLabelSelector(m.ObjectSelector, rules.StrictLabelValues, objects))
	for i, rule := range m.ResourceRules {
		errs.Add(validateNamedRule(rule, at.Child("resourceRules").Index(i)))
	}
	for i, rule := range m.ExcludeResourceRules {
		errs.Add(validateNamedRule(rule, at.Child("excludeResourceRules").Index(i)))
	}
	return errs.List()
}

func validateNamedRule(r admissionregistrationv1.NamedRuleWithOperations, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, name := range r.ResourceNames {
		for _, wrong := range content.IsPathSegmentName(name) {
			errs.Invalid(at.Child("resourceNames").Index(i), name, wrong)
		}
		if slices.Contains(r.ResourceNames[:i], name) {
			errs.Duplicate(at.Child("resourceNames").Index(i), name)
		}
	}
	errs.Add(validateRule(r.RuleWithOperations, at))
	return errs.List()
}

// validateMutatingOperations refuses operations that mutating policies are never called for (W-301). Unknown operations
// are reported elsewhere.
func validateMutatingOperations(m *admissionregistrationv1.MatchResources, at *field.Path) field.ErrorList {
	if m == nil {
		return nil
	}
	var errs rules.Errors
	for _, r := range m.ResourceRules {
		for _, o := range r.Operations {
			errs.Add(rules.OneOf(&o, mutatingOperations, at.Child("resourceRules", "operations")))
		}
	}
	return errs.List()
}

// validateParamKind checks the form of a paramKind. The kind need not exist.
func validateParamKind(k admissionregistrationv1.ParamKind, at *field.Path) field.ErrorList {
	var errs rules.Errors
	errs.Add(validateParamVersion(k.APIVersion, at.Child("apiVersion")))
	kind := at.Child("kind")
	if k.Kind == "" {
		errs.Required(kind, "")
		return errs.List()
	}
	if wrong := utilvalidation.IsDNS1035Label(strings.ToLower(k.Kind)); len(wrong) > 0 {
		errs.Invalid(kind, k.Kind, "may have mixed case, but should otherwise match: "+strings.Join(wrong, ","))
	}
	return errs.List()
}

func validateParamVersion(text string, at *field.Path) field.ErrorList {
	if text == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	group, version, hasGroup := strings.Cut(text, "/")
	switch {
	case strings.Contains(version, "/"):
		return field.ErrorList{field.Invalid(at, text, "unexpected GroupVersion string: "+text)}
	case !hasGroup:
		group, version = "", text
	}
	var errs rules.Errors
	if group != "" {
		if wrong := rules.DNS1123Subdomain(group); len(wrong) > 0 {
			errs.Invalid(at, group, strings.Join(wrong, ","))
		}
	}
	if version == "" {
		errs.Invalid(at, text, "version must be specified")
		return errs.List()
	}
	if wrong := utilvalidation.IsDNS1035Label(version); len(wrong) > 0 {
		errs.Invalid(at, version, strings.Join(wrong, ","))
	}
	return errs.List()
}

func validateParamRef(p *admissionregistrationv1.ParamRef, r *kubeversion.Release, at *field.Path) field.ErrorList {
	const both = "name and selector are mutually exclusive"
	var errs rules.Errors
	if p.Name != "" {
		for _, wrong := range content.IsPathSegmentName(p.Name) {
			errs.Invalid(at.Child("name"), p.Name, wrong)
		}
	}
	if !r.Has(kubeversion.ParamSelectors) {
		return errs.List()
	}
	errs.Add(metav1validation.ValidateLabelSelector(p.Selector, rules.StrictLabelValues, at.Child("selector")))
	switch {
	case p.Name != "" && p.Selector != nil:
		errs.Forbidden(at.Child("name"), both)
		errs.Forbidden(at.Child("selector"), both)
	case p.Name == "" && p.Selector == nil:
		errs.Required(at, "one of name or selector must be specified")
	}
	action := at.Child("parameterNotFoundAction")
	if p.ParameterNotFoundAction == nil || *p.ParameterNotFoundAction == "" {
		errs.Required(action, "")
		return errs.List()
	}
	errs.Add(rules.OneOf(p.ParameterNotFoundAction, notFoundActions, action))
	return errs.List()
}

func validateActions(actions []admissionregistrationv1.ValidationAction, at *field.Path) field.ErrorList {
	var errs rules.Errors
	for i, a := range actions {
		errs.Add(rules.OneOf(&a, validationActions, at.Index(i)))
		if slices.Contains(actions[:i], a) {
			errs.Duplicate(at.Index(i), a)
		}
	}
	if slices.Contains(actions, admissionregistrationv1.Deny) && slices.Contains(actions, admissionregistrationv1.Warn) {
		errs.Invalid(at, actions, "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)")
	}
	if len(actions) == 0 {
		errs.Required(at, "at least one validation action is required")
	}
	return errs.List()
}

// validatePolicyStatus checks what the controller writes that type-checks policies.
func validatePolicyStatus(r *kubeversion.Release, s admissionregistrationv1.ValidatingAdmissionPolicyStatus, at *field.Path) field.ErrorList {
	var errs rules.Errors
	if s.TypeChecking != nil {
		warnings := at.Child("typeChecking", "expressionWarnings")
		for i, w := range s.TypeChecking.ExpressionWarnings {
			if w.Warning == "" {
				errs.Required(warnings.Index(i).Child("warning"), "")
			}
			errs.Add(validateFieldRef(w.FieldRef, warnings.Index(i).Child("fieldRef")))
		}
	}
	errs.Add(rules.Conditions(r, s.Conditions, at.Child("conditions")))
	return errs.List()
}

func validateFieldRef(ref string, at *field.Path) field.ErrorList {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	if err := jsonpath.New("spec").Parse(fmt.Sprintf("{%s}", ref)); err != nil {
		return field.ErrorList{field.Invalid(at, ref, fmt.Sprintf("invalid JSONPath: %v", err))}
	}
	return nil
}
