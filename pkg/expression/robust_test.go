package expression_test

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/pkg/expression"
)

// everywhere uses one expression in every place of a policy, and evaluates what compiles.
func everywhere(t *testing.T, c *expression.Compiler, text string) {
	t.Helper()
	validating := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	validating.Name = "p"
	validating.Spec = admissionregistrationv1.ValidatingAdmissionPolicySpec{
		Variables:        variables("v", text),
		MatchConditions:  conditions(text),
		Validations:      []admissionregistrationv1.Validation{{Expression: text, MessageExpression: text}},
		AuditAnnotations: []admissionregistrationv1.AuditAnnotation{{Key: "k", ValueExpression: text}},
	}
	mutating := &admissionregistrationv1.MutatingAdmissionPolicy{}
	mutating.Spec.Mutations = []admissionregistrationv1.Mutation{apply(text), jsonPatch(text)}
	c.CheckValidatingPolicy(validating, nil)
	c.CheckMutatingPolicy(mutating, nil)

	ctx, in := t.Context(), inShop()
	scope := c.Scope(variables("v", text, "w", "variables.v"), false)
	scope.Conditions(conditions(text)).Evaluate(ctx, in)
	for _, x := range []*expression.Expressions{
		scope.Validations([]string{text, "variables.w == 1"}),
		scope.Messages([]string{text}),
		scope.Annotations([]string{text}),
	} {
		values := x.Evaluate(ctx, in, expression.Budget)
		if spent := expression.Budget - values.Left; values.Err == nil && (spent < 0 || spent > expression.Budget) {
			t.Errorf("%.60q has cost %d of %d", text, spent, expression.Budget)
		}
	}
	scope.Variables(ctx, in)
	for _, m := range mutating.Spec.Mutations {
		if m, err := scope.Mutation(m); err == nil {
			_, _ = m.Evaluate(ctx, in)
		}
	}
}

// Whatever the text of an expression, the result is an error or a value.
func TestAnythingAsAnExpression(t *testing.T) {
	if testing.Short() {
		t.Skip("slow, and nothing in it is concurrent")
	}
	c := compiler("1.36")
	for name, text := range map[string]string{
		"nothing":                  "",
		"no CEL":                   "if object then {",
		"bytes that are no text":   "'\xff\xfe' == object",
		"unbalanced":               strings.Repeat("(", 10_000),
		"deep":                     strings.Repeat("(", 10_000) + "true" + strings.Repeat(")", 10_000),
		"deep lists":               strings.Repeat("[", 3_000) + strings.Repeat("]", 3_000),
		"many operators":           strings.Repeat("!", 20_000) + "true",
		"a long sum":               strings.Repeat("1 + ", 5_000) + "1 == 1",
		"a long path":              "object" + strings.Repeat(".a", 5_000) + " == 1",
		"a long text":              "'" + strings.Repeat("a", 2<<20) + "' == ''",
		"loops in loops":           strings.Repeat("[1, 2, 3, 4, 5, 6, 7, 8, 9].all(i, ", 9) + "true" + strings.Repeat(")", 9),
		"a text that grows":        "[1, 2, 3, 4, 5, 6, 7, 8].map(i, [1, 2, 3, 4, 5, 6, 7, 8].map(j, object.data.a + '" + strings.Repeat("x", 10_000) + "')).size() == 8",
		"numbers that run over":    "9223372036854775807 + int(object.data.a) == 0",
		"a division by nothing":    "1 / (int(object.data.a) - 1) == 1",
		"a pattern that backtrack": "object.data.a.matches('(a+)+$')",
		"itself":                   "variables.v == variables.v",
		"a value no JSON can hold": "double('NaN')",
		"a type":                   "type(object)",
		"an authorizer":            "authorizer",
	} {
		t.Run(name, func(t *testing.T) { everywhere(t, c, text) })
	}
}

func FuzzExpression(f *testing.F) {
	for _, text := range []string{
		"object.data.a == '1'", "variables.v", "'a' + object.metadata.name", "[1, 2].map(i, i * 2)", "Object{metadata: Object.metadata{labels: {'a': 'b'}}}",
		"[JSONPatch{op: 'add', path: '/a', value: 1}]", "object.?spec.orValue(1)", "quantity('1Gi').isGreaterThan(quantity('1'))", "((", "'\\u00e9'",
	} {
		f.Add(text)
	}
	c := compiler("1.36")
	f.Fuzz(func(t *testing.T, text string) { everywhere(t, c, text) })
}

// An expression that would take the server forever ends the request, because its answer is not known.
func TestEndlessQuantities(t *testing.T) {
	c := compiler("1.36")
	for _, text := range []string{
		"quantity('1e999999999').compareTo(quantity('1')) > 0",
		"quantity('1e-999999999').asInteger() > 0",
		"quantity('1e999999999').add(1).isInteger()",
		"isQuantity('1e-999999999')",
		"quantity('1e999' + '999' + '999').isLessThan(quantity('1'))",
	} {
		err := func() (err error) {
			defer bug.CatchStop(&err)
			c.Scope(nil, false).Validations([]string{text}).Evaluate(t.Context(), inShop(), expression.Budget)
			return nil
		}()
		if err == nil || !strings.Contains(err.Error(), "kube-apiserver may take forever") {
			t.Errorf("%s: %v", text, err)
		}
	}
}
