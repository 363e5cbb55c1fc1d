// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go

package customrules

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/google/cel-go/common/types"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	celcommon "k8s.io/apiserver/pkg/cel/common"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/endless"
	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A Fault is what a rule finds wrong with an object, or why it cannot tell.
type Fault struct {
	*field.Error
	Rule      *Rule  // nil if the error is not about a single rule
	Tolerated bool   // the server warns of it, since it is about a part of the object that has not changed
	Cause     string // why the rule could not be evaluated, if it could not
}

// A Budget is what evaluating rules may still cost. It is negative after an error with which the evaluation ends.
type Budget int64

// NewBudget returns the budget for one object.
func NewBudget(r *kubeversion.Release) Budget {
	if !r.Has(kubeversion.RulesBudgeted) {
		return math.MaxInt64
	}
	return celconfig.RuntimeCELCostBudget
}

// Ended reports whether nothing more is evaluated.
func (b Budget) Ended() bool { return b < 0 }

// Faults evaluates the rules for an object, which replaces old or is new if old is nil. both pairs the parts of the two
// objects; if it is nil, no fault is tolerated. It panics with a [bug.Stop] if the server's answer cannot be known.
func (r *Rules) Faults(ctx context.Context, object, old map[string]any, both *celcommon.CorrelatedObject) []Fault {
	var before any
	if old != nil {
		before = old
	}
	if !r.release.Has(kubeversion.RulesRatcheted) {
		both = nil
	}
	faults, _ := r.evaluate(ctx, part{value: object, old: before, same: both}, NewBudget(r.release))
	return faults
}

// FaultsOfDefault evaluates the rules for a default, which is at path, within a budget, and returns what is left of it.
// The default has to keep the rules both as an unchanged value and, if rules can tell the difference, as a new one
// (kubernetes/apiextensions-apiserver:pkg/apiserver/schema/defaulting/validation.go). It panics as Faults does.
func (r *Rules) FaultsOfDefault(ctx context.Context, value any, path *field.Path, b Budget) ([]Fault, Budget) {
	faults, left := r.evaluate(ctx, part{path: path, value: value, old: value}, b)
	if !r.release.Has(kubeversion.DefaultRulesTyped) {
		for _, fault := range faults {
			// A rule that takes the default for a resource goes through its entries, but does not see them.
			fault.Detail = strings.Replace(fault.Detail, "invalid qualifier type: types.Null", "invalid qualifier type: <nil>", 1)
		}
	}
	if len(faults) > 0 || !r.release.Enabled("CRDValidationRatcheting") {
		return faults, left
	}
	faults, leftByNew := r.evaluate(ctx, part{path: path, value: value}, b)
	return faults, min(left, leftByNew)
}

func (r *Rules) evaluate(ctx context.Context, p part, b Budget) ([]Fault, Budget) {
	e := &evaluation{ctx: ctx, release: r.release, budget: b}
	e.value(r.root, p)
	return e.faults, e.budget
}

// longestEvaluation is the time that the rules of a schema may take for a value.
const longestEvaluation = time.Minute

// Limited evaluates rules with a limit of their time. what names the owner of the rules in the error. It panics with a
// [bug.Stop] if the server's answer cannot be known.
func Limited(what string, evaluate func(context.Context)) {
	ctx, cancel := context.WithTimeout(context.Background(), longestEvaluation)
	defer cancel()
	evaluate(ctx)
	if ctx.Err() != nil {
		err := fmt.Errorf("x-kubernetes-validations of %s take longer than %v, which is as long as admsim waits", what, longestEvaluation)
		panic(bug.Stop{Err: hint.Add(err, "make the rules do less, or the value smaller: they take kube-apiserver as long")})
	}
}

// An evaluation evaluates the rules for one value, within one budget.
type evaluation struct {
	ctx     context.Context
	release *kubeversion.Release
	budget  Budget
	faults  []Fault
}

// A part is a value within an object, and what it replaces.
type part struct {
	path       *field.Path
	value, old any // no old value: it is nil
	same       *celcommon.CorrelatedObject
	around     *celcommon.CorrelatedObject // the enclosing value, which counts if same is nil
}

// key returns the part with a name. apiVersion and kind of the object itself never count as unchanged: both objects have
// been converted to one version.
func (e *evaluation) key(p part, name string, path *field.Path, value, old any) part {
	in := part{path: path, value: value, old: old, same: p.same, around: p.around}
	switch {
	case p.same == nil:
	case p.around == nil && (name == "apiVersion" || name == "kind") && e.release.Has(kubeversion.RulesKnowConversion):
		in.same = nil
	default:
		in.same, in.around = p.same.Key(name), p.same
	}
	return in
}

func (p part) index(i int, old any) part {
	in := part{path: p.path.Index(i), value: p.value.([]any)[i], old: old, same: p.same, around: p.around}
	if p.same != nil {
		in.same, in.around = p.same.Index(i), p.same
	}
	return in
}

// unchanged reports whether the part, or else what encloses it, is equal to what it replaces.
func (p part) unchanged() bool {
	if p.same != nil {
		return p.same.CachedDeepEqual()
	}
	return p.around.CachedDeepEqual()
}

// value evaluates the rules for a part, and those within it.
func (e *evaluation) value(at *place, p part) {
	if at == nil || p.value == nil || e.budget.Ended() {
		return
	}
	e.rules(at, p)
	for _, all := range at.allOf {
		e.value(all, part{path: p.path, value: p.value, old: p.old, around: p.around})
	}
	switch value := p.value.(type) {
	case []any:
		if at.items == nil {
			return
		}
		old, _ := p.old.([]any)
		byKey := celcommon.MakeMapList(&model.Structural{Structural: at.schema}, old)
		for i, item := range value {
			e.value(at.items, p.index(i, byKey.Get(item)))
		}
	case map[string]any:
		old, _ := p.old.(map[string]any)
		if !cel.MapIsCorrelatable(at.schema.XMapType) {
			old = nil
		}
		if at.values != nil {
			for _, key := range slices.Sorted(maps.Keys(value)) {
				e.value(at.values, e.key(p, key, p.path.Key(key), value[key], old[key]))
			}
		}
		for _, property := range at.properties {
			name := property.name
			e.value(property.at, e.key(p, name, p.path.Child(name), value[name], old[name]))
		}
	}
}

const outOfBudget = "validation failed due to running out of cost budget, no further validation rules will be run"

// rules evaluates the rules for a part.
func (e *evaluation) rules(at *place, p part) {
	switch {
	case at.err != nil:
		e.fail(nil, field.Invalid(p.path, e.shownType(at.schema.Type, p.value), fmt.Sprintf("rule compiler initialization error: %v", at.err)))
		return
	case len(at.rules) == 0:
		return
	case e.budget <= 0:
		e.end(nil, field.Invalid(p.path, at.schema.Type, outOfBudget))
		return
	}
	variables, optional := variablesOf(at, p)
	for i := range at.rules {
		r := &at.rules[i]
		switch {
		case r.compiled.Error != nil:
			e.fail(r, field.Invalid(p.path, e.shownType(at.schema.Type, p.value), fmt.Sprintf("rule compile error: %v", r.compiled.Error)))
		case r.compiled.Program == nil: // it is empty
		case r.compiled.UsesOldSelf && p.old == nil && !(r.optional() && e.release.Enabled("CRDValidationRatcheting")):
		case r.optional():
			p.path = e.rule(r, at, p, optional, variables)
		default:
			p.path = e.rule(r, at, p, variables, variables)
		}
		if e.budget.Ended() {
			return
		}
	}
}

// stopIfEndless panics if err is about a quantity that takes forever.
func stopIfEndless(err error, r *Rule) {
	if errors.Is(err, endless.ErrInExpression) {
		panic(bug.Stop{Err: hint.Add(fmt.Errorf("%s: %w", r.Path, endless.ErrInExpression), endless.HintInExpression)})
	}
}

// optional reports whether oldSelf is an optional value.
func (r *Rule) optional() bool { return r.OptionalOldSelf != nil && *r.OptionalOldSelf }

// variablesOf returns the variables of rules, and those of rules for which oldSelf is optional.
func variablesOf(at *place, p part) (variables, optional map[string]any) {
	schema := &model.Structural{Structural: at.schema}
	variables = map[string]any{cel.ScopedVarName: celcommon.UnstructuredToVal(p.value, schema)}
	if !at.usesOld {
		return variables, variables
	}
	optional = maps.Clone(variables)
	optional[cel.OldScopedVarName] = types.OptionalNone
	if p.old != nil {
		old := celcommon.UnstructuredToVal(p.old, schema)
		variables[cel.OldScopedVarName], optional[cel.OldScopedVarName] = old, types.OptionalOf(old)
	}
	return variables, optional
}

// rule evaluates one rule. As on the server, its message does not see an optional oldSelf. It returns the path for the
// rules after it.
func (e *evaluation) rule(r *Rule, at *place, p part, variables, ofMessage map[string]any) *field.Path {
	kind, text := at.schema.Type, strings.TrimSpace(r.Rule)
	if r.Message != "" {
		text = strings.TrimSpace(r.Message)
	}
	result, details, err := r.compiled.Program.ContextEval(e.ctx, variables)
	stopIfEndless(err, r)
	switch cost := details.ActualCost(); {
	case cost == nil:
		e.end(r, field.InternalError(p.path, fmt.Errorf("runtime cost could not be calculated for validation rule: %v, no further validation rules will be run", text)))
	case !e.pay(*cost):
		e.end(nil, field.Invalid(p.path, kind, outOfBudget))
	case err != nil:
		e.notEvaluated(r, p.path, e.shownType(kind, p.value), text, err)
	case result != types.True:
		return e.broken(r, at, p, ofMessage)
	}
	return p.path
}

// broken reports a rule that does not hold. It returns the path for the rules after it: up to
// [kubeversion.RulePathsApart], that of the field which the broken rule names.
func (e *evaluation) broken(r *Rule, at *place, p part, variables map[string]any) *field.Path {
	path, kind := p.path, at.schema.Type
	if field := r.compiled.NormalizedRuleFieldPath; field != "" {
		path = path.Child(field)
	}
	before := len(e.faults)
	if message, ok := e.message(r, path, kind, variables); ok {
		e.fail(r, r.error(path, e.shown(kind, p.value), message))
	}
	e.faults[before].Tolerated = !r.compiled.UsesOldSelf && p.unchanged()
	if e.release.Has(kubeversion.RulePathsApart) {
		return p.path
	}
	return path
}

// notEvaluated reports why a rule could not be evaluated.
func (e *evaluation) notEvaluated(r *Rule, path *field.Path, shown any, text string, err error) {
	switch cause := err.Error(); {
	case strings.HasPrefix(cause, "no such overload"):
		e.fail(r, field.Invalid(path, shown, fmt.Sprintf("'%v': call arguments did not match a supported operator, function or macro signature for rule: %v", err, text)))
	case exceedsLimit(err):
		e.end(r, field.Invalid(path, shown, fmt.Sprintf("'%v': no further validation rules will be run due to call cost exceeds limit for rule: %v", err, text)))
	default:
		e.fail(r, field.Invalid(path, shown, fmt.Sprintf("%v evaluating rule: %v", err, text)))
	}
	e.faults[len(e.faults)-1].Cause = err.Error()
}

func exceedsLimit(err error) bool {
	return strings.HasPrefix(err.Error(), "operation cancelled: actual cost limit exceeded")
}

// shownType returns the type of a value, or the value itself where errors show that up to [kubeversion.RulesBudgeted].
func (e *evaluation) shownType(kind string, value any) any {
	if !e.release.Has(kubeversion.RulesBudgeted) {
		return value
	}
	return kind
}

// shown returns what the error of a rule that does not hold shows.
func (e *evaluation) shown(kind string, value any) any {
	switch {
	case !e.release.Has(kubeversion.RulesShowValues):
		return e.shownType(kind, value)
	case kind == "object" || kind == "array":
		return field.OmitValueType{}
	}
	return value
}

// error returns the error of a rule that does not hold.
func (r *Rule) error(path *field.Path, value any, detail string) *field.Error {
	reason := apiextensionsv1.FieldValueInvalid
	if r.Reason != nil {
		reason = *r.Reason
	}
	switch reason {
	case apiextensionsv1.FieldValueForbidden:
		return field.Forbidden(path, detail)
	case apiextensionsv1.FieldValueRequired:
		return field.Required(path, detail)
	case apiextensionsv1.FieldValueDuplicate:
		return field.Duplicate(path, value)
	}
	return field.Invalid(path, value, detail)
}

// message returns the message of a rule that does not hold, without one if the evaluation has ended with an error about
// it. If its expression computes no proper message, that is the message without an expression.
func (e *evaluation) message(r *Rule, path *field.Path, kind string, variables map[string]any) (message string, ok bool) {
	fixed := e.fixedMessage(r)
	if r.compiled.MessageExpression == nil {
		return fixed, true
	}
	result, details, err := r.compiled.MessageExpression.ContextEval(e.ctx, variables)
	stopIfEndless(err, r)
	switch cost := details.ActualCost(); {
	case cost == nil:
		e.end(r, field.InternalError(path, fmt.Errorf("runtime cost could not be calculated for messageExpression: %q", r.MessageExpression)))
		return "", false
	case !e.pay(*cost):
		e.end(r, field.Invalid(path, kind, "messageExpression evaluation failed due to running out of cost budget, no further validation rules will be run"))
		return "", false
	case err != nil && exceedsLimit(err):
		e.end(r, field.Invalid(path, kind, fmt.Sprintf("no further validation rules will be run due to call cost exceeds limit for messageExpression: %q", r.MessageExpression)))
		return "", false
	case err != nil:
		return fixed, true
	}
	text, _ := result.Value().(string)
	text = strings.TrimSpace(text)
	if text == "" || len(text) > celconfig.MaxEvaluatedMessageExpressionSizeBytes || strings.Contains(text, "\n") {
		return fixed, true
	}
	return text, true
}

func (e *evaluation) fixedMessage(r *Rule) string {
	switch {
	case r.Message == "":
		return "failed rule: " + strings.TrimSpace(r.Rule)
	case !e.release.Has(kubeversion.RuleMessagesTrimmed):
		return r.Message
	}
	return strings.TrimSpace(r.Message)
}

// pay takes a cost from the budget, and reports whether there was enough.
func (e *evaluation) pay(cost uint64) bool {
	if cost > math.MaxInt64 || Budget(cost) > e.budget {
		return false
	}
	e.budget -= Budget(cost)
	return true
}

func (e *evaluation) fail(r *Rule, err *field.Error) {
	e.faults = append(e.faults, Fault{Error: err, Rule: r})
}

// end is fail with an error after which nothing more is evaluated.
func (e *evaluation) end(r *Rule, err *field.Error) {
	e.fail(r, err)
	e.budget = -1
}
