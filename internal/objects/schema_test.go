package objects_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	generated "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/common"
	"k8s.io/apiserver/pkg/cel/openapi"
	"k8s.io/apiserver/pkg/cel/openapi/resolver"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/kinds"
)

// CEL sees the same types in the schemas built from Go types as in those that Kubernetes generates from the same types.
// Of the latter, those of definitions are published; they contain metadata, types of every form, and recursive types.
func TestSchemaAsGenerated(t *testing.T) {
	known := runtime.NewScheme()
	utilruntime.Must(apiextensionsv1.AddToScheme(known))
	kind := apiextensionsv1.SchemeGroupVersion.WithKind("CustomResourceDefinition")
	want, err := resolver.NewDefinitionsSchemaResolver(generated.GetOpenAPIDefinitions, known).ResolveSchema(kind)
	if err != nil {
		t.Fatal(err)
	}
	got, ok := kinds.New(nil, objects.Options{}).SchemaOf(kind)
	if !ok {
		t.Fatalf("%v is not known", kind)
	}
	if diff := cmp.Diff(celTypes(want), celTypes(got)); diff != "" {
		t.Errorf("types (-generated +built):\n%s", diff)
	}
}

// A release has fields that do not exist any more (W-347).
func TestSchemaOfFormerFields(t *testing.T) {
	for _, test := range []struct {
		apiVersion, kind, field, want string
		in, notIn                     []string
	}{
		{"v1", "PersistentVolumeClaim", ".status.resizeStatus", "string", []string{"1.23", "1.27"}, []string{"1.22", "1.28"}},
		{"v1", "Pod", ".spec.workloadRef.podGroup", "string", []string{"1.35"}, []string{"1.34", "1.36"}},
		{"apps/v1", "Deployment", ".spec.template.spec.workloadRef.name", "string", []string{"1.35"}, []string{"1.36"}},
		{"networking.k8s.io/v1", "NetworkPolicy", ".status.conditions[].lastTransitionTime", "timestamp", []string{"1.24", "1.27"}, []string{"1.23", "1.28"}},
		{"resource.k8s.io/v1alpha3", "DeviceTaintRule", ".spec.deviceSelector.selectors[].cel.expression", "string", []string{"1.33", "1.34"}, []string{"1.35"}},
		{"resource.k8s.io/v1alpha3", "DeviceTaintRule", ".spec.deviceSelector.deviceClassName", "string", []string{"1.34"}, []string{"1.35"}},
	} {
		for i, releases := range [][]string{test.notIn, test.in} {
			for _, release := range releases {
				s, ok := kinds.New(nil, objects.Options{Release: parseRelease(t, release)}).SchemaOf(schema.FromAPIVersionAndKind(test.apiVersion, test.kind))
				if !ok {
					t.Fatalf("%s is not known in %s", test.kind, release)
				}
				if got, has := celTypes(s)[test.field]; has != (i == 1) || has && got != test.want {
					t.Errorf("%s %s is %q in %s, present: %v, want %q", test.kind, test.field, got, release, has, test.want)
				}
			}
		}
	}
}

// Special properties of a few built-in fields.
func TestSchemaOfFields(t *testing.T) {
	types := kinds.New(nil, objects.Options{})
	tests := []struct{ apiVersion, kind, field, want, reason string }{
		{"apps/v1", "Deployment", ".spec.replicas", "int", "a number"},
		{"apps/v1", "Deployment", ".spec.strategy.rollingUpdate.maxSurge", "dyn", "it is a number or text"},
		{"v1", "Pod", ".spec.containers[].resources.limits{}", "", "quantities have no type that CEL knows"},
		{"v1", "Pod", ".metadata.creationTimestamp", "timestamp", "times have a format"},
		{"v1", "Secret", ".data{}", "bytes", "it is base64"},
		{"v1", "Pod", ".spec.volumes[].emptyDir.medium", "string", "fields of inlined structs are the outer one's"},
	}
	for _, test := range tests {
		s, ok := types.SchemaOf(schema.FromAPIVersionAndKind(test.apiVersion, test.kind))
		if !ok {
			t.Fatalf("%s is not known", test.kind)
		}
		if got := celTypes(s)[test.field]; got != test.want {
			t.Errorf("%s %s is %q, want %q: %s", test.kind, test.field, got, test.want, test.reason)
		}
	}
}

// The schema of a kind has the fields that the release has, in the places where it has them (W-298).
func TestSchemaOfRelease(t *testing.T) {
	for _, test := range []struct {
		release, apiVersion, kind, field string
		want                             bool
	}{
		{"1.33", "v1", "Pod", ".spec.hostnameOverride", false},
		{"1.34", "v1", "Pod", ".spec.hostnameOverride", true},
		{"1.30", "apps/v1", "Deployment", ".spec.template.spec.resourceClaims[].source.resourceClaimName", true},
		{"1.30", "apps/v1", "Deployment", ".spec.template.spec.resourceClaims[].resourceClaimName", false},
		{"1.31", "apps/v1", "Deployment", ".spec.template.spec.resourceClaims[].resourceClaimName", true},
		{"1.36", "resource.k8s.io/v1", "ResourceSlice", ".spec.devices[].nodeAllocatableResourceMappings{}.capacityKey", true},
		{"1.36", "resource.k8s.io/v1", "ResourceSlice", ".spec.devices[].nodeAllocatableResources{}.mapping.capacityKey", false},
		{"1.37", "resource.k8s.io/v1", "ResourceSlice", ".spec.devices[].nodeAllocatableResources{}.mapping.capacityKey", true},
	} {
		types := kinds.New(nil, objects.Options{Release: parseRelease(t, test.release)})
		s, ok := types.SchemaOf(schema.FromAPIVersionAndKind(test.apiVersion, test.kind))
		if !ok {
			t.Fatalf("%s is not known", test.kind)
		}
		if _, got := celTypes(s)[test.field]; got != test.want {
			t.Errorf("%s has %s in %s: %v, want %v", test.kind, test.field, test.release, got, test.want)
		}
	}
}

// celTypes returns the types of all fields as CEL sees them, by path.
func celTypes(s *spec.Schema) map[string]string {
	types := map[string]string{}
	var walk func(d *apiservercel.DeclType, path string)
	walk = func(d *apiservercel.DeclType, path string) {
		switch {
		case d == nil:
		case d.IsObject():
			types[path] = "object"
			for name, f := range d.Fields {
				walk(f.Type, path+"."+name)
			}
		case d.IsList():
			walk(d.ElemType, path+"[]")
		case d.IsMap():
			walk(d.ElemType, path+"{}")
		default:
			types[path] = d.TypeName()
		}
	}
	walk(common.SchemaDeclType(&openapi.Schema{Schema: s}, true), "")
	return types
}
