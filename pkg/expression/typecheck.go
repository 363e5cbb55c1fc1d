package expression

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/library"
	"k8s.io/apiserver/pkg/cel/openapi"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/celquirks"
)

// TypeCheck checks the types in the validations of a policy, for the kinds that it matches and the kind of its params,
// like a controller of the server. Findings are warnings, and change nothing (W-298). schemas returns the schema of a
// kind in the release, and kinds the kinds that resource names may refer to.
//
// The server's own checker is kubernetes/apiserver:pkg/admission/plugin/policy/validating/typechecking.go. It is not
// used, since its package imports clients of all APIs, which would slow down the start of every process.
func (c *Compiler) TypeCheck(
	policy *admissionregistrationv1.ValidatingAdmissionPolicy,
	schemas func(schema.GroupVersionKind) (*spec.Schema, bool), kinds meta.RESTMapper,
) []admissionregistrationv1.ExpressionWarning {
	checks := c.stored.typeChecks(policy, schemas, kinds)
	if len(checks) == 0 {
		return nil
	}
	var warnings []admissionregistrationv1.ExpressionWarning
	check := func(path *field.Path, expression string) {
		var found []string
		for _, k := range checks {
			if issues := k.issues(expression); issues != "" {
				found = append(found, issues)
			}
		}
		if len(found) > 0 {
			warnings = append(warnings, admissionregistrationv1.ExpressionWarning{FieldRef: path.String(), Warning: strings.Join(found, "\n")})
		}
	}
	for i, v := range policy.Spec.Validations {
		path := field.NewPath("spec", "validations").Index(i)
		check(path.Child("expression"), v.Expression)
		if v.MessageExpression != "" {
			check(path.Child("messageExpression"), v.MessageExpression)
		}
	}
	return warnings
}

// A typeCheck knows the types of the variables of a policy for one kind that it matches.
type typeCheck struct {
	kind   schema.GroupVersionKind
	env    *cel.Env
	former celquirks.Former
}

// issues returns what is wrong with an expression, or "". Any result type is accepted.
func (c typeCheck) issues(expression string) string {
	_, issues := compileIn(c.env, expression, c.former)
	if issues == nil {
		return ""
	}
	return fmt.Sprintf("%v: %s\n", c.kind, strings.ReplaceAll(issues.String(), ofParams, ""))
}

// typeChecks returns a typeCheck for each kind that the policy matches and that has a schema.
func (d *dialect) typeChecks(
	policy *admissionregistrationv1.ValidatingAdmissionPolicy,
	schemas func(schema.GroupVersionKind) (*spec.Schema, bool), kinds meta.RESTMapper,
) []typeCheck {
	matched, paramKind := matchedKinds(policy, kinds), paramKindOf(policy.Spec.ParamKind)
	if len(matched) == 0 {
		return nil
	}
	var params *apiservercel.DeclType
	if !paramKind.Empty() {
		params, _ = declared(paramKind, paramKind.Kind+ofParams, schemas)
	}
	var checks []typeCheck
	for _, kind := range matched {
		object, ok := declared(kind, kind.Kind, schemas)
		if !ok {
			continue
		}
		env, err := d.typedEnvironment(object, params, !paramKind.Empty())
		if err == nil {
			env, err = typedVariables(env, d.library.former, policy.Spec.Variables)
		}
		if err != nil {
			continue // as in the server: a check that cannot be created finds nothing
		}
		checks = append(checks, typeCheck{kind, env, d.library.former})
	}
	return checks
}

// ofParams distinguishes the type of params from that of objects if both have kinds with the same name. It is a
// character that nobody writes. The server distinguishes the types by the nanosecond of the clock, and has that in its
// warnings; here both have the name of the kind.
const ofParams = "\uFDD0"

// declared returns a kind as a CEL type: nil if its schema says nothing, so that everything is allowed. ok reports
// whether it has a schema.
func declared(kind schema.GroupVersionKind, name string, schemas func(schema.GroupVersionKind) (*spec.Schema, bool)) (t *apiservercel.DeclType, ok bool) {
	s, ok := schemas(kind)
	if !ok {
		return nil, false
	}
	if t = common.SchemaDeclType(&openapi.Schema{Schema: s}, true); t != nil {
		t = t.MaybeAssignTypeName(name)
	}
	return t, true
}

func paramKindOf(params *admissionregistrationv1.ParamKind) schema.GroupVersionKind {
	if params == nil {
		return schema.GroupVersionKind{}
	}
	gv, err := schema.ParseGroupVersion(params.APIVersion)
	if err != nil {
		return schema.GroupVersionKind{}
	}
	return gv.WithKind(params.Kind)
}

// typedEnvironment declares what the expressions of a policy or webhook see, except for variables.
func (d *dialect) typedEnvironment(object, params *apiservercel.DeclType, hasParams bool) (*cel.Env, error) {
	request, namespace := requestType(), namespaceType()
	types := []*apiservercel.DeclType{namespace, request}
	var declares []cel.EnvOption
	declare := func(t *apiservercel.DeclType, names ...string) {
		of := cel.DynType
		if t != nil {
			of = t.CelType()
		}
		for _, name := range names {
			declares = append(declares, cel.Variable(name, of))
		}
	}
	declare(namespace, namespaceVariable)
	declare(request, requestVariable)
	declare(object, objectVariable, oldObjectVariable)
	if object != nil {
		types = append(types, object)
	}
	if hasParams {
		declare(params, paramsVariable)
		if params != nil {
			types = append(types, params)
		}
	}
	declares = append(declares, cel.Variable(authorizerVariable, library.AuthorizerType))
	base, err := d.base(ofRelease)
	if err != nil {
		return nil, err
	}
	known, err := typesFor(base, ofRelease.keywords(d.minor), types...)
	if err != nil {
		return nil, err
	}
	return base.Extend(append(declares, known...)...)
}

// typedVariables adds the variables of a policy, in order, since each may use the earlier ones. A variable that does
// not compile may be used in any way.
func typedVariables(base *cel.Env, former celquirks.Former, variables []admissionregistrationv1.Variable) (*cel.Env, error) {
	composed := newComposer(math.MaxInt, func(mode) (*cel.Env, error) { return base, nil })
	env, err := composed.env(ofNewest)
	if err != nil {
		return nil, err
	}
	composed.compiler = outputTypes{env, former}
	for _, v := range variables {
		composed.add(source{text: v.Expression, want: wantAnything, name: v.Name}, declarations{}, ofNewest)
	}
	return env, nil
}

// outputTypes is a compiler that only determines the types of expressions.
type outputTypes struct {
	env    *cel.Env
	former celquirks.Former
}

func (o outputTypes) compile(s source, _ declarations, _ mode) program {
	ast, issues := compileIn(o.env, s.text, o.former)
	if issues != nil {
		return program{}
	}
	return program{output: ast.OutputType()}
}

// maxTypesToCheck is the maximum number of kinds that are checked for one rule.
const maxTypesToCheck = 10

// matchedKinds returns the kinds that the resources in the rules of a policy may refer to, in order. Rules with a
// wildcard for group or version match none, and wildcards and subresources among the resources are skipped. A rule that
// reaches the limit is the last that is checked.
func matchedKinds(policy *admissionregistrationv1.ValidatingAdmissionPolicy, kinds meta.RESTMapper) []schema.GroupVersionKind {
	var all []schema.GroupVersionKind
	if policy.Spec.MatchConstraints != nil {
		for _, rule := range policy.Spec.MatchConstraints.ResourceRules {
			found := kindsOfRule(&rule.Rule, kinds)
			all = append(all, found...)
			if len(found) == maxTypesToCheck {
				break
			}
		}
	}
	slices.SortFunc(all, compareKinds)
	return slices.Compact(all)
}

func compareKinds(a, b schema.GroupVersionKind) int {
	return slices.Compare([]string{a.Group, a.Version, a.Kind}, []string{b.Group, b.Version, b.Kind})
}

func kindsOfRule(rule *admissionregistrationv1.Rule, kinds meta.RESTMapper) []schema.GroupVersionKind {
	if anyContains(rule.APIGroups, "*") || anyContains(rule.APIVersions, "*") {
		return nil
	}
	var found []schema.GroupVersionKind
	for _, group := range slices.Sorted(slices.Values(rule.APIGroups)) {
		for _, version := range slices.Sorted(slices.Values(rule.APIVersions)) {
			for _, resource := range slices.Sorted(slices.Values(rule.Resources)) {
				if strings.ContainsAny(resource, "*/") {
					continue
				}
				resolved, err := kinds.KindsFor(schema.GroupVersionResource{Group: group, Version: version, Resource: resource})
				if err != nil {
					continue // no such resource
				}
				for _, kind := range resolved {
					if found = append(found, kind); len(found) == maxTypesToCheck {
						return found
					}
				}
			}
		}
	}
	return found
}

func anyContains(list []string, part string) bool {
	return slices.ContainsFunc(list, func(s string) bool { return strings.Contains(s, part) })
}
