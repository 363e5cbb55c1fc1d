package catalog_test

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/catalog"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// everything returns the catalog of the newest release with all APIs, for which Kubernetes publishes documents:
// kubernetes/kubernetes:api/discovery, copied to testdata.
func everything(t *testing.T) *catalog.Catalog {
	t.Helper()
	newest, err := kubeversion.Parse("1.37")
	if err != nil {
		t.Fatal(err)
	}
	release, err := newest.With(kubeversion.Flags{
		RuntimeConfig: map[string]bool{"api/all": true},
		FeatureGates:  map[string]bool{"AllAlpha": true, "AllBeta": true},
	})
	if err != nil {
		t.Fatal(err)
	}
	return catalog.New(release, discovery.New(release, cluster.New()))
}

func published(t *testing.T, name string) any {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

func tree(t *testing.T, document any) any {
	t.Helper()
	text, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatal(err)
	}
	return v
}

// The documents are those that Kubernetes publishes.
func TestPublished(t *testing.T) {
	c := everything(t)
	core, _ := c.Resources(schema.GroupVersion{Version: "v1"})
	apps, _ := c.Resources(schema.GroupVersion{Group: "apps", Version: "v1"})
	for name, document := range map[string]any{
		"aggregated_v2":  c.Aggregated("v2", false),
		"apis":           c.Groups(),
		"api__v1":        core,
		"apis__apps__v1": apps,
	} {
		if diff := cmp.Diff(published(t, name), tree(t, document)); diff != "" {
			t.Errorf("%s (-published +got):\n%s", name, diff)
		}
	}
}

// A version that came with the release is not yet what etcd has; Kubernetes publishes this hash.
func TestStorageVersionHash(t *testing.T) {
	list, ok := everything(t).Resources(schema.GroupVersion{Group: "storagemigration.k8s.io", Version: "v1"})
	if got, want := list.APIResources[0].StorageVersionHash, "pCjmmKOkLy4="; !ok || got != want {
		t.Errorf("hash %q, want %q", got, want)
	}
}

// Custom resources are listed with their categories and subresources, the preferred version first, and without versions
// that are not served.
func TestCustom(t *testing.T) {
	version := func(name string, served bool) apiextensionsv1.CustomResourceDefinitionVersion {
		return apiextensionsv1.CustomResourceDefinitionVersion{Name: name, Served: served, Storage: name == "v1",
			Subresources: &apiextensionsv1.CustomResourceSubresources{Scale: &apiextensionsv1.CustomResourceSubresourceScale{}}}
	}
	crd := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.shop.example"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "shop.example", Scope: apiextensionsv1.NamespaceScoped,
			Names:    apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget", ListKind: "WidgetList", ShortNames: []string{"wd"}, Categories: []string{"all"}},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{version("v1beta1", true), version("v1", true), version("v2", false)},
		},
	}
	c := catalog.New(kubeversion.Default(), discovery.New(kubeversion.Default(), cluster.New(cluster.Object{Object: crd})))
	group, ok := c.Group("shop.example")
	if !ok || len(group.Versions) != 2 || group.PreferredVersion.Version != "v1" {
		t.Fatalf("the group is %v", group)
	}
	list, _ := c.Resources(schema.GroupVersion{Group: "shop.example", Version: "v1"})
	want := []metav1.APIResource{
		{Name: "widgets", SingularName: "widget", Namespaced: true, Kind: "Widget", ShortNames: []string{"wd"}, Categories: []string{"all"}, StorageVersionHash: list.APIResources[0].StorageVersionHash,
			Verbs: metav1.Verbs{"delete", "deletecollection", "get", "list", "patch", "create", "update", "watch"}},
		{Name: "widgets/scale", Namespaced: true, Kind: "Scale", Group: "autoscaling", Version: "v1", Verbs: metav1.Verbs{"get", "patch", "update"}},
	}
	if diff := cmp.Diff(want, list.APIResources); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	if _, ok := c.Resources(schema.GroupVersion{Group: "shop.example", Version: "v2"}); ok {
		t.Error("a version that is not served is listed")
	}
}

// A resource without verbs has an empty list of them, as clients expect.
func TestWithoutVerbs(t *testing.T) {
	old, err := kubeversion.Parse("1.15")
	if err != nil {
		t.Fatal(err)
	}
	list, _ := catalog.New(old, discovery.New(old, cluster.New())).Resources(schema.GroupVersion{Group: "extensions", Version: "v1beta1"})
	i := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == "ReplicationControllerDummy" })
	if i < 0 || list.APIResources[i].Verbs == nil || len(list.APIResources[i].Verbs) > 0 {
		t.Fatalf("extensions/v1beta1 has %v", list.APIResources)
	}
	if next := list.APIResources[i+1].Name; next != "replicationcontrollers/scale" {
		t.Errorf("the next resource is %s", next)
	}
}

// Before 1.27, built-in resources have no singular names, and before 1.23, not all services can be deleted at once: answers
// of 1.15.12, 1.20.15, 1.22.17, 1.24.17, 1.26.15 and 1.37.2.
func TestServicesOfReleases(t *testing.T) {
	for version, want := range map[string]struct {
		singular   string
		collection bool
	}{"1.11": {"", false}, "1.22": {"", false}, "1.23": {"", true}, "1.26": {"", true}, "1.27": {"service", true}} {
		release, err := kubeversion.Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := catalog.New(release, discovery.New(release, cluster.New())).Resources(schema.GroupVersion{Version: "v1"})
		i := slices.IndexFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == "services" })
		got := list.APIResources[i]
		if collection := slices.Contains(got.Verbs, "deletecollection"); got.SingularName != want.singular || collection != want.collection {
			t.Errorf("%s: %+v, want %+v", version, got, want)
		}
	}
}
