package discovery

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// widgets returns a CRD that serves three of its four versions, which are in no particular order. Their status and
// scale subresources differ.
func widgets() *apiextensionsv1.CustomResourceDefinition {
	status := &apiextensionsv1.CustomResourceSubresourceStatus{}
	scale := &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"}
	return crd("widgets", "example.com", "Widget", apiextensionsv1.NamespaceScoped,
		apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1beta1", Served: true, Subresources: &apiextensionsv1.CustomResourceSubresources{Status: status}},
		apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1alpha1", Subresources: &apiextensionsv1.CustomResourceSubresources{Scale: scale}},
		apiextensionsv1.CustomResourceDefinitionVersion{Name: "v2alpha1", Served: true},
		apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1", Served: true, Storage: true, Subresources: &apiextensionsv1.CustomResourceSubresources{Status: status, Scale: scale}},
	)
}

func crd(plural, group, kind string, scope apiextensionsv1.ResourceScope, versions ...apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.CustomResourceDefinition {
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: plural + "." + group},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group:    group,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: plural, Kind: kind, ShortNames: []string{plural[:2]}},
			Scope:    scope,
			Versions: versions,
		},
	}
}

func resources(crds ...*apiextensionsv1.CustomResourceDefinition) *Resources {
	s := cluster.New()
	for _, c := range crds {
		s = s.With(cluster.Object{Object: c})
	}
	return New(kubeversion.Default(), s)
}

func TestCustomResource(t *testing.T) {
	definition := widgets()
	rs := resources(definition)
	v1 := schema.GroupVersion{Group: "example.com", Version: "v1"}
	want := Resource{
		GroupVersionResource: v1.WithResource("widgets"),
		Kind:                 v1.WithKind("Widget"),
		Singular:             "widget",
		ShortNames:           []string{"wi"},
		Namespaced:           true,
		Served:               true,
		Verbs:                customVerbs,
		Subresources: map[string]Subresource{
			"status": {Name: "status", Kind: v1.WithKind("Widget"), Verbs: []string{"get", "patch", "update"}},
			"scale":  {Name: "scale", Kind: schema.GroupVersionKind{Group: "autoscaling", Version: "v1", Kind: "Scale"}, Verbs: []string{"get", "patch", "update"}},
		},
		Storage:       v1.WithKind("Widget"),
		StoragePrefix: "example.com/widgets",
		CRD:           definition,
	}
	for name, find := range map[string]func() (Resource, bool){
		"Resource": func() (Resource, bool) { return rs.Resource(v1.WithResource("widgets")) },
		"ForKind":  func() (Resource, bool) { return rs.ForKind(v1.WithKind("Widget")) },
	} {
		got, ok := find()
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(Subresource{})); !ok || diff != "" {
			t.Errorf("%s = %v, differs (-want +got):\n%s", name, ok, diff)
		}
	}
	beta, _ := rs.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1beta1", Resource: "widgets"})
	if beta.Storage != v1.WithKind("Widget") {
		t.Errorf("v1beta1 is stored as %s, want v1", beta.Storage)
	}
	alpha, ok := rs.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1alpha1", Resource: "widgets"})
	if !ok || alpha.Served {
		t.Errorf("v1alpha1 found: %v, served: %v; want found, but not served", ok, alpha.Served)
	}
}

func TestMissing(t *testing.T) {
	misnamed := crd("gizmos", "example.com", "Gizmo", apiextensionsv1.ClusterScoped, apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1", Served: true, Storage: true})
	misnamed.Name = "gadgets.example.com"
	rs := resources(widgets(), misnamed)
	for _, test := range []struct {
		gvr    schema.GroupVersionResource
		reason string
	}{
		{schema.GroupVersionResource{Group: "example.com", Version: "v3", Resource: "widgets"}, "no such version"},
		{schema.GroupVersionResource{Group: "example.org", Version: "v1", Resource: "widgets"}, "no such group"},
		{schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "gadgets"}, "the CRD is named after another resource"},
		{schema.GroupVersionResource{Group: "apps", Version: "v1beta1", Resource: "deployments"}, "gone since 1.16"},
		{schema.GroupVersionResource{Version: "v1", Resource: "things"}, "no such resource"},
	} {
		if r, ok := rs.Resource(test.gvr); ok {
			t.Errorf("Resource(%v) = %v, want none: %s", test.gvr, r, test.reason)
		}
		if kind, ok := rs.KindFor(test.gvr, ""); ok {
			t.Errorf("KindFor(%v) = %v, want none: %s", test.gvr, kind, test.reason)
		}
	}
	if r, ok := rs.ForKind(schema.GroupVersionKind{Group: "example.org", Version: "v1", Kind: "Widget"}); ok {
		t.Errorf("ForKind of another group = %v, want none", r)
	}
}

func TestEquivalents(t *testing.T) {
	rs := resources(widgets(), crd("events", "example.com", "Event", apiextensionsv1.NamespaceScoped,
		apiextensionsv1.CustomResourceDefinitionVersion{Name: "v1", Served: true, Storage: true}))
	for _, test := range []struct{ group, version, resource, sub, want, reason string }{
		{"example.com", "v1", "widgets", "", "v1beta1 v1alpha1 v2alpha1 v1", "all versions in list order, one not served (W-110)"},
		{"example.com", "v1beta1", "widgets", "status", "v1beta1 v1", "versions that have a status (W-110)"},
		{"example.com", "v1", "widgets", "scale", "v1alpha1 v1", "versions that have a scale (W-110)"},
		{"example.com", "v1", "widgets", "exec", "", "custom resources have no exec"},
		{"example.com", "v1", "events", "", "v1", "never equivalent to a built-in resource of the same name (W-110)"},
		{"", "v1", "events", "", "v1 v1", "core and events.k8s.io (W-107)"},
		{"autoscaling", "v1", "horizontalpodautoscalers", "status", "v2 v1", "v2 first (W-109)"},
		{"", "v1", "pods", "", "v1", "itself"},
		{"example.com", "v1", "gadgets", "", "", "no such resource"},
	} {
		gvr := schema.GroupVersionResource{Group: test.group, Version: test.version, Resource: test.resource}
		var versions []string
		for _, e := range rs.Equivalents(gvr, test.sub) {
			versions = append(versions, e.Version)
			if kind, ok := rs.KindFor(e, test.sub); !ok || kind.Empty() {
				t.Errorf("KindFor(%v, %q) = %v, want a kind for each equivalent (W-111)", e, test.sub, kind)
			}
		}
		if got := strings.Join(versions, " "); got != test.want {
			t.Errorf("Equivalents(%v, %q) = %q, want %q: %s", gvr, test.sub, got, test.want, test.reason)
		}
	}
}

func TestKindFor(t *testing.T) {
	rs := resources(widgets())
	for _, test := range []struct{ group, version, resource, sub, want string }{
		{"example.com", "v1beta1", "widgets", "status", "example.com/v1beta1, Kind=Widget"},
		{"example.com", "v1", "widgets", "scale", "autoscaling/v1, Kind=Scale"},
		{"example.com", "v1", "widgets", "", "example.com/v1, Kind=Widget"},
		{"", "v1", "pods", "eviction", "policy/v1, Kind=Eviction"},
	} {
		gvr := schema.GroupVersionResource{Group: test.group, Version: test.version, Resource: test.resource}
		if got, ok := rs.KindFor(gvr, test.sub); !ok || got.String() != test.want {
			t.Errorf("KindFor(%v, %q) = %v, %v, want %s", gvr, test.sub, got, ok, test.want)
		}
	}
}

func TestAll(t *testing.T) {
	all := resources(widgets()).All()
	builtIns := len(kubeversion.Default().Resources)
	if len(all) != builtIns+4 {
		t.Fatalf("All has %d resources, want %d and 4 versions of widgets", len(all), builtIns)
	}
	var versions []string
	for _, r := range all[builtIns:] {
		versions = append(versions, r.Version)
	}
	if diff := cmp.Diff([]string{"v1", "v1beta1", "v2alpha1", "v1alpha1"}, versions); diff != "" {
		t.Errorf("versions of widgets by preference (-want +got):\n%s", diff)
	}
}

func BenchmarkNew(b *testing.B) {
	s := cluster.New()
	release := kubeversion.Default()
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	for b.Loop() {
		if _, ok := New(release, s).Resource(pods); !ok {
			b.Fatal("no pods")
		}
	}
}
