package managedfields

import "sigs.k8s.io/structured-merge-diff/v6/schema"

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
