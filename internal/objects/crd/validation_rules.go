// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go

package crd

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	celgo "github.com/google/cel-go/cel"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/admsim/admsim/internal/celquirks"
	"github.com/admsim/admsim/internal/objects/customrules"
	"github.com/admsim/admsim/internal/objects/customschema"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

var ruleReasons = []string{
	string(apiextensions.FieldValueDuplicate), string(apiextensions.FieldValueForbidden),
	string(apiextensions.FieldValueInvalid), string(apiextensions.FieldValueRequired),
}

// ruleFaults checks everything but the expressions of a rule of s.
func ruleFaults(s *apiextensions.JSONSchemaProps, rule apiextensions.ValidationRule, path *field.Path) field.ErrorList {
	var errs rules.Errors
	text, message := strings.TrimSpace(rule.Rule), strings.TrimSpace(rule.Message)
	switch {
	case text == "":
		errs.Required(path.Child("rule"), "rule is not specified")
	case rule.Message != "" && message == "":
		errs.Invalid(path.Child("message"), rule.Message, "must be non-empty if specified")
	case hasLines(message):
		errs.Invalid(path.Child("message"), rule.Message, "must not contain line breaks")
	case hasLines(text) && message == "":
		errs.Required(path.Child("message"), "message must be specified if rule contains line breaks")
	}
	if rule.MessageExpression != "" && strings.TrimSpace(rule.MessageExpression) == "" {
		errs.Required(path.Child("messageExpression"), "messageExpression must be non-empty if specified")
	}
	errs.Add(rules.OneOf(rule.Reason, ruleReasons, path.Child("reason")))
	if rule.FieldPath == "" {
		return errs.List()
	}
	path = path.Child("fieldPath")
	errs.Add(rules.Unless(strings.TrimSpace(rule.FieldPath) != "", path, rule.FieldPath, "must be non-empty if specified"))
	errs.Add(rules.Unless(!hasLines(rule.FieldPath), path, rule.FieldPath, "must not contain line breaks"))
	errs.Add(rules.Unless(hasField(s, rule.FieldPath), path, rule.FieldPath, "must be a valid path"))
	return errs.List()
}

func hasLines(text string) bool { return strings.ContainsAny(text, "\n\r") }

func hasField(s *apiextensions.JSONSchemaProps, path string) bool {
	structural, err := structuralschema.NewStructural(s)
	if err != nil {
		return true // reported elsewhere
	}
	_, _, err = cel.ValidFieldPath(path, structural)
	return err == nil
}

// compile compiles the rules of a schema, and estimates their cost.
func (c crdCheck) compile(s *apiextensions.JSONSchemaProps, p schemaPlace) field.ErrorList {
	path := p.path.Child("x-kubernetes-validations")
	types, err := p.rules.types()
	if err != nil && !c.release.Has(kubeversion.RulesOfValidSchemas) {
		return nil // the schema is not structural
	}
	if err != nil {
		return field.ErrorList{field.InternalError(path, fmt.Errorf("internal error: failed to construct type information for x-kubernetes-validations rules: %s", err))}
	}
	compiled, err := compileRules(types, c.environments(), c.before, c.release)
	if err != nil {
		return field.ErrorList{field.InternalError(path, err)}
	}
	var errs rules.Errors
	for i, result := range compiled {
		errs.Add(compiledRule(s.XValidations[i], result, p, path.Index(i)))
	}
	return errs.List()
}

// environmentsOf returns the environments of the rules of a release, made when they are first needed.
func environmentsOf(r *kubeversion.Release) func() *environment.EnvSet {
	return sync.OnceValue(func() *environment.EnvSet { return customrules.Environments(r, customschema.CompatibleWith(r)) })
}

// compileRules compiles rules. CEL's type checker panics for a few texts, and the server with it; here this is an
// error (W-344).
func compileRules(types *ruleTypes, environments *environment.EnvSet, before cel.EnvLoader, r *kubeversion.Release) (compiled []cel.CompilationResult, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = errors.New(celquirks.CheckerPanics + fmt.Sprint(r))
		}
	}()
	return customrules.Compile(types.schema, types.declared, environments, before, r)
}

// compiledRule returns what is wrong with a rule after compiling it.
func compiledRule(rule apiextensions.ValidationRule, result cel.CompilationResult, p schemaPlace, path *field.Path) field.ErrorList {
	var errs rules.Errors
	text, message := path.Child("rule"), path.Child("messageExpression")
	if p.rules.release.Has(kubeversion.RulesBudgeted) {
		errs.Add(p.rules.costs.add(text, "estimated rule cost", p.rules.cost(result)))
	}
	switch err := result.Error; {
	case err == nil:
	case err.Type == apiservercel.ErrorTypeRequired:
		errs.Required(text, err.Detail)
	default:
		errs.Invalid(text, rule, err.Detail)
	}
	if err := result.MessageExpressionError; err != nil {
		errs.Invalid(message, rule, err.Detail)
	} else if result.MessageExpression != nil {
		errs.Add(p.rules.costs.add(message, "estimated messageExpression cost", result.MessageExpressionMaxCost))
	}
	switch {
	case result.UsesOldSelf && p.unrelated != nil:
		errs.Invalid(text, rule.Rule, fmt.Sprintf("oldSelf cannot be used on the uncorrelatable portion of the schema within %v", p.unrelated))
	case !result.UsesOldSelf && rule.OptionalOldSelf != nil:
		errs.Invalid(path.Child("optionalOldSelf"), *rule.OptionalOldSelf, "may not be set if oldSelf is not used in rule")
	}
	return errs.List()
}

// crdExpressions are the expressions of the old CRD. They are compiled with everything that the server may have known
// when they were stored.
type crdExpressions struct{ rules, messages sets.Set[string] }

var _ cel.EnvLoader = crdExpressions{}

func expressionsOf(spec *apiextensions.CustomResourceDefinitionSpec) crdExpressions {
	found := crdExpressions{rules: sets.New[string](), messages: sets.New[string]()}
	anySchema(spec, func(s *apiextensions.JSONSchemaProps) bool {
		for _, rule := range s.XValidations {
			found.rules.Insert(rule.Rule)
			found.messages.Insert(rule.MessageExpression)
		}
		return false // continue
	})
	return found
}

// RuleEnv returns the environment of a rule.
func (e crdExpressions) RuleEnv(set *environment.EnvSet, expression string) *celgo.Env {
	return environmentOf(set, e.rules.Has(expression))
}

// MessageExpressionEnv returns the environment of a message expression.
func (e crdExpressions) MessageExpressionEnv(set *environment.EnvSet, expression string) *celgo.Env {
	return environmentOf(set, e.messages.Has(expression))
}

func environmentOf(set *environment.EnvSet, stored bool) *celgo.Env {
	if stored {
		return set.StoredExpressionsEnv()
	}
	return set.NewExpressionsEnv()
}
