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
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/validation/field"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/admsim/admsim/internal/objects/rules"
)

// What rules may cost by estimate: one expression, and all of a schema.
const (
	mostCostOfRule   = 10_000_000
	mostCostOfSchema = 100_000_000
)

// A ruleScope is what the rules of a schema depend on: the types of the values, and how many
// of them an object has.
type ruleScope struct {
	schema *apiextensions.JSONSchemaProps
	parent *ruleScope // nil at the root
	part   typesOfPart
	ruled  bool // this schema or one around it has rules

	bounded bool   // there is a limit for each list and map around it,
	most    uint64 // so an object has no more values than this
	costs   *ruleCosts

	known *ruleTypes // made when first asked for
	err   error
}

// ruleTypes are the types of a schema, as CEL knows them.
type ruleTypes struct {
	schema   *structuralschema.Structural
	declared *apiservercel.DeclType
}

func rulesOfRoot(s *apiextensions.JSONSchemaProps, unlimited bool) *ruleScope {
	return &ruleScope{schema: s, ruled: len(s.XValidations) > 0, bounded: true, most: 1, costs: &ruleCosts{unlimited: unlimited}}
}

// Child is the scope of a schema for parts of the values of r. There is none where no rules
// are compiled.
func (r *ruleScope) child(s *apiextensions.JSONSchemaProps, part typesOfPart) *ruleScope {
	if r == nil || s == nil {
		return nil
	}
	limit, limited := mostParts(r.schema)
	return &ruleScope{
		schema: s, parent: r, part: part, costs: r.costs,
		ruled:   r.ruled || len(s.XValidations) > 0,
		bounded: r.bounded && limited, most: product(r.most, limit),
	}
}

// mostParts is how many parts a value has at most, as far as its schema says so. What is not
// of an unknown number counts as one.
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

// product is a times b, or the largest number.
func product(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}

// cost is what all evaluations of a rule for one object cost. Without limits the estimate
// itself says for how many values there is room in a request.
func (r *ruleScope) cost(rule cel.CompilationResult) uint64 {
	if r.bounded {
		return product(rule.MaxCost, r.most)
	}
	return product(rule.MaxCost, rule.MaxCardinality)
}

// types are those of the parent if it has some, since making them takes long for large
// schemas. Only schemas with rules and those within them have any.
func (r *ruleScope) types() (*ruleTypes, error) {
	if !r.ruled || r.known != nil || r.err != nil {
		return r.known, r.err
	}
	if r.parent != nil {
		of, err := r.parent.types()
		if err != nil {
			r.err = err
			return nil, err
		}
		if of != nil {
			r.known = r.part(of)
		}
	}
	if r.known == nil {
		r.known, r.err = typesOf(r.schema, r.parent == nil || r.schema.XEmbeddedResource)
	}
	return r.known, r.err
}

func typesOf(s *apiextensions.JSONSchemaProps, resource bool) (*ruleTypes, error) {
	structural, err := structuralschema.NewStructural(s)
	if err != nil {
		return nil, err
	}
	declared := model.SchemaDeclType(structural, resource)
	if declared == nil {
		return nil, errors.New("unable to convert structural schema to CEL declarations")
	}
	return &ruleTypes{structural, declared}, nil
}

// typesOfPart finds the types of a part of a value; nil if the value has none for it.
type typesOfPart func(value *ruleTypes) *ruleTypes

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
	unlimited bool // no expression is too expensive alone: it was there before
	sum       uint64
	expensive []ruleCost // those worth telling, the most expensive first
}

type ruleCost struct {
	path *field.Path
	cost uint64
}

// add counts what an expression costs, and says whether that is too much.
func (c *ruleCosts) add(path *field.Path, what string, cost uint64) field.ErrorList {
	sum, carry := bits.Add64(c.sum, cost, 0)
	if carry != 0 {
		sum = math.MaxUint64
	}
	c.sum = sum
	if cost >= mostCostOfSchema/100 {
		c.expensive = append(c.expensive, ruleCost{path, cost})
		slices.SortStableFunc(c.expensive, func(a, b ruleCost) int { return cmp.Compare(b.cost, a.cost) })
		c.expensive = c.expensive[:min(4, len(c.expensive))]
	}
	if c.unlimited || cost <= mostCostOfRule {
		return nil
	}
	return field.ErrorList{field.Forbidden(path, tooExpensive(what, cost, mostCostOfRule))}
}

// Faults says whether all expressions of the schema at path cost too much.
func (c *ruleCosts) faults(path *field.Path) field.ErrorList {
	if c.sum <= mostCostOfSchema {
		return nil
	}
	var errs rules.Errors
	for _, e := range c.expensive {
		errs.Forbidden(e.path, "contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema")
	}
	errs.Forbidden(path, tooExpensive("x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema", c.sum, mostCostOfSchema))
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
