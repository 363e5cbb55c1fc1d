// kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/cel_validation.go

package crd

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/admsim/admsim/internal/objects/customrules"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Limits of the estimated cost of rules: of one expression, and of a whole schema.
const (
	maxRuleCost   = 10_000_000
	maxSchemaCost = 100_000_000
)

// A ruleScope has what the rules of a schema depend on: the types of the values, and how many of them an object has.
type ruleScope struct {
	schema  *apiextensions.JSONSchemaProps
	parent  *ruleScope // nil at the root
	part    typesOfPart
	ruled   bool // this schema or an enclosing one has rules
	release *kubeversion.Release

	bounded bool   // there is a limit for each enclosing list and map,
	most    uint64 // so an object has no more values than this
	costs   *ruleCosts

	known *ruleTypes // determined when first needed
	err   error
}

// ruleTypes are the types of a schema, as CEL knows them.
type ruleTypes struct {
	schema   *structuralschema.Structural
	declared *apiservercel.DeclType
}

func rulesOfRoot(s *apiextensions.JSONSchemaProps, unlimited bool, r *kubeversion.Release) *ruleScope {
	return &ruleScope{schema: s, release: r, ruled: len(s.XValidations) > 0, bounded: true, most: 1, costs: &ruleCosts{unlimited: unlimited}}
}

// child returns the scope of a schema for parts of the values of r, or nil if no rules are compiled.
func (r *ruleScope) child(s *apiextensions.JSONSchemaProps, part typesOfPart) *ruleScope {
	if r == nil || s == nil {
		return nil
	}
	limit, limited := mostParts(r.schema)
	return &ruleScope{
		schema: s, parent: r, part: part, release: r.release, costs: r.costs,
		ruled:   r.ruled || len(s.XValidations) > 0,
		bounded: r.bounded && limited, most: product(r.most, limit),
	}
}

// mostParts returns the maximum number of parts of a value, as far as its schema limits it. A value that is not a list
// or map counts as one part.
func mostParts(s *apiextensions.JSONSchemaProps) (most uint64, limited bool) {
	limit := (*int64)(nil)
	switch {
	case s.Type == "object" && s.AdditionalProperties != nil:
		limit = s.MaxProperties
	case s.Type == "array":
		limit = s.MaxItems
	default:
		return 1, true
	}
	if limit == nil {
		return 0, false
	}
	return uint64(max(*limit, 0)), true
}

// product returns a times b, or the largest number.
func product(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}

// cost returns the cost of all evaluations of a rule for one object. Without limits, the estimate itself says how many
// values fit into a request.
func (r *ruleScope) cost(rule cel.CompilationResult) uint64 {
	if r.bounded {
		return product(rule.MaxCost, r.most)
	}
	return product(rule.MaxCost, rule.MaxCardinality)
}

// types returns the types, taken from those of the parent if it has any, since determining them takes long for large
// schemas. Only schemas with rules, and those within them, have any. Up to [kubeversion.EmbeddedRulesKnowNames], the rules
// of an embedded resource only see the fields that its schema has.
func (r *ruleScope) types() (*ruleTypes, error) {
	if !r.ruled || r.known != nil || r.err != nil {
		return r.known, r.err
	}
	resource := r.parent == nil || r.schema.XEmbeddedResource && r.release.Has(kubeversion.EmbeddedRulesKnowNames)
	if r.parent != nil && resource == r.schema.XEmbeddedResource {
		parent, err := r.parent.types()
		if err != nil && r.release.Has(kubeversion.RulesOfValidSchemas) {
			r.err = err
			return nil, err
		}
		if parent != nil {
			r.known = r.part(parent)
		}
	}
	if r.known == nil {
		r.known, r.err = typesOf(r.schema, resource, r.release)
	}
	return r.known, r.err
}

func typesOf(s *apiextensions.JSONSchemaProps, resource bool, r *kubeversion.Release) (*ruleTypes, error) {
	structural, err := structuralschema.NewStructural(s)
	if err != nil {
		return nil, err
	}
	declared := customrules.TypeOf(structural, resource, r)
	if declared == nil {
		return nil, errors.New("unable to convert structural schema to CEL declarations")
	}
	return &ruleTypes{structural, declared}, nil
}

// typesOfPart returns the types of a part of a value, or nil if the value has none for it.
type typesOfPart func(value *ruleTypes) *ruleTypes

// noTypes is for parts whose types are only in their own schemas.
func noTypes(*ruleTypes) *ruleTypes { return nil }

func typesOfProperty(name string) typesOfPart {
	return func(value *ruleTypes) *ruleTypes {
		property := value.schema.Properties[name]
		escaped, ok := apiservercel.Escape(name)
		if !ok {
			return nil
		}
		declared, ok := value.declared.Fields[escaped]
		if !ok {
			return nil
		}
		return &ruleTypes{&property, declared.Type}
	}
}

func typesOfItems(list *ruleTypes) *ruleTypes {
	if list.schema.Items == nil {
		return nil
	}
	return &ruleTypes{list.schema.Items, list.declared.ElemType}
}

func typesOfValues(m *ruleTypes) *ruleTypes {
	if m.schema.AdditionalProperties == nil {
		return nil
	}
	return &ruleTypes{m.schema.AdditionalProperties.Structural, m.declared.ElemType}
}

// ruleCosts are the estimates for the expressions of a schema.
type ruleCosts struct {
	unlimited bool // no single expression is too expensive, since the old CRD had it
	sum       uint64
	expensive []ruleCost // those worth reporting, most expensive first
}

type ruleCost struct {
	path *field.Path
	cost uint64
}

// add adds the cost of an expression, and returns an error if that is too much.
func (c *ruleCosts) add(path *field.Path, what string, cost uint64) field.ErrorList {
	sum, carry := bits.Add64(c.sum, cost, 0)
	if carry != 0 {
		sum = math.MaxUint64
	}
	c.sum = sum
	if cost >= maxSchemaCost/100 {
		c.expensive = append(c.expensive, ruleCost{path, cost})
		slices.SortStableFunc(c.expensive, func(a, b ruleCost) int { return cmp.Compare(b.cost, a.cost) })
		c.expensive = c.expensive[:min(4, len(c.expensive))]
	}
	if c.unlimited || cost <= maxRuleCost {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, tooExpensive(what, cost, maxRuleCost))}
}

// faults returns an error if all expressions of the schema at path together cost too much.
func (c *ruleCosts) faults(path *field.Path) field.ErrorList {
	if c.sum <= maxSchemaCost {
		return nil
	}
	var errs rules.Errors
	for _, e := range c.expensive {
		errs.Forbidden(e.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema")
	}
	errs.Forbidden(path, tooExpensive("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", c.sum, maxSchemaCost))
	return errs.List()
}

func tooExpensive(what string, cost, most uint64) string {
	times := float64(cost) / float64(most)
	factor := fmt.Sprintf("%.1fx", times)
	switch {
	case times > 100:
		factor = "more than 100x"
	case times < 1.5:
		factor = fmt.Sprintf("%fx", times) // not 1.0x
	}
	return what + " exceeds budget by factor of " + factor + " (try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)"
}
