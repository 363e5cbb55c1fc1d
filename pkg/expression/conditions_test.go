package expression_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/expression"
)

// The values of conditions for creating config map c with data a=1.
func TestConditionValues(t *testing.T) {
	for _, tt := range []struct {
		reason, expression string
		want               bool
		err                string
	}{
		{"a constant", `true`, true, ""},
		{"a field", `object.data.a == '1'`, true, ""},
		{"a field that does not exist (W-323)", `object.data.none == 'x'`, false, `expression 'object.data.none == 'x'' resulted in error: no such key: none`},
		{"a field that may be missing", `has(object.data.none)`, false, ""},
		{"kind and version are fields", `object.kind == 'ConfigMap' && object.apiVersion == 'v1'`, true, ""},
		{"no old object", `oldObject == null`, true, ""},
		{"a field of no old object", `oldObject.data.a == '1'`, false, `expression 'oldObject.data.a == '1'' resulted in error: no such key: data`},
		{"no namespace (W-119)", `namespaceObject == null`, true, ""},
		{"a field of no namespace", `namespaceObject.metadata.name == 'shop'`, false, `expression 'namespaceObject.metadata.name == 'shop'' resulted in error: no such key: metadata`},

		{"request (W-322)", `request.operation == 'CREATE' && request.name == 'c' && request.namespace == 'shop'`, true, ""},
		{"dry run", `request.dryRun`, false, ""},
		{"options", `request.options.fieldManager == 'me' && request.options.kind == 'CreateOptions'`, true, ""},
		{"user", `request.userInfo.username == 'ann' && request.userInfo.uid == '7' && 'cooks' in request.userInfo.groups`, true, ""},
		{"extra", `request.userInfo.extra['shift'] == ['late']`, true, ""},
		{"no subresource", `has(request.subResource)`, false, ""},

		{"authorizer", `authorizer.group('').resource('pods').namespace('shop').check('get').allowed()`, true, ""},
		{"authorizer of the request", `authorizer.requestResource.check('delete').allowed()`, true, ""},
		{"authorizer for a service account", `authorizer.serviceAccount('shop', 'robot').group('').resource('pods').check('get').allowed()`, false, ""},

		{"quantities", `quantity('1Gi').isGreaterThan(quantity('1Mi'))`, true, ""},
		{"URLs", `url('https://a.b/c').getHost() == 'a.b'`, true, ""},
		{"addresses", `ip('127.0.0.1').isLoopback() && cidr('10.0.0.0/8').containsIP('10.1.1.1')`, true, ""},
		{"versions", `semver('1.2.3').isLessThan(semver('1.3.0'))`, true, ""},
		{"lists", `[1, 2, 3].sum() == 6 && [3, 1].sort() == [1, 3]`, true, ""},
		{"sets", `sets.contains([1, 2], [1])`, true, ""},
		{"strings", `'a,b'.split(',').size() == 2 && '%s-%d'.format(['a', 1]) == 'a-1'`, true, ""},
		{"optional values", `object.?data.?zz.orValue('d') == 'd'`, true, ""},
		{"regular expressions", `'x9'.matches('^x[0-9]+$')`, true, ""},
		{"numbers of different types", `dyn(1) == 1.0 && 1 < 1.5`, true, ""},

		{"no params (W-117)", `params.x == 1`, false, "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x == 1\n | ^"},
		{"no variables (W-117)", `variables.x == 1`, false, "compilation error: compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x == 1\n | ^"},
		{"not a bool", `6`, false, "compilation error: must evaluate to bool but got int"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			c := compiler("1.36").Conditions(conditions(tt.expression))
			got := c.Evaluate(t.Context(), create(configMap("c", map[string]string{"a": "1"})))
			if got.Err != nil || len(got.Results) != 1 {
				t.Fatalf("Evaluate() = %+v, want one result", got)
			}
			r := got.Results[0]
			if r.Value != tt.want || text(r.Err) != tt.err || r.Name != "a" || r.Expression != tt.expression {
				t.Errorf("Evaluate(%s) = %+v, want %v, %q", tt.expression, r, tt.want, tt.err)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// All conditions are evaluated before anything is decided (W-120), and errors are returned as one, or as a list
// (W-122).
func TestAllConditionsAreEvaluated(t *testing.T) {
	const none, nope = `object.data.none == 'x'`, `object.data.nope == 'x'`
	const noneFails, nopeFails = `expression 'object.data.none == 'x'' resulted in error: no such key: none`, `expression 'object.data.nope == 'x'' resulted in error: no such key: nope`
	for _, tt := range []struct {
		reason     string
		conditions []string
		isFalse    string // its name
		failure    string
	}{
		{"no conditions", nil, "", ""},
		{"all true", []string{"true", "true"}, "", ""},
		{"an error before false", []string{none, "false"}, "b", noneFails},
		{"an error after false", []string{"false", none}, "a", noneFails},
		{"the first of two that are false", []string{"true", "1 > 2", "false"}, "b", ""},
		{"one error", []string{"true", none}, "", noneFails},
		{"two errors", []string{none, nope}, "", "[" + noneFails + ", " + nopeFails + "]"},
		{"the same error twice", []string{none, none}, "", noneFails},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			c := compiler("1.36").Conditions(conditions(tt.conditions...))
			got := c.Evaluate(t.Context(), create(configMap("c", map[string]string{"a": "1"})))
			if len(got.Results) != len(tt.conditions) {
				t.Errorf("%d results, want %d", len(got.Results), len(tt.conditions))
			}
			if r, ok := got.False(); r.Name != tt.isFalse || ok != (tt.isFalse != "") {
				t.Errorf("False() = %q, %v, want %q", r.Name, ok, tt.isFalse)
			}
			if f := text(got.Failure()); f != tt.failure {
				t.Errorf("Failure() = %q, want %q", f, tt.failure)
			}
		})
	}
}

func TestConditionBudget(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of steps, which take minutes under the race detector")
	}
	const limit = 1_000_000
	const exceeded = "validation failed due to running out of cost budget, no further validation rules will be run"

	t.Run("an expression has its own limit", func(t *testing.T) {
		text := costing(6)
		got := compiler("1.36").Conditions(conditions(text, "true")).Evaluate(t.Context(), create(configMap("c", nil)))
		want := fmt.Sprintf("expression '%s' resulted in error: operation cancelled: actual cost limit exceeded", text)
		if got.Err != nil || len(got.Results) != 2 || got.Failure().Error() != want {
			t.Fatalf("Evaluate() = %+v, want %q", got, want)
		}
		if cost := got.Results[0].Cost; cost <= limit {
			t.Errorf("cost = %d, want more than %d", cost, limit)
		}
	})
	t.Run("all conditions share one budget", func(t *testing.T) {
		list := []string{"false", costing(6), costing(6), costing(6), "true"}
		got := compiler("1.36").Conditions(conditions(list...)).Evaluate(t.Context(), create(configMap("c", nil)))
		if text(got.Err) != exceeded || text(got.Failure()) != exceeded {
			t.Errorf("Evaluate() = %v, want %q", got.Err, exceeded)
		}
		if len(got.Results) != 3 {
			t.Errorf("%d results before the budget was gone, want 3", len(got.Results))
		}
		if r, ok := got.False(); ok {
			t.Errorf("False() = %q, want none: nothing counts once the budget is gone", r.Name)
		}
	})
	t.Run("two conditions at their limit fit", func(t *testing.T) {
		got := compiler("1.36").Conditions(conditions(costing(6), costing(6))).Evaluate(t.Context(), create(configMap("c", nil)))
		if got.Err != nil {
			t.Errorf("Evaluate() = %v", got.Err)
		}
	})
}

// request.resource is that of the request, and request.kind the matched one (W-118).
func TestConditionsOfAnEquivalentResource(t *testing.T) {
	in := create(nil)
	in.Resource = schema.GroupVersionResource{Group: "shop.example", Version: "v1beta1", Resource: "carts"}
	in.Kind = schema.GroupVersionKind{Group: "shop.example", Version: "v1beta1", Kind: "Cart"}
	in.Request.Resource = in.Resource.GroupResource().WithVersion("v1")
	in.Request.Kind = in.Kind.GroupKind().WithVersion("v1")
	in.Request.Subresource = "status"
	in.Object = &unstructured.Unstructured{Object: map[string]any{"apiVersion": "shop.example/v1beta1", "kind": "Cart"}}

	c := compiler("1.36").Conditions(conditions(
		`request.resource.version == 'v1' && request.requestResource == request.resource`,
		`request.kind.version == 'v1beta1' && request.requestKind.version == 'v1'`,
		`request.subResource == 'status' && request.requestSubResource == 'status'`,
		`object.apiVersion == 'shop.example/v1beta1'`,
	))
	for _, r := range c.Evaluate(t.Context(), in).Results {
		if !r.Value {
			t.Errorf("%s = false, %v", r.Expression, r.Err)
		}
	}
}

func TestConditionsWithoutAnObject(t *testing.T) {
	in := create(nil)
	in.Request.Operation = admissionv1.Delete
	in.OldObject = configMap("c", nil)
	got := compiler("1.36").Conditions(conditions(
		`object == null && oldObject != null`,
		`has(object.metadata.labels)`,
		`object.x`,
	)).Evaluate(t.Context(), in)
	want := []string{"", "expression 'has(object.metadata.labels)' resulted in error: no such key: metadata", "compilation error: must evaluate to bool but got dyn"}
	for i, r := range got.Results {
		if text(r.Err) != want[i] {
			t.Errorf("%s: %v, want %q", r.Expression, r.Err, want[i])
		}
	}
}

func TestNoAuthorizer(t *testing.T) {
	in := create(configMap("c", nil))
	in.Authorizer = nil
	got := compiler("1.36").Conditions(conditions(`authorizer.path('/x').check('get').allowed()`)).Evaluate(t.Context(), in)
	if want := "no such attribute(s): authorizer"; !strings.HasSuffix(text(got.Failure()), want) {
		t.Errorf("Failure() = %v, want %q", got.Failure(), want)
	}
}

// Older releases know less.
func TestConditionsOfAnOlderRelease(t *testing.T) {
	for release, known := range map[string]bool{"1.30": false, "1.34": true, "1.36": true} {
		got := compiler(release).Conditions(conditions(`[2, 1].sort() == [1, 2]`)).Evaluate(t.Context(), create(configMap("c", nil)))
		if (got.Failure() == nil) != known {
			t.Errorf("%s: Failure() = %v, want known: %v", release, got.Failure(), known)
		}
	}
}

// Up to 1.33 an unset time is null, in templates too (W-138).
func TestTimesOfAnOlderRelease(t *testing.T) {
	template := &corev1.PodTemplate{ObjectMeta: metav1.ObjectMeta{Name: "t"}}
	const text = `has(object.metadata.creationTimestamp) && object.template.metadata.creationTimestamp == null`
	for release, null := range map[string]bool{"1.30": true, "1.33": true, "1.34": false} {
		c := compiler(release)
		for where, conditions := range map[string]*expression.Conditions{
			"a webhook": c.Conditions(conditions(text)),
			"a policy":  c.Scope(nil, false).Conditions(conditions(text)),
		} {
			got := conditions.Evaluate(t.Context(), create(template))
			if len(got.Results) != 1 || got.Results[0].Value != null {
				t.Errorf("%s of %s sees a creationTimestamp: %+v, want %v", where, release, got, null)
			}
		}
	}
}

// Shared must not mix up objects, or views of a request.
func TestSharedTellsObjectsApart(t *testing.T) {
	var shared expression.Shared
	c := compiler("1.36").Conditions(conditions(`object.data.a == request.kind.kind`))
	for _, kind := range []string{"One", "Two", "One"} {
		in := create(configMap("c", map[string]string{"a": kind}))
		in.Kind.Kind = kind
		in.Shared = &shared
		for range 2 {
			if got := c.Evaluate(t.Context(), in); got.Failure() != nil || !got.Results[0].Value {
				t.Errorf("kind %s: Evaluate() = %+v, want true", kind, got)
			}
		}
	}
}

func TestConcurrentConditions(t *testing.T) {
	c := compiler("1.36")
	var shared expression.Shared
	in := create(configMap("c", map[string]string{"a": "1"}))
	in.Shared = &shared
	want := c.Conditions(conditions(`object.data.a == '1'`, `request.name == 'c'`, `object.none`)).Evaluate(context.Background(), in)

	c = compiler("1.36")
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			got := c.Conditions(conditions(`object.data.a == '1'`, `request.name == 'c'`, `object.none`)).Evaluate(context.Background(), in)
			if diff := cmp.Diff(fmt.Sprint(want), fmt.Sprint(got)); diff != "" {
				t.Errorf("Evaluate() differs:\n%s", diff)
			}
		})
	}
	all.Wait()
}

func BenchmarkConditions(b *testing.B) {
	small := configMap("c", map[string]string{"a": "1"})
	small.Labels = map[string]string{"team": "shop"}
	small.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl", FieldsV1: &metav1.FieldsV1{Raw: []byte(`{"f:data":{"f:a":{}}}`)}}}
	list := conditions(`!('system:nodes' in request.userInfo.groups)`, `has(object.metadata.labels) && 'team' in object.metadata.labels`)

	b.Run("shared=no", func(b *testing.B) { benchmark(b, create(small), list...) })
	b.Run("shared=yes", func(b *testing.B) {
		in := create(small)
		in.Shared = &expression.Shared{}
		benchmark(b, in, list...)
	})
}

func benchmark(b *testing.B, in expression.Input, list ...admissionregistrationv1.MatchCondition) {
	c := compiler("1.36").Conditions(list)
	c.Evaluate(b.Context(), in) // compiles
	for b.Loop() {
		if got := c.Evaluate(b.Context(), in); got.Failure() != nil {
			b.Fatal(got.Failure())
		}
	}
}

// BenchmarkFirst measures the cost of the first evaluation of a process: environment and compilation.
func BenchmarkFirst(b *testing.B) {
	in := create(&corev1.ConfigMap{})
	for b.Loop() {
		compiler("1.36").Conditions(conditions(`object.metadata.name == 'x'`)).Evaluate(b.Context(), in)
	}
}
