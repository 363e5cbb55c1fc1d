// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/compilation.go

package customrules

import (
	"math"
	"slices"
	"strings"

	celgo "github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/admsim/admsim/internal/celquirks"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Compile compiles the rules of a schema, whose values have the type t, in environments of a release, as the CEL library
// of that release does. loader says in which environment an expression is compiled.
func Compile(
	s *structuralschema.Structural, t *apiservercel.DeclType, environments *environment.EnvSet, loader cel.EnvLoader, r *kubeversion.Release,
) ([]cel.CompilationResult, error) {
	former := celquirks.FormerOf(r.CELLibrary())
	used := &usedEnvironments{EnvLoader: loader, written: map[string]string{}}
	compiled, err := cel.Compile(used.readable(s, former), t, callLimit(r), environments, used)
	if err != nil {
		return nil, err
	}
	for i, rule := range s.XValidations {
		if strings.TrimSpace(rule.Rule) == "" {
			continue
		}
		result := &compiled[i]
		hasMessage := rule.MessageExpression != "" && result.Error == nil
		env := next(&used.rules)
		if err := formerError(former, env, rule.Rule, result.Error); err != result.Error {
			*result = cel.CompilationResult{Error: err}
		}
		if result.Error == nil && former.EstimatesCosts() {
			result.MaxCost = formerCost(former, env, rule.Rule, formerEstimator{r, t})
		}
		if !hasMessage {
			continue
		}
		env = next(&used.messages)
		if err := formerError(former, env, rule.MessageExpression, result.MessageExpressionError); result.Error == nil && err != result.MessageExpressionError {
			result.MessageExpression, result.MessageExpressionError = nil, &apiservercel.Error{Type: err.Type, Detail: "messageExpression " + err.Detail}
		}
		if result.MessageExpression != nil && former.EstimatesCosts() {
			result.MessageExpressionMaxCost = formerCost(former, env, rule.MessageExpression, formerEstimator{r, t})
		}
	}
	return compiled, nil
}

// callLimit returns the maximum cost of evaluating a rule (W-353).
func callLimit(r *kubeversion.Release) uint64 {
	if !r.Has(kubeversion.RulesBudgeted) {
		return math.MaxUint64
	}
	return celconfig.PerCallLimit
}

// formerError returns the error of the server about an expression, given that of the linked library.
func formerError(former celquirks.Former, env *celgo.Env, text string, found *apiservercel.Error) *apiservercel.Error {
	var issues *celgo.Issues
	if found != nil {
		_, issues = env.Compile(former.Readable(text))
	}
	if of := former.Issues(env, text, issues); of != issues {
		return &apiservercel.Error{Type: apiservercel.ErrorTypeInvalid, Detail: "compilation failed: " + former.Text(text, of)}
	}
	return found
}

// formerCost returns the maximum cost of an expression that compiles.
func formerCost(former celquirks.Former, env *celgo.Env, text string, estimator checker.CostEstimator) uint64 {
	checked, _ := env.Compile(former.Readable(text))
	return former.Cost(checked, estimator).Max
}

// usedEnvironments remember the environments in which expressions were compiled, in order.
type usedEnvironments struct {
	cel.EnvLoader
	written         map[string]string // what stands in the schema, by what is compiled
	rules, messages []*celgo.Env
}

// readable returns a schema with its own rules as the linked library has to read them.
func (u *usedEnvironments) readable(s *structuralschema.Structural, former celquirks.Former) *structuralschema.Structural {
	read := *s
	read.XValidations = slices.Clone(s.XValidations)
	for i := range read.XValidations {
		for _, text := range []*string{&read.XValidations[i].Rule, &read.XValidations[i].MessageExpression} {
			written := *text
			*text = former.Readable(written)
			u.written[*text] = written
		}
	}
	return &read
}

func (u *usedEnvironments) RuleEnv(set *environment.EnvSet, expression string) *celgo.Env {
	u.rules = append(u.rules, u.EnvLoader.RuleEnv(set, u.written[expression]))
	return u.rules[len(u.rules)-1]
}

func (u *usedEnvironments) MessageExpressionEnv(set *environment.EnvSet, expression string) *celgo.Env {
	u.messages = append(u.messages, u.EnvLoader.MessageExpressionEnv(set, u.written[expression]))
	return u.messages[len(u.messages)-1]
}

func next(list *[]*celgo.Env) *celgo.Env {
	first := (*list)[0]
	*list = (*list)[1:]
	return first
}
