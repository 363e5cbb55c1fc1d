// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go

// Package customrules has the rules of custom resources, which are the x-kubernetes-validations in the schemas of CRDs:
// in which environment a release compiles them, and what they say about an object.
//
// Start with [New]. Its rules are evaluated for custom resources ([Rules.Faults]) and for the defaults in schemas
// ([Rules.FaultsOfDefault]), both with a limit of the time that they take ([Limited]). Whoever checks the rules of a CRD
// itself needs only [Environments]. The package does not know requests, and what follows from a [Fault].
//
// It does what kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go does. The validator there
// compiles every rule in the environment of its own release, and does not tell which rule an error comes from.
package customrules

import (
	"fmt"
	"maps"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Rules are the compiled rules of a schema. They do not change, and may be used concurrently.
type Rules struct {
	release *kubeversion.Release
	root    *place
}

// A Rule is one of the x-kubernetes-validations of a schema.
type Rule struct {
	apiextensionsv1.ValidationRule
	Path string // in the CRD

	compiled cel.CompilationResult
}

// A place has the rules for a value within an object, and the places within that value. A nil place has none.
type place struct {
	schema *structuralschema.Structural // as rules see it: that of a resource has kind, apiVersion and metadata
	rules  []Rule
	err    error // why they do not compile

	usesOld    bool // whether a rule compares with the old value
	allOf      []*place
	items      *place
	values     *place // of a map
	properties []property
}

type property struct {
	name string
	at   *place
}

// New compiles the rules of a schema that is at path in its CRD. resource says that its values are whole resources. It
// returns nil if the schema has no rules.
func New(s *structuralschema.Structural, path string, resource bool, r *kubeversion.Release) *Rules {
	if !hasRules(s) {
		return nil
	}
	c := compiler{r, Environments(r, version.MajorMinor(1, uint(r.Minor)))}
	return &Rules{release: r, root: c.place(s, s, path, resource, model.SchemaDeclType(s, resource))}
}

// hasRules reports whether a schema or one within it has rules. Rules in an allOf alone do not count.
func hasRules(s *structuralschema.Structural) (found bool) {
	if s == nil {
		return false
	}
	all := structuralschema.Visitor{Structural: func(s *structuralschema.Structural) bool {
		found = found || len(s.XValidations) > 0
		return false
	}}
	all.Visit(s)
	return found
}

type compiler struct {
	release      *kubeversion.Release
	environments *environment.EnvSet // those for new rules know all that the release knows
}

// place compiles the rules in ruled, which is schema itself or a branch of an allOf beside it, for values of the type t.
func (c compiler) place(ruled, schema *structuralschema.Structural, path string, resource bool, t *apiservercel.DeclType) *place {
	p := &place{schema: schema}
	if resource {
		p.schema = model.WithTypeAndObjectMeta(schema)
	}
	c.compile(p, ruled, schema, path, t)

	var elements *apiservercel.DeclType
	if t != nil {
		elements = t.ElemType
	}
	if ruled.Items != nil && schema.Items != nil {
		p.items = c.place(ruled.Items, schema.Items, path+".items", schema.Items.XEmbeddedResource, elements)
	}
	if ruled.AdditionalProperties != nil && schema.AdditionalProperties != nil {
		if ruled, schema := ruled.AdditionalProperties.Structural, schema.AdditionalProperties.Structural; ruled != nil && schema != nil {
			p.values = c.place(ruled, schema, path+".additionalProperties", schema.XEmbeddedResource, elements)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ruled.Properties)) {
		ruled := ruled.Properties[name]
		schema, ok := schema.Properties[name]
		if !ok {
			continue
		}
		if t := typeOfProperty(t, name, &schema); t != nil {
			if at := c.place(&ruled, &schema, fmt.Sprintf("%s.properties[%s]", path, name), schema.XEmbeddedResource, t); at != nil {
				p.properties = append(p.properties, property{name, at})
			}
		}
	}
	if ruled.ValueValidation != nil {
		for i, branch := range (&model.Structural{Structural: ruled}).AllOf() {
			branch := branch.(*model.Structural).Structural
			if all := c.place(branch, schema, fmt.Sprintf("%s.allOf[%d]", path, i), resource, t); all != nil {
				p.allOf = append(p.allOf, all)
			}
		}
	}
	if len(p.rules) == 0 && p.err == nil && p.items == nil && p.values == nil && p.properties == nil && p.allOf == nil {
		return nil
	}
	return p
}

func (c compiler) compile(p *place, ruled, schema *structuralschema.Structural, path string, t *apiservercel.DeclType) {
	together := *schema
	together.XValidations = ruled.XValidations
	var compiled []cel.CompilationResult
	compiled, p.err = Compile(&together, t, c.environments, cel.NewExpressionsEnvLoader(), c.release)
	for i, result := range compiled {
		p.rules = append(p.rules, Rule{ruled.XValidations[i], fmt.Sprintf("%s.x-kubernetes-validations[%d].rule", path, i), result})
		p.usesOld = p.usesOld || result.UsesOldSelf
	}
}

// typeOfProperty returns the type of a property of values of the type t, or nil if rules do not see it. A property whose
// name cannot be written in CEL may have rules of its own.
func typeOfProperty(t *apiservercel.DeclType, name string, schema *structuralschema.Structural) *apiservercel.DeclType {
	escaped, ok := apiservercel.Escape(name)
	if !ok {
		return model.SchemaDeclType(schema, schema.XEmbeddedResource)
	}
	if t == nil {
		return nil
	}
	if f, ok := t.Fields[escaped]; ok {
		return f.Type
	}
	return nil
}
