package expression_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type (
	validation = admissionregistrationv1.Validation
	annotation = admissionregistrationv1.AuditAnnotation
	mutation   = admissionregistrationv1.Mutation
)

func reason(r metav1.StatusReason) *metav1.StatusReason { return &r }

// The messages are those of recordings (W-300, W-332).
func TestCheckValidatingPolicy(t *testing.T) {
	valid := []validation{{Expression: "true"}}
	v := func(v validation) admissionregistrationv1.ValidatingAdmissionPolicySpec {
		return admissionregistrationv1.ValidatingAdmissionPolicySpec{Validations: []validation{v}}
	}
	a := func(list ...annotation) admissionregistrationv1.ValidatingAdmissionPolicySpec {
		return admissionregistrationv1.ValidatingAdmissionPolicySpec{AuditAnnotations: list}
	}
	many := make([]annotation, 21)
	for i := range many {
		many[i] = annotation{Key: fmt.Sprintf("k%d", i), ValueExpression: "'v'"}
	}
	const tooLong = 5*1024 + 1

	for _, tt := range []struct {
		reason string
		spec   admissionregistrationv1.ValidatingAdmissionPolicySpec
		want   []string
	}{
		{"fine", v(validation{Expression: "object != null", MessageExpression: "'no ' + request.name", Reason: reason("Forbidden")}), nil},
		{"nothing", admissionregistrationv1.ValidatingAdmissionPolicySpec{}, []string{
			"spec.validations: Required value: validations or auditAnnotations must contain at least one item",
			"spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item"}},
		{"no expression", v(validation{}), []string{"spec.validations[0].expression: Required value: expression is not specified"}},
		{"not a bool", v(validation{Expression: "1"}), []string{`spec.validations[0].expression: Invalid value: "1": must evaluate to bool but got int`}},
		{"a blank message", v(validation{Expression: "true", Message: "   "}), []string{`spec.validations[0].message: Invalid value: "   ": must be non-empty if specified`}},
		{"a message of two lines", v(validation{Expression: "true", Message: "a\nb"}), []string{`spec.validations[0].message: Invalid value: "a\nb": must not contain line breaks`}},
		{"a line break after the message", v(validation{Expression: "true", Message: "a\n"}), nil},
		{"a blank messageExpression", v(validation{Expression: "true", MessageExpression: " "}), []string{`spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified`}},
		{"a message that is not a string", v(validation{Expression: "true", MessageExpression: "1"}), []string{`spec.validations[0].messageExpression: Invalid value: "1": must evaluate to string but got int`}},
		{"a message that may be a string", v(validation{Expression: "true", MessageExpression: "object.data.a"}), []string{`spec.validations[0].messageExpression: Invalid value: "object.data.a": must evaluate to string but got dyn`}},
		{"an authorizer in a message", v(validation{Expression: "true", MessageExpression: "authorizer.path('/').check('get').reason()"}), []string{`spec.validations[0].messageExpression: Invalid value: "authorizer.path('/').check('get').reason()": compilation failed: ERROR: <input>:1:1: undeclared reference to 'authorizer' (in container '')` +
			"\n | authorizer.path('/').check('get').reason()\n | ^"}},
		{"a reason that is not accepted", v(validation{Expression: "true", Reason: reason("Unauthorized")}), []string{`spec.validations[0].reason: Unsupported value: "Unauthorized": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"`}},

		{"variables", admissionregistrationv1.ValidatingAdmissionPolicySpec{
			Variables:   variables("a", "1", "b", "variables.a + 1"),
			Validations: []validation{{Expression: "variables.b == 2"}},
		}, nil},
		{"a later variable", admissionregistrationv1.ValidatingAdmissionPolicySpec{
			Variables: variables("a", "variables.b", "b", "1"), Validations: valid,
		}, []string{"spec.variables[0].expression: Invalid value: \"variables.b\": compilation failed: ERROR: <input>:1:10: undefined field 'b'\n | variables.b\n | .........^"}},
		{"the type of a variable", admissionregistrationv1.ValidatingAdmissionPolicySpec{
			Variables: variables("x", "1"), Validations: []validation{{Expression: "variables.x == 'a'"}},
		}, []string{"spec.validations[0].expression: Invalid value: \"variables.x == 'a'\": compilation failed: ERROR: <input>:1:13: found no matching overload for '_==_' applied to '(int, string)'\n | variables.x == 'a'\n | ............^"}},
		{"no variables at all", v(validation{Expression: "variables.v < 5"}), []string{"spec.validations[0].expression: Invalid value: \"variables.v < 5\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.v < 5\n | ^"}},
		{"names of variables", admissionregistrationv1.ValidatingAdmissionPolicySpec{
			Variables: variables("", "", "a-b", "1", "in", "1"), Validations: valid,
		}, []string{
			"spec.variables[0].name: Required value: name is not specified",
			"spec.variables[0].expression: Required value: expression is not specified",
			`spec.variables[1].name: Invalid value: "a-b": must be a valid CEL identifier`,
			`spec.variables[2].name: Invalid value: "in": must be a valid CEL identifier`}},

		{"variables in a match condition", admissionregistrationv1.ValidatingAdmissionPolicySpec{
			Variables: variables("x", "1"), MatchConditions: conditions("variables.x == 1"), Validations: valid,
		}, []string{"spec.matchConditions[0].expression: Invalid value: \"variables.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'variables' (in container '')\n | variables.x == 1\n | ^"}},
		{"params without paramKind", v(validation{Expression: "params == null"}), []string{"spec.validations[0].expression: Invalid value: \"params == null\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params == null\n | ^"}},
		{"params everywhere", admissionregistrationv1.ValidatingAdmissionPolicySpec{
			ParamKind:        &admissionregistrationv1.ParamKind{APIVersion: "v1", Kind: "ConfigMap"},
			MatchConditions:  conditions("params != null"),
			Variables:        variables("x", "params.x"),
			Validations:      []validation{{Expression: "params == variables.x", MessageExpression: "string(params.x)"}},
			AuditAnnotations: []annotation{{Key: "k", ValueExpression: "string(params.x)"}},
		}, nil},

		{"annotations", a(annotation{Key: "k", ValueExpression: "'a'"}, annotation{Key: "l", ValueExpression: "null"}), nil},
		{"an authorizer in an annotation (W-293)", a(annotation{Key: "k", ValueExpression: "authorizer.path('/').check('get').reason()"}), nil},
		{"an annotation that is not a string", a(annotation{Key: "k", ValueExpression: "1"}), []string{`spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int`}},
		{"no valueExpression", a(annotation{Key: "k"}), []string{"spec.auditAnnotations[0].valueExpression: Required value: valueExpression is not specified"}},
		{"a long valueExpression", a(annotation{Key: "k", ValueExpression: strings.Repeat("x", tooLong)}), []string{"spec.auditAnnotations[0].valueExpression: Required value: must not exceed 5120 bytes in length"}},
		{"a key twice", a(annotation{Key: "k", ValueExpression: "'a'"}, annotation{Key: "k", ValueExpression: "'a'"}), []string{`spec.auditAnnotations[1].key: Duplicate value: "k"`}},
		{"a bad key", a(annotation{Key: "-1", ValueExpression: "'a'"}), []string{`spec.auditAnnotations[0].key: Invalid value: "p/-1": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			p := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: tt.spec}
			got := errorTexts(compiler("1.36").CheckValidatingPolicy(p, nil))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("CheckValidatingPolicy() differs:\n%s", diff)
			}
		})
	}

	t.Run("too many annotations", func(t *testing.T) {
		p := &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: a(many...)}
		got := compiler("1.36").CheckValidatingPolicy(p, nil)
		if len(got) != 1 || got[0].Detail != "must not have more than 20 auditAnnotations" {
			t.Errorf("CheckValidatingPolicy() = %v", got)
		}
	})
}

func TestCheckValidatingPolicyUpdate(t *testing.T) {
	policy := func(condition, expression string) *admissionregistrationv1.ValidatingAdmissionPolicy {
		return &admissionregistrationv1.ValidatingAdmissionPolicy{Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConditions: conditions(condition),
			Validations:     []validation{{Expression: expression}},
		}}
	}
	const recent = `[2, 1].sort() == [1, 2]` // since 1.34
	c := compiler("1.34")
	for _, tt := range []struct {
		reason   string
		new, old *admissionregistrationv1.ValidatingAdmissionPolicy
		errors   int
	}{
		{"new functions on create", policy("true", recent), nil, 1},
		{"new functions that were stored", policy("true", recent), policy("false", recent), 0},
		{"new functions in another place", policy(recent, "true"), policy("true", recent), 1},
		{"unchanged match conditions are not checked", policy("1 +", "true"), policy("1 +", "false"), 0},
		{"other expressions are, even if they were stored", policy("1 +", "1 +"), policy("1 +", "1 +"), 1},
		{"changed match conditions are", policy("1 +", "true"), policy("true", "true"), 1},
	} {
		if got := c.CheckValidatingPolicy(tt.new, tt.old); len(got) != tt.errors {
			t.Errorf("%s: %v, want %d errors", tt.reason, got, tt.errors)
		}
	}
}

// The messages are those of recordings (W-321).
func TestCheckMutatingPolicy(t *testing.T) {
	both := apply("Object{}")
	both.JSONPatch = &admissionregistrationv1.JSONPatch{Expression: "[]"}
	bothTheOther := both
	bothTheOther.PatchType = admissionregistrationv1.PatchTypeJSONPatch
	bothTheOther.JSONPatch = &admissionregistrationv1.JSONPatch{Expression: "[JSONPatch{}]"}
	crossed := apply("Object{}")
	crossed.PatchType = admissionregistrationv1.PatchTypeJSONPatch

	for _, tt := range []struct {
		reason    string
		mutations []mutation
		variables []admissionregistrationv1.Variable
		want      []string
	}{
		{"fine", []mutation{apply("Object{data: {'a': 'b'}}"), jsonPatch("[JSONPatch{op: 'remove', path: '/a'}]")}, nil, nil},
		{"none", nil, nil, []string{"spec.mutations: Required value: mutations must contain at least one item"}},
		{"no patchType", []mutation{{}}, nil, []string{"spec.mutations[0].patchType: Required value"}},
		{"an unknown patchType", []mutation{{PatchType: "Merge"}}, nil, []string{`spec.mutations[0].patchType: Unsupported value: "Merge": supported values: "ApplyConfiguration", "JSONPatch"`}},
		{"the member missing", []mutation{{PatchType: "JSONPatch"}}, nil, []string{"spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch"}},
		{"the other member", []mutation{crossed}, nil, []string{
			"spec.mutations[0].jsonPatch: Required value: must be specified when patchType is JSONPatch",
			`spec.mutations[0].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch`}},
		{"both members", []mutation{both, bothTheOther}, nil, []string{
			`spec.mutations[0].jsonPatch: Invalid value: "{jsonPatch}": must not be specified when patchType is ApplyConfiguration`,
			`spec.mutations[1].applyConfiguration: Invalid value: "{applyConfiguration}": must not be specified when patchType is JSONPatch`}},
		{"no expression", []mutation{apply(" ")}, nil, []string{"spec.mutations[0].applyConfiguration.expression: Required value"}},
		{"not an Object", []mutation{apply("true")}, nil, []string{`spec.mutations[0].applyConfiguration.expression: Invalid value: "true": must evaluate to Object but got bool`}},
		{"a part of an Object", []mutation{apply("Object.spec{}")}, nil, []string{`spec.mutations[0].applyConfiguration.expression: Invalid value: "Object.spec{}": must evaluate to Object but got Object.spec`}},
		{"null", []mutation{apply("null")}, nil, []string{`spec.mutations[0].applyConfiguration.expression: Invalid value: "null": must evaluate to Object but got null_type`}},
		{"an empty list", []mutation{jsonPatch("[]")}, nil, []string{`spec.mutations[0].jsonPatch.expression: Invalid value: "[]": must evaluate to list(JSONPatch) but got list(dyn)`}},
		{"not a list", []mutation{jsonPatch("JSONPatch{}")}, nil, []string{`spec.mutations[0].jsonPatch.expression: Invalid value: "JSONPatch{}": must evaluate to list(JSONPatch) but got JSONPatch`}},
		{"an operation of another type", []mutation{jsonPatch("[JSONPatch{op: 1}]")}, nil, []string{"spec.mutations[0].jsonPatch.expression: Invalid value: \"[JSONPatch{op: 1}]\": compilation failed: ERROR: <input>:1:14: expected type of field 'op' is 'string' but provided type is 'int'\n | [JSONPatch{op: 1}]\n | .............^"}},
		{"mutations may always refer to variables", []mutation{apply("variables.o")}, nil, []string{
			"spec.mutations[0].applyConfiguration.expression: Invalid value: \"variables.o\": compilation failed: ERROR: <input>:1:10: undefined field 'o'\n | variables.o\n | .........^"}},
		{"Object in a variable", []mutation{apply("variables.o")}, variables("o", "Object{}"), []string{
			"spec.variables[0].expression: Invalid value: \"Object{}\": compilation failed: ERROR: <input>:1:7: undeclared reference to 'Object' (in container '')\n | Object{}\n | ......^",
			`spec.mutations[0].applyConfiguration.expression: Invalid value: "variables.o": must evaluate to Object but got dyn`}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			p := &admissionregistrationv1.MutatingAdmissionPolicy{Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
				Mutations: tt.mutations, Variables: tt.variables,
			}}
			got := errorTexts(compiler("1.36").CheckMutatingPolicy(p, nil))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("CheckMutatingPolicy() differs:\n%s", diff)
			}
		})
	}
}

func TestCheckMutatingPolicyUpdate(t *testing.T) {
	policy := func(condition string, m mutation) *admissionregistrationv1.MutatingAdmissionPolicy {
		return &admissionregistrationv1.MutatingAdmissionPolicy{Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
			MatchConditions: conditions(condition), Mutations: []mutation{m},
		}}
	}
	recent := apply(`Object{data: {'a': string([2, 1].sort()[0])}}`)
	c := compiler("1.34")
	if got := c.CheckMutatingPolicy(policy("true", recent), nil); len(got) != 1 {
		t.Errorf("new functions on create: %v, want one error", got)
	}
	if got := c.CheckMutatingPolicy(policy("true", recent), policy("false", recent)); len(got) != 0 {
		t.Errorf("new functions that were stored: %v, want none", got)
	}
	if got := c.CheckMutatingPolicy(policy("1 +", apply("Object{}")), policy("1 +", recent)); len(got) != 0 {
		t.Errorf("unchanged match conditions: %v, want none", got)
	}
}
