package expression

import (
	"fmt"
	"regexp"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const (
	maxAuditAnnotations      = 20
	maxValueExpressionLength = 5 * 1024
)

// CheckValidatingPolicy validates the expressions of a ValidatingAdmissionPolicy: matchConditions, variables,
// validations and auditAnnotations, each with the fields next to the expression (W-300). old is the policy before an
// update, nil on create.
func (c *Compiler) CheckValidatingPolicy(policy, old *admissionregistrationv1.ValidatingAdmissionPolicy) field.ErrorList {
	spec, path := &policy.Spec, field.NewPath("spec")
	stored := storedIn(old)
	check := c.policyCheck(spec.ParamKind != nil, spec.Variables, c.written.compile)

	var errs field.ErrorList
	unchanged := old != nil &&
		semantic.DeepEqual(spec.ParamKind, old.Spec.ParamKind) &&
		semantic.DeepEqual(spec.MatchConditions, old.Spec.MatchConditions)
	if !unchanged {
		errs = append(errs, check.conditions(spec.MatchConditions, path, stored.conditions)...)
	}
	errs = append(errs, check.allVariables(spec.Variables, path, stored.validations)...)

	if len(spec.Validations) == 0 && len(spec.AuditAnnotations) == 0 {
		const text = "validations or auditAnnotations must contain at least one item"
		return append(errs, field.Required(path.Child("validations"), text), field.Required(path.Child("auditAnnotations"), text))
	}
	for i := range spec.Validations {
		errs = append(errs, check.validation(&spec.Validations[i], stored, path.Child("validations").Index(i))...)
	}
	return append(errs, check.annotations(policy.Name, spec.AuditAnnotations, stored.annotations, path.Child("auditAnnotations"))...)
}

// A policyCheck compiles the expressions of one policy that is being written. Its variables become known one after the
// other.
type policyCheck struct {
	compiler  *Compiler
	params    bool
	variables *composer                                // nil if there are none
	bare      func(source, declarations, mode) program // compiles if there are no variables
}

// policyCheck returns a policyCheck. bare compiles the expressions of a policy without variables. In that case
// `variables` is not declared in a ValidatingAdmissionPolicy, but always in a MutatingAdmissionPolicy:
// kubernetes/kubernetes:pkg/apis/admissionregistration/validation/validation.go.
func (c *Compiler) policyCheck(params bool, variables []admissionregistrationv1.Variable, bare func(source, declarations, mode) program) *policyCheck {
	check := &policyCheck{compiler: c, params: params, bare: bare}
	if len(variables) > 0 {
		check.variables = c.written.withVariables()
	}
	return check
}

func (k *policyCheck) compile(text string, w want, declares declarations, stored bool) program {
	declares.HasParams = k.params
	s := source{text: text, want: w}
	if k.variables == nil {
		return k.bare(s, declares, modeFor(stored))
	}
	return k.variables.compile(s, declares, modeFor(stored))
}

// storedExpressions has the expressions of a policy before an update (W-325).
type storedExpressions struct {
	conditions, validations, messages, annotations sets.Set[string]
}

func storedIn(policy *admissionregistrationv1.ValidatingAdmissionPolicy) storedExpressions {
	if policy == nil {
		return storedExpressions{}
	}
	s := storedExpressions{
		conditions:  conditionTexts(policy.Spec.MatchConditions),
		validations: sets.New[string](),
		messages:    sets.New[string](),
		annotations: sets.New[string](),
	}
	for _, v := range policy.Spec.Validations {
		s.validations.Insert(v.Expression)
		s.messages.Insert(v.MessageExpression)
	}
	for _, a := range policy.Spec.AuditAnnotations {
		s.annotations.Insert(a.ValueExpression)
	}
	return s
}

// conditions validates match conditions, which do not see variables.
func (k *policyCheck) conditions(list []admissionregistrationv1.MatchCondition, spec *field.Path, stored sets.Set[string]) field.ErrorList {
	return k.compiler.checkConditions(list, spec.Child("matchConditions"), declarations{HasParams: k.params, HasAuthorizer: true}, stored)
}

func (k *policyCheck) allVariables(list []admissionregistrationv1.Variable, spec *field.Path, stored sets.Set[string]) field.ErrorList {
	var errs field.ErrorList
	for i := range list {
		errs = append(errs, k.variable(&list[i], stored, spec.Child("variables").Index(i))...)
	}
	return errs
}

// variable validates one variable, and makes it known to later expressions even if it does not compile. Like the
// server, it looks up stored variables among the validations.
func (k *policyCheck) variable(v *admissionregistrationv1.Variable, stored sets.Set[string], path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if strings.TrimSpace(v.Name) == "" {
		errs = append(errs, field.Required(path.Child("name"), "name is not specified"))
	} else if !isIdentifier(v.Name) {
		errs = append(errs, field.Invalid(path.Child("name"), v.Name, "must be a valid CEL identifier"))
	}
	if strings.TrimSpace(v.Expression) == "" {
		return append(errs, field.Required(path.Child("expression"), "expression is not specified"))
	}
	s := source{text: v.Expression, want: wantAnything, name: v.Name}
	declares := declarations{HasParams: k.params, HasAuthorizer: true}
	p := k.variables.add(s, declares, modeFor(stored.Has(v.Expression)))
	return append(errs, invalid(path.Child("expression"), v.Expression, p)...)
}

var reasons = sets.New(
	string(metav1.StatusReasonForbidden),
	string(metav1.StatusReasonInvalid),
	string(metav1.StatusReasonRequestEntityTooLarge),
)

// ofMessage returns the prefix of errors about a message up to 1.33.
func (k *policyCheck) ofMessage() string {
	if !kubeversion.TerseDetails.In(k.compiler.stored.minor) {
		return "message "
	}
	return ""
}

func (k *policyCheck) validation(v *admissionregistrationv1.Validation, stored storedExpressions, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if strings.TrimSpace(v.Expression) == "" {
		errs = append(errs, field.Required(path.Child("expression"), "expression is not specified"))
	} else {
		text := v.Expression
		if !kubeversion.PolicySpacesKept.In(k.compiler.stored.minor) {
			text = strings.TrimSpace(text)
		}
		p := k.compile(text, wantBool, declarations{HasAuthorizer: true}, stored.validations.Has(v.Expression))
		errs = append(errs, invalid(path.Child("expression"), v.Expression, p)...)
	}
	if blank(v.MessageExpression) {
		errs = append(errs, field.Invalid(path.Child("messageExpression"), v.MessageExpression, "must be non-empty if specified"))
	} else if v.MessageExpression != "" {
		p := k.compile(v.MessageExpression, wantString, declarations{}, stored.messages.Has(v.MessageExpression))
		errs = append(errs, invalid(path.Child("messageExpression"), v.MessageExpression, p)...)
	}
	if blank(v.Message) {
		errs = append(errs, field.Invalid(path.Child("message"), v.Message, k.ofMessage()+"must be non-empty if specified"))
	} else if strings.ContainsAny(strings.TrimSpace(v.Message), "\r\n") {
		errs = append(errs, field.Invalid(path.Child("message"), v.Message, k.ofMessage()+"must not contain line breaks"))
	}
	if v.Reason != nil && !reasons.Has(string(*v.Reason)) {
		errs = append(errs, field.NotSupported(path.Child("reason"), *v.Reason, sets.List(reasons)))
	}
	return errs
}

// blank reports whether text is not empty, but consists of white space only.
func blank(text string) bool { return text != "" && strings.TrimSpace(text) == "" }

func (k *policyCheck) annotations(policy string, list []admissionregistrationv1.AuditAnnotation, stored sets.Set[string], path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(list) > maxAuditAnnotations {
		errs = append(errs, field.Invalid(path, list, fmt.Sprintf("must not have more than %d auditAnnotations", maxAuditAnnotations)))
	}
	keys := sets.New[string]()
	for i := range list {
		errs = append(errs, k.annotation(policy, &list[i], stored, path.Index(i))...)
		if keys.Has(list[i].Key) {
			errs = append(errs, field.Duplicate(path.Index(i).Child("key"), list[i].Key))
		}
		keys.Insert(list[i].Key)
	}
	return errs
}

func (k *policyCheck) annotation(policy string, a *admissionregistrationv1.AuditAnnotation, stored sets.Set[string], path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if policy == "" {
		errs = append(errs, field.Invalid(path.Child("key"), a.Key, "requires metadata.name be non-empty"))
	} else {
		errs = append(errs, checkQualifiedName(policy+"/"+a.Key, path.Child("key"))...)
	}
	at := path.Child("valueExpression")
	text := strings.TrimSpace(a.ValueExpression)
	switch {
	case text == "":
		return append(errs, field.Required(at, "valueExpression is not specified"))
	case len(text) > maxValueExpressionLength:
		return append(errs, field.Required(at, fmt.Sprintf("must not exceed %d bytes in length", maxValueExpressionLength)))
	}
	p := k.compile(text, wantStringOrNull, declarations{HasAuthorizer: true}, stored.Has(a.ValueExpression))
	return append(errs, invalid(at, a.ValueExpression, p)...)
}

var (
	identifier = regexp.MustCompile("^[_a-zA-Z][_a-zA-Z0-9]*$")
	reserved   = sets.New("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function",
		"if", "import", "let", "loop", "package", "namespace", "return", "var", "void", "while")
)

// isIdentifier reports whether CEL accepts name as an identifier: it is not a keyword.
func isIdentifier(name string) bool { return identifier.MatchString(name) && !reserved.Has(name) }
