package policy

import (
	"context"
	"fmt"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

var validatingKind = kind[*validator]{
	policies: admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicy"),
	bindings: admissionregistrationv1.SchemeGroupVersion.WithKind("ValidatingAdmissionPolicyBinding"),
	compile: func(object runtime.Object, c *expression.Compiler) (*policy, *validator) {
		return compileValidating(object.(*admissionregistrationv1.ValidatingAdmissionPolicy), c)
	},
	bind: func(object runtime.Object, types *objects.Types) *binding {
		o := object.(*admissionregistrationv1.ValidatingAdmissionPolicyBinding)
		b := compileBinding(o.Name, o.Spec.PolicyName, o.Spec.MatchResources, o.Spec.ParamRef)
		b.actions = objects.ActionsOf(o, types.Release())
		return b
	},
}

// A validator is what a ValidatingAdmissionPolicy checks for the requests that it applies to.
type validator struct {
	rules   []admissionregistrationv1.Validation
	keys    []string // of the audit annotations
	ignores bool

	validations, messages, annotation *expression.Expressions
	hasMessages                       bool
}

func compileValidating(p *admissionregistrationv1.ValidatingAdmissionPolicy, c *expression.Compiler) (*policy, *validator) {
	spec := &p.Spec
	scope := c.Scope(spec.Variables, spec.ParamKind != nil)
	v := &validator{rules: spec.Validations, ignores: ignores(spec.FailurePolicy)}
	var rules, messages, values []string
	for _, r := range spec.Validations {
		rules = append(rules, r.Expression)
		messages = append(messages, r.MessageExpression)
		v.hasMessages = v.hasMessages || r.MessageExpression != ""
	}
	for _, a := range spec.AuditAnnotations {
		v.keys = append(v.keys, a.Key)
		values = append(values, a.ValueExpression)
	}
	v.validations, v.messages, v.annotation = scope.Validations(rules), scope.Messages(messages), scope.Annotations(values)
	return newPolicy(p.Name, spec.MatchConstraints, spec.MatchConditions, scope, spec.FailurePolicy, spec.ParamKind), v
}

// A decision is the result of one validation, or what went wrong before any could be evaluated.
type decision struct {
	denies  bool
	failed  bool // it could not be evaluated
	message string
	reason  metav1.StatusReason
}

// A judgement is the complete result of a policy for a request, with one param.
type judgement struct {
	decisions   []decision // of the validations in order, or a single one for all
	annotations []annotation
	expressions []trace.Expression
}

// An annotation is an audit annotation of a policy. Without value and error there is nothing to publish.
type annotation struct {
	key, value string
	err        error
}

// failure returns the decision for something that could not be evaluated (W-283).
func (v *validator) failure(text string) decision {
	return decision{denies: !v.ignores, failed: true, message: text}
}

// judge evaluates everything, regardless of the results (W-280):
// kubernetes/apiserver:pkg/admission/plugin/policy/validating/validator.go.
func (v *validator) judge(ctx context.Context, in expression.Input) judgement {
	var j judgement
	results := v.validations.Evaluate(ctx, in, expression.Budget)
	j.note("validations", "expression", nil, results, expression.Budget)
	if results.Err != nil {
		j.decisions = []decision{v.failure(results.Err.Error())}
		return j
	}
	var messages expression.Values
	if v.hasMessages {
		messages = v.messages.Evaluate(ctx, in, results.Left)
		j.note("validations", "messageExpression", nil, messages, results.Left)
	}
	for i, r := range results.List {
		j.decisions = append(j.decisions, v.decide(i, r, messages))
		j.expressions[i].Message = j.decisions[i].message
	}

	values := v.annotation.Evaluate(ctx, in, expression.Budget)
	j.note("auditAnnotations", "valueExpression", v.keys, values, expression.Budget)
	if values.Err != nil {
		j.decisions = []decision{v.failure(values.Err.Error())}
		return j
	}
	for i, value := range values.List {
		j.annotations = append(j.annotations, v.annotate(v.keys[i], value))
	}
	return j
}

// decide returns the decision of one validation. If the evaluation of messages ended early, validations that hold fail
// as well (W-285).
func (v *validator) decide(i int, result expression.Value, messages expression.Values) decision {
	switch {
	case result.Err != nil:
		return v.failure(result.Err.Error())
	case messages.Err != nil:
		return v.failure(fmt.Sprintf("failed messageExpression: %s", messages.Err))
	case result.Value == true:
		return decision{}
	}
	rule := v.rules[i]
	d := decision{denies: true, reason: metav1.StatusReasonInvalid}
	if rule.Reason != nil {
		d.reason = *rule.Reason
	}
	if i < len(messages.List) {
		d.message = usable(messages.List[i])
	}
	if d.message == "" {
		d.message = strings.TrimSpace(rule.Message)
	}
	if d.message == "" {
		d.message = "failed expression: " + strings.TrimSpace(rule.Expression)
	}
	return d
}

// maxMessage is the maximum length of the text of a messageExpression (W-284).
const maxMessage = 5 * 1024

// usable returns the text of a messageExpression, or "" if it cannot be sent.
func usable(v expression.Value) string {
	text, _ := v.Value.(string)
	text = strings.TrimSpace(text)
	if v.Err != nil || len(text) > maxMessage || strings.Contains(text, "\n") {
		return ""
	}
	return text
}

// maxAnnotation is the maximum length of an audit annotation (W-291).
const maxAnnotation = 10 * 1024

func (v *validator) annotate(key string, value expression.Value) annotation {
	a := annotation{key: key}
	if value.Err != nil {
		if !v.ignores {
			a.err = value.Err
		}
		return a
	}
	text, _ := value.Value.(string)
	text = strings.TrimSpace(text)
	a.value = text[:min(len(text), maxAnnotation)]
	return a
}

// note records the evaluation of a group of expressions, including the one at which it ended early.
func (j *judgement) note(list, member string, names []string, values expression.Values, budget int64) {
	for i, v := range values.List {
		if v.Expression == "" && v.Err == nil { // a validation without messageExpression
			continue
		}
		e := trace.Expression{
			Field:  fmt.Sprintf("%s[%d].%s", list, i, member),
			Text:   v.Expression,
			Cost:   v.Cost,
			Budget: budget,
		}
		if names != nil {
			e.Name = names[i]
		}
		if v.Err != nil {
			e.Error = v.Err.Error()
		} else {
			e.Value = jsonText(v.Value)
		}
		budget -= v.Cost
		j.expressions = append(j.expressions, e)
	}
	if values.Err != nil {
		j.expressions = append(j.expressions, trace.Expression{
			Field:  fmt.Sprintf("%s[%d].%s", list, len(values.List), member),
			Error:  values.Err.Error(),
			Budget: budget,
		})
	}
}
