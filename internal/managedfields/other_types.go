package managedfields

import (
	"cmp"
	"sync"

	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/structured-merge-diff/v6/schema"
	"sigs.k8s.io/structured-merge-diff/v6/typed"

	"github.com/admsim/admsim/internal/builtin"
)

// withSent gives the schema of the built-in kinds that of the kinds that are only sent, such as TokenReviews, and of those
// that only former releases have. client-go does not have their types. Those deduced from an object are sufficient for kinds
// that are only sent: they have no lists with keys, except in their metadata.
func withSent(s *fieldSchema) *fieldSchema {
	s.sent = sync.OnceValue(func() *fieldSchema {
		return &fieldSchema{
			direct: true, moved: s.moved, absent: s.absent, unset: s.unset, times: s.times,
			types: &typed.Parser{Schema: schema.Schema{Types: sentTypes(s.types.Schema.Types)}}, name: sentName,
		}
	})
	return s
}

// sentName returns the name of a kind's type. Those of former releases have only the name of their kind.
func sentName(kind runtimeschema.GroupVersionKind) string {
	if !builtin.Has(kind) {
		return ""
	}
	return cmp.Or(modelName(kind), kind.String())
}

func sentTypes(all []schema.TypeDef) []schema.TypeDef {
	types := sharedTypes(all)
	known := map[string]bool{}
	for _, t := range all {
		known[t.Name] = true
		if t.Name == typeUntypedAtomic || t.Name == typeUntypedDeduced {
			types = append(types, t)
		}
	}
	for _, kind := range builtin.Kinds() {
		if name := sentName(kind); !known[name] {
			known[name] = true
			types = append(types, schema.TypeDef{Name: name, Atom: schema.Atom{Map: &schema.Map{
				Fields:      []schema.StructField{{Name: "metadata", Type: schema.TypeRef{NamedType: &typeApimachineryApisMetaV1ObjectMeta}}},
				ElementType: schema.TypeRef{NamedType: &typeUntypedDeduced},
			}}})
		}
	}
	return types
}

// scaleTypes are the types of Scale. In the server they are in the schemas of the groups with scalable resources.
// client-go does not have them.
var scaleTypes = []schema.TypeDef{
	{Name: "io.k8s.api.autoscaling.v1.Scale", Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "apiVersion", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &stringScalar}}},
		{Name: "kind", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &stringScalar}}},
		{Name: "metadata", Type: schema.TypeRef{NamedType: &typeApimachineryApisMetaV1ObjectMeta}, Default: map[any]any(nil)},
		{Name: "spec", Type: schema.TypeRef{NamedType: &typeAutoscalingV1ScaleSpec}, Default: map[any]any(nil)},
		{Name: "status", Type: schema.TypeRef{NamedType: &typeAutoscalingV1ScaleStatus}, Default: map[any]any(nil)},
	}}}},
	{Name: typeAutoscalingV1ScaleSpec, Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "replicas", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &numericScalar}}},
	}}}},
	{Name: typeAutoscalingV1ScaleStatus, Atom: schema.Atom{Map: &schema.Map{Fields: []schema.StructField{
		{Name: "replicas", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &numericScalar}}, Default: 0},
		{Name: "selector", Type: schema.TypeRef{Inlined: schema.Atom{Scalar: &stringScalar}}},
	}}}},
}

var (
	typeAutoscalingV1ScaleSpec   = "io.k8s.api.autoscaling.v1.ScaleSpec"
	typeAutoscalingV1ScaleStatus = "io.k8s.api.autoscaling.v1.ScaleStatus"
)
