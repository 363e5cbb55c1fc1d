package expression

import (
	"fmt"
	"regexp"
	"strings"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// TypeCheck checks the validations of a policy against the kinds that it matches and that
// of its params, whose schemas are asked for, as a controller of the server does: what it
// finds is a warning, and changes nothing (W-298). kinds tells which kinds the names of
// resources may mean.
func TypeCheck(
	policy *admissionregistrationv1.ValidatingAdmissionPolicy,
	schemas func(schema.GroupVersionKind) (*spec.Schema, bool), kinds meta.RESTMapper,
) []admissionregistrationv1.ExpressionWarning {
	kindNames := sets.New[string]()
	c := validating.TypeChecker{
		SchemaResolver: schemaResolver(func(gvk schema.GroupVersionKind) (*spec.Schema, bool) {
			kindNames.Insert(regexp.QuoteMeta(gvk.Kind))
			return schemas(gvk)
		}),
		RestMapper: kinds,
	}
	warnings := c.Check(policy)
	if len(warnings) == 0 {
		return nil
	}
	types := regexp.MustCompile(`\b(` + strings.Join(sets.List(kindNames), "|") + `)[0-9]{1,9}\b`)
	for i := range warnings {
		warnings[i].Warning = withoutNumbers(warnings[i].Warning, types)
	}
	return warnings
}

// withoutNumbers is a warning without what changes from time to time: the checker tells the
// types that it declares apart by the nanosecond of the clock behind their kind. Lines of the
// expression itself stay as they are.
func withoutNumbers(warning string, types *regexp.Regexp) string {
	lines := strings.Split(warning, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, " | ") {
			lines[i] = types.ReplaceAllString(line, "$1")
		}
	}
	return strings.Join(lines, "\n")
}

type schemaResolver func(schema.GroupVersionKind) (*spec.Schema, bool)

// ResolveSchema implements [resolver.SchemaResolver].
func (r schemaResolver) ResolveSchema(gvk schema.GroupVersionKind) (*spec.Schema, error) {
	s, ok := r(gvk)
	if !ok {
		return nil, fmt.Errorf("cannot resolve %v: %w", gvk, resolver.ErrSchemaNotFound)
	}
	return s, nil
}
