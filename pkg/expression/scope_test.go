package expression_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/expression"
)

// variables takes name, expression, name, expression and so on.
func variables(namesAndExpressions ...string) []admissionregistrationv1.Variable {
	var list []admissionregistrationv1.Variable
	for i := 0; i < len(namesAndExpressions); i += 2 {
		list = append(list, admissionregistrationv1.Variable{Name: namesAndExpressions[i], Expression: namesAndExpressions[i+1]})
	}
	return list
}

// inShop returns the input of a policy with params p=q, in namespace shop.
func inShop() expression.Input {
	in := create(configMap("c", map[string]string{"a": "1"}))
	in.Params = configMap("params", map[string]string{"p": "q"})
	in.Namespace = &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:            "shop",
		Labels:          map[string]string{"env": "prod"},
		OwnerReferences: []metav1.OwnerReference{{Name: "owner"}},
	}}
	return in
}

// TestAvailability checks the table of W-324, and the text next to it.
func TestAvailability(t *testing.T) {
	const (
		ok         = ""
		undeclared = "undeclared reference to"
		unbound    = "no such attribute(s): authorizer"
		null       = "no such key"
		undefined  = "undefined field"
	)
	for _, tt := range []struct {
		reason     string
		params     bool
		expression string // yields a bool

		condition, validation, message, annotation, mutation string
	}{
		{"object", false, `object.data.a == '1'`, ok, ok, ok, ok, ok},
		{"oldObject", false, `oldObject == null`, ok, ok, ok, ok, ok},
		{"request", false, `request.name == 'c'`, ok, ok, ok, ok, ok},
		{"params", true, `params.data.p == 'q'`, ok, ok, ok, ok, ok},
		{"params without paramKind", false, `params.data.p == 'q'`, undeclared, undeclared, undeclared, undeclared, undeclared},
		{"namespaceObject", false, `namespaceObject.metadata.labels['env'] == 'prod'`, null, ok, ok, ok, ok},
		{"an unknown field of namespaceObject", false, `namespaceObject.metadata.ownerReferences == []`, undefined, undefined, undefined, undefined, undefined},
		{"a field that the type of namespaceObject hides", false, `has(dyn(namespaceObject).metadata.ownerReferences)`, null, ok, ok, ok, ok},
		{"authorizer", false, `authorizer.path('/x').check('get').allowed()`, ok, ok, undeclared, unbound, ok},
		{"variables", false, `variables.v == 1`, ok, ok, ok, ok, ok},
		{"an unknown variable", false, `variables.w == 1`, undefined, undefined, undefined, undefined, undefined},
		{"a variable that uses the authorizer", false, `variables.may`, ok, ok, unbound, unbound, ok},
		{"Object", false, `Object{} == null || true`, undeclared, undeclared, undeclared, undeclared, ok},
		{"jsonpatch", false, `jsonpatch.escapeKey('a/b') == 'a~1b'`, undeclared, undeclared, undeclared, undeclared, ok},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			s := compiler("1.36").Scope(variables("v", "1", "may", `authorizer.path('/x').check('get').allowed()`), tt.params)
			asString := "string(" + tt.expression + ")"
			value := func(x *expression.Expressions) error {
				got := x.Evaluate(t.Context(), inShop(), expression.Budget)
				if got.Err != nil {
					t.Fatal(got.Err)
				}
				return got.List[0].Err
			}
			mutation, err := s.Mutation(jsonPatch("[JSONPatch{op: 'add', path: '/a', value: " + asString + "}]"))
			if err != nil {
				t.Fatal(err)
			}
			_, mutated := mutation.Evaluate(t.Context(), inShop())

			for _, got := range []struct {
				in   string
				err  error
				want string
			}{
				{"match condition", s.Conditions(conditions(tt.expression)).Evaluate(t.Context(), inShop()).Failure(), tt.condition},
				{"validation", value(s.Validations([]string{tt.expression})), tt.validation},
				{"message", value(s.Messages([]string{asString})), tt.message},
				{"annotation", value(s.Annotations([]string{asString})), tt.annotation},
				{"mutation", mutated, tt.mutation},
			} {
				if (got.err == nil) != (got.want == ok) || !strings.Contains(text(got.err), got.want) {
					t.Errorf("%s in a %s: %v, want %q", tt.expression, got.in, got.err, got.want)
				}
			}
		})
	}
}

// Only annotations see the whole namespace.
func TestHowMuchOfTheNamespace(t *testing.T) {
	const owned = `string(size(dyn(namespaceObject).metadata.?ownerReferences.orValue([])))`
	s := compiler("1.36").Scope(nil, false)
	for want, x := range map[string]*expression.Expressions{
		"0": s.Messages([]string{owned}),
		"1": s.Annotations([]string{owned}),
	} {
		if got := x.Evaluate(t.Context(), inShop(), expression.Budget); got.List[0].Value != want {
			t.Errorf("owners = %+v, want %s", got, want)
		}
	}
}

func TestValues(t *testing.T) {
	in := inShop()
	in.Namespace, in.Params = nil, nil
	s := compiler("1.36").Scope(nil, true)
	got := s.Validations([]string{`namespaceObject == null`, `params == null`, `1 > 2`}).Evaluate(t.Context(), in, expression.Budget)
	if diff := cmp.Diff([]any{true, true, false}, values(got)); diff != "" {
		t.Errorf("validations differ:\n%s", diff)
	}
	got = s.Messages([]string{`'a' + 'b'`, ``}).Evaluate(t.Context(), in, expression.Budget)
	if diff := cmp.Diff([]any{"ab", nil}, values(got)); diff != "" {
		t.Errorf("messages differ:\n%s", diff)
	}
	got = s.Annotations([]string{`'a'`, `null`}).Evaluate(t.Context(), in, expression.Budget)
	if diff := cmp.Diff([]any{"a", nil}, values(got)); diff != "" {
		t.Errorf("annotations differ:\n%s", diff)
	}
}

func values(v expression.Values) []any {
	var list []any
	for _, one := range v.List {
		list = append(list, one.Value)
	}
	return list
}

// Variables are evaluated lazily, in order, once per evaluation (W-294).
func TestVariables(t *testing.T) {
	s := compiler("1.36").Scope(variables(
		"one", `1`,
		"two", `variables.one + 1`,
		"later", `variables.latest`, "latest", `1`,
		"missing", `object.data.none`,
		"dear", costing(3),
	), false)
	got := s.Validations([]string{
		`variables.two == 2`,
		`variables.missing == 'x'`,
		`variables.later == 1`,
		`variables.dear`,
		`variables.dear`,
		`true || variables.missing == 'x'`,
	}).Evaluate(t.Context(), inShop(), expression.Budget)
	if got.Err != nil {
		t.Fatal(got.Err)
	}
	want := []string{
		``,
		`expression 'variables.missing == 'x'' resulted in error: composited variable "missing" fails to evaluate: no such key: none`,
		`expression 'variables.later == 1' resulted in error: composited variable "later" fails to compile: compilation failed: ERROR: <input>:1:10: undefined field 'latest'` +
			"\n | variables.latest\n | .........^",
		``, ``, ``,
	}
	for i, v := range got.List {
		if text(v.Err) != want[i] {
			t.Errorf("%s: %v, want %q", v.Expression, v.Err, want[i])
		}
	}
	if first, second := got.List[3].Cost, got.List[4].Cost; first < 1000 || second > 10 {
		t.Errorf("costs of using a variable twice = %d, %d, want the first to have the whole cost", first, second)
	}
	var sum int64
	for _, v := range got.List {
		sum += v.Cost
	}
	if got.Left != expression.Budget-sum {
		t.Errorf("left = %d of %d after %d", got.Left, expression.Budget, sum)
	}
}

// Expressions of a policy without variables may still refer to them; there are none.
func TestNoVariables(t *testing.T) {
	got := compiler("1.36").Scope(nil, false).Validations([]string{`variables == variables`, `variables.a == 1`, `true`}).
		Evaluate(t.Context(), inShop(), expression.Budget)
	want := []string{
		``,
		"compilation error: compilation failed: ERROR: <input>:1:10: undefined field 'a'\n | variables.a == 1\n | .........^",
		``,
	}
	for i, v := range got.List {
		if text(v.Err) != want[i] || v.Err == nil && v.Value != true {
			t.Errorf("%s = %v, %v, want %q", v.Expression, v.Value, v.Err, want[i])
		}
	}
}

// The cost of variables counts against the budget, like that of every expression (W-286).
func TestBudgetOfAPolicy(t *testing.T) {
	const exceeded = "validation failed due to running out of cost budget, no further validation rules will be run"
	s := compiler("1.36").Scope(variables("dear", costing(4)), false)
	got := s.Validations([]string{`true`, `variables.dear`, `true`}).Evaluate(t.Context(), inShop(), 1000)
	if text(got.Err) != exceeded || len(got.List) != 1 {
		t.Errorf("Evaluate() = %+v, want one value and %q", got, exceeded)
	}
}

// Validations see the matched resource, match conditions that of the request (W-296).
func TestResourceOfAPolicy(t *testing.T) {
	in := inShop()
	in.Resource = schema.GroupVersionResource{Version: "v2", Resource: "configmaps"}
	s := compiler("1.36").Scope(nil, false)
	if got := s.Validations([]string{`request.resource.version == 'v2'`}).Evaluate(t.Context(), in, expression.Budget); got.List[0].Value != true {
		t.Errorf("validation: %+v", got)
	}
	if got := s.Conditions(conditions(`request.resource.version == 'v1'`)).Evaluate(t.Context(), in); !got.Results[0].Value {
		t.Errorf("condition: %+v", got)
	}
}

func TestConcurrentScope(t *testing.T) {
	s := compiler("1.36").Scope(variables("v", `object.data.a`), true)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			got := s.Validations([]string{`variables.v == '1'`, `params.data.p == 'q'`}).Evaluate(t.Context(), inShop(), expression.Budget)
			if diff := cmp.Diff([]any{true, true}, values(got)); diff != "" {
				t.Errorf("Evaluate() differs:\n%s", diff)
			}
		})
	}
	all.Wait()
}
