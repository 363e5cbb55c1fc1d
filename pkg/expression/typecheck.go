package expression

import (
	"fmt"
	"regexp"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
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
	c := validating.TypeChecker{SchemaResolver: schemaResolver(schemas), RestMapper: kinds}
	warnings := c.Check(policy)
	for i := range warnings {
		warnings[i].Warning = typeName.ReplaceAllString(warnings[i].Warning, "$1")
	}
	return warnings
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

// typeName is a type that the checker declared, which it tells apart by the nanosecond of
// the clock behind the kind.
var typeName = regexp.MustCompile(`\b([A-Z][A-Za-z]*?)[0-9]{1,9}(?:\b|$)`)
