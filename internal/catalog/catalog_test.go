package catalog_test

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
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
	release := withAll(t, "1.37")
	return catalog.New(release, discovery.New(release, cluster.New()))
}

// withAll returns a release with all APIs and gates.
func withAll(t *testing.T, version string) *kubeversion.Release {
	t.Helper()
	release, err := kubeversion.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	gates := map[string]bool{"AllAlpha": true}
	if _, known := release.Gate("AllBeta"); known {
		gates["AllBeta"] = true
	}
	release, err = release.With(kubeversion.Flags{RuntimeConfig: map[string]bool{"api/all": true}, FeatureGates: gates})
	if err != nil {
		t.Fatal(err)
	}
	return release
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

// The hashes are those of servers: of a version that came with the release, of one that is not served, and of one in
// another group.
func TestStorageVersionHash(t *testing.T) {
	for _, test := range []struct{ release, groupVersion, resource, want string }{
		{"1.37", "storagemigration.k8s.io/v1", "storageversionmigrations", "pCjmmKOkLy4="},
		{"1.37", "apiextensions.k8s.io/v1", "customresourcedefinitions", "jfWCUB31mvA="},
		{"1.37", "events.k8s.io/v1", "events", "r2yiGXH7wu8="},
		{"1.28", "discovery.k8s.io/v1", "endpointslices", "Nx3SIv6I0mE="},
		{"1.26", "autoscaling/v2", "horizontalpodautoscalers", "oQlkt7f5j/A="},
		{"1.14", "v1", "pods", ""}, // StorageVersionHash is an alpha
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		if release, err = release.With(kubeversion.Flags{RuntimeConfig: map[string]bool{"api/all": true}}); err != nil {
			t.Fatal(err)
		}
		gv, err := schema.ParseGroupVersion(test.groupVersion)
		if err != nil {
			t.Fatal(err)
		}
		if got := listed(release, gv, test.resource).StorageVersionHash; got != test.want {
			t.Errorf("%s %s: hash %q, want %q", test.release, test.resource, got, test.want)
		}
	}
}

func listed(release *kubeversion.Release, gv schema.GroupVersion, name string) metav1.APIResource {
	list, ok := catalog.New(release, discovery.New(release, cluster.New())).Resources(gv)
	if !ok {
		return metav1.APIResource{}
	}
	for _, r := range list.APIResources {
		if r.Name == name {
			return r
		}
	}
	return metav1.APIResource{}
}

// What older servers listed in another way, as their sources say.
func TestOlder(t *testing.T) {
	for _, test := range []struct {
		release, groupVersion string
		want                  metav1.APIResource // without its verbs, if they are not interesting
	}{
		{"1.15", "extensions/v1beta1", metav1.APIResource{Name: "deployments/scale", Kind: "Scale", Group: "extensions", Version: "v1beta1"}},
		{"1.15", "extensions/v1beta1", metav1.APIResource{Name: "replicationcontrollers/scale", Kind: "Scale"}},
		{"1.15", "extensions/v1beta1", metav1.APIResource{Name: "daemonsets", Kind: "DaemonSet", ShortNames: []string{"ds"}}},
		{"1.15", "apps/v1", metav1.APIResource{Name: "daemonsets", Kind: "DaemonSet", ShortNames: []string{"ds"}, Categories: []string{"all"}}},
		{"1.18", "certificates.k8s.io/v1beta1", metav1.APIResource{Name: "certificatesigningrequests/approval", Kind: "CertificateSigningRequest", Verbs: metav1.Verbs{"update"}}},
		{"1.19", "certificates.k8s.io/v1", metav1.APIResource{Name: "certificatesigningrequests/approval", Kind: "CertificateSigningRequest", Verbs: metav1.Verbs{"get", "patch", "update"}}},
		{"1.19", "apiregistration.k8s.io/v1", metav1.APIResource{Name: "apiservices", Kind: "APIService"}},
		{"1.20", "apiregistration.k8s.io/v1", metav1.APIResource{Name: "apiservices", Kind: "APIService", Categories: []string{"api-extensions"}}},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		gv, err := schema.ParseGroupVersion(test.groupVersion)
		if err != nil {
			t.Fatal(err)
		}
		got := listed(release, gv, test.want.Name)
		got.Namespaced, got.StorageVersionHash = false, ""
		if test.want.Verbs == nil {
			got.Verbs = nil
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", test.release, test.want.Name, diff)
		}
	}
}

// Groups are in the order of their priorities in the release.
func TestOrder(t *testing.T) {
	for version, want := range map[string][]string{
		"1.19": {"extensions", "apps", "networking.k8s.io", "policy", "flowcontrol.apiserver.k8s.io"},
		"1.20": {"apps", "networking.k8s.io", "extensions", "policy", "flowcontrol.apiserver.k8s.io"},
		"1.31": {"apps", "networking.k8s.io", "policy", "flowcontrol.apiserver.k8s.io", "resource.k8s.io", "storagemigration.k8s.io"},
		"1.32": {"apps", "networking.k8s.io", "policy", "resource.k8s.io", "flowcontrol.apiserver.k8s.io", "storagemigration.k8s.io"},
	} {
		release := withAll(t, version)
		var got []string
		for _, group := range catalog.New(release, discovery.New(release, cluster.New())).Groups().Groups {
			if slices.Contains(want, group.Name) {
				got = append(got, group.Name)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s lists %v, want %v", version, got, want)
		}
	}
}

// The table of versions in etcd has every resource that a server stores.
func TestStoredVersions(t *testing.T) {
	table, err := os.ReadFile("etcd.txt")
	if err != nil {
		t.Fatal(err)
	}
	for minor := 15; minor <= kubeversion.Default().Minor; minor++ {
		release := withAll(t, fmt.Sprintf("1.%d", minor))
		for _, r := range release.Resources {
			row := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(schema.GroupResource{Group: r.Group, Resource: r.Resource}.String()) + ` (\d+):`).FindSubmatch(table)
			if !slices.Contains(r.Verbs, "update") {
				continue
			}
			if row == nil {
				t.Errorf("%s: no row for %s", release.Version, r.GroupVersionResource())
			} else if first, _ := strconv.Atoi(string(row[1])); first > minor {
				t.Errorf("%s: the row of %s begins later", release.Version, r.GroupVersionResource())
			}
		}
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
