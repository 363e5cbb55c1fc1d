package openapi_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/openapi"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

func documents(t *testing.T, version string, objects ...cluster.Object) (*openapi.Documents, []schema.GroupVersion) {
	t.Helper()
	release, err := kubeversion.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	return documentsOf(release, objects...)
}

func documentsOf(release *kubeversion.Release, objects ...cluster.Object) (*openapi.Documents, []schema.GroupVersion) {
	served := map[schema.GroupVersion][]discovery.Resource{}
	var order []schema.GroupVersion
	for _, r := range discovery.New(release, cluster.New(objects...)).All() {
		gv := r.GroupVersionResource.GroupVersion()
		if served[gv] == nil {
			order = append(order, gv)
		}
		served[gv] = append(served[gv], r)
	}
	return openapi.New(openapi.NewSchemas(release), order, func(gv schema.GroupVersion) []discovery.Resource { return served[gv] }), order
}

// nameOf returns the name of the document about a group version.
func nameOf(gv schema.GroupVersion) string {
	if gv.Group == "" {
		return "api/" + gv.Version
	}
	return "apis/" + gv.String()
}

func v3(t *testing.T, d *openapi.Documents, gv schema.GroupVersion) map[string]any {
	t.Helper()
	text, ok, err := d.V3(nameOf(gv))
	if err != nil || !ok {
		t.Fatalf("%s: %v, served: %v", gv, err, ok)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	return document
}

func at(v any, path ...string) any {
	for _, name := range path {
		m, _ := v.(map[string]any)
		v = m[name]
	}
	return v
}

// Every reference in a document can be resolved, in every release.
func TestReferences(t *testing.T) {
	versions := kubeversion.Versions()
	if testing.Short() {
		versions = versions[:1]
	}
	for _, version := range versions {
		d, order := documents(t, version)
		for _, gv := range order {
			if _, ok, _ := d.V3(nameOf(gv)); !ok && gv.Group == "apiregistration.k8s.io" {
				continue // TestNames says in which releases
			}
			document := v3(t, d, gv)
			schemas := at(document, "components", "schemas")
			refs(document, func(ref string) {
				if at(schemas, strings.TrimPrefix(ref, "#/components/schemas/")) == nil {
					t.Errorf("%s: %s: cannot resolve %s", version, gv, ref)
				}
			})
		}
	}
	d, _ := documents(t, versions[0])
	text, err := d.V2()
	if err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	refs(document, func(ref string) {
		if at(document, "definitions", strings.TrimPrefix(ref, "#/definitions/")) == nil {
			t.Errorf("v2: cannot resolve %s", ref)
		}
	})
	if spec := at(document, "definitions", "io.k8s.api.apps.v1.Deployment", "properties", "spec", "$ref"); spec != "#/definitions/io.k8s.api.apps.v1.DeploymentSpec" {
		t.Errorf("v2: the spec of a Deployment is %v", spec)
	}
	for path, want := range map[string]string{
		"/api/": "getCoreAPIVersions", "/apis/": "getAPIVersions", "/apis/apps/": "getAppsAPIGroup", "/apis/apps/v1/": "getAppsV1APIResources",
		"/apis/rbac.authorization.k8s.io/": "getRbacAuthorizationAPIGroup", "/apis/rbac.authorization.k8s.io/v1/": "getRbacAuthorizationV1APIResources",
	} {
		if got := at(document, "paths", path, "get", "operationId"); got != want {
			t.Errorf("v2: GET %s is %v, want %s", path, got, want)
		}
	}
}

func refs(v any, see func(string)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			refs(item, see)
		}
	case map[string]any:
		if ref, ok := v["$ref"].(string); ok {
			see(ref)
		}
		for _, member := range v {
			refs(member, see)
		}
	}
}

// kubectl checks the parameters of a patch to learn whether the server validates fields, and the kind of a path to
// learn what to explain.
func TestPatch(t *testing.T) {
	d, _ := documents(t, "1.36")
	patch := at(v3(t, d, schema.GroupVersion{Group: "apps", Version: "v1"}), "paths", "/apis/apps/v1/namespaces/{namespace}/deployments/{name}", "patch")
	found := false
	parameters, _ := at(patch, "parameters").([]any)
	for _, p := range parameters {
		found = found || at(p, "name") == "fieldValidation" && at(p, "in") == "query"
	}
	if !found {
		t.Errorf("a patch has no parameter fieldValidation: %v", parameters)
	}
	if kind := at(patch, "x-kubernetes-group-version-kind", "kind"); kind != "Deployment" {
		t.Errorf("a patch of deployments is of kind %v", kind)
	}
}

// A release has only the fields that it knows.
func TestFields(t *testing.T) {
	for version, want := range map[string]bool{"1.27": false, "1.34": true} {
		d, _ := documents(t, version)
		properties := at(v3(t, d, schema.GroupVersion{Version: "v1"}), "components", "schemas", "io.k8s.api.core.v1.PodSpec", "properties")
		if has := at(properties, "resources") != nil; has != want {
			t.Errorf("%s: a pod has resources: %v, want %v", version, has, want)
		}
		if at(properties, "containers") == nil {
			t.Errorf("%s: a pod has no containers", version)
		}
	}
}

// A release has the fields that later ones dropped (CV-12a).
func TestFormerFields(t *testing.T) {
	for _, tt := range []struct {
		typeName, field string
		refers          string // to this schema
		in, notIn       []string
	}{
		{"io.k8s.api.core.v1.PersistentVolumeClaimStatus", "resizeStatus", "", []string{"1.23", "1.27"}, []string{"1.22", "1.28"}},
		{"io.k8s.api.core.v1.EventSeries", "state", "", []string{"1.10", "1.18"}, []string{"1.19"}},
		{"io.k8s.api.core.v1.ServiceSpec", "ipFamily", "", []string{"1.16", "1.19"}, []string{"1.15", "1.20"}},
		{"io.k8s.api.core.v1.ServiceSpec", "topologyKeys", "", []string{"1.17", "1.21"}, []string{"1.16", "1.22"}},
		{"io.k8s.api.core.v1.PodSpec", "workloadRef", "io.k8s.api.core.v1.WorkloadReference", []string{"1.35"}, []string{"1.34", "1.36"}},
		{"io.k8s.api.networking.v1.NetworkPolicy", "status", "io.k8s.api.networking.v1.NetworkPolicyStatus", []string{"1.24", "1.27"}, []string{"1.23", "1.28"}},
		{"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "clusterName", "", []string{"1.10", "1.24"}, []string{"1.25"}},
		{"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta", "initializers", "io.k8s.apimachinery.pkg.apis.meta.v1.Initializer", []string{"1.10", "1.15"}, []string{"1.16"}},
		{"io.k8s.api.resource.v1alpha3.DeviceTaintSelector", "selectors", "io.k8s.api.resource.v1alpha3.CELDeviceSelector", []string{"1.33", "1.34"}, []string{"1.35"}},
	} {
		parts := strings.Split(strings.TrimPrefix(tt.typeName, "io.k8s.api."), ".")
		gv := schema.GroupVersion{Version: "v1"} // which refers to metadata
		if !strings.HasPrefix(tt.typeName, "io.k8s.apimachinery.") {
			gv = schema.GroupVersion{Group: parts[0], Version: parts[1]}
		}
		switch gv.Group {
		case "core":
			gv.Group = ""
		case "networking", "resource":
			gv.Group += ".k8s.io"
		}
		for _, version := range append(slices.Clone(tt.in), tt.notIn...) {
			release, err := kubeversion.Parse(version)
			if err != nil {
				t.Fatal(err)
			}
			if release, err = release.With(kubeversion.Flags{RuntimeConfig: map[string]bool{gv.String(): true}}); err != nil {
				t.Fatal(err)
			}
			d, order := documentsOf(release)
			if !slices.Contains(order, gv) {
				continue // an alpha version that is not served any more
			}
			schemas := at(v3(t, d, gv), "components", "schemas")
			want := slices.Contains(tt.in, version)
			if has := at(schemas, tt.typeName, "properties", tt.field) != nil; has != want {
				t.Errorf("%s: %s has %s: %v, want %v", version, tt.typeName, tt.field, has, want)
			}
			if has := at(schemas, tt.refers) != nil; tt.refers != "" && has != want {
				t.Errorf("%s: there is %s: %v, want %v", version, tt.refers, has, want)
			}
		}
	}
}

// A custom resource has the schema of its definition, and the fields that all objects have.
func TestCustom(t *testing.T) {
	crd := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.shop.example"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "shop.example", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"size": {Type: "integer", Description: "how large"}}},
			}}},
		},
	}
	d, _ := documents(t, "1.36", cluster.Object{Object: crd})
	gv := schema.GroupVersion{Group: "shop.example", Version: "v1"}
	widget := at(v3(t, d, gv), "components", "schemas", "example.shop.v1.Widget", "properties")
	if at(widget, "size", "description") != "how large" || at(widget, "metadata") == nil || at(widget, "kind", "type") != "string" {
		t.Errorf("a widget is %v", widget)
	}
	before, err := d.Index()
	if err != nil {
		t.Fatal(err)
	}
	crd = crd.DeepCopy()
	crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Description = "another one"
	d, _ = documents(t, "1.36", cluster.Object{Object: crd})
	after, err := d.Index()
	if err != nil {
		t.Fatal(err)
	}
	if string(before) == string(after) {
		t.Error("a definition changed, and the digest of its document did not")
	}
}

// Each web service of a server has a document: those of servers of 1.26.15, 1.30.14 and 1.37.2.
func TestNames(t *testing.T) {
	for version, want := range map[string][]string{
		"1.26": {".well-known/openid-configuration", "api", "apis", "apis/apps", "logs", "openid/v1/jwks", "version"},
		"1.30": {".well-known/openid-configuration", "api", "apis", "apis/apiregistration.k8s.io", "apis/apps", "logs", "openid/v1/jwks", "version"},
		"1.37": {".well-known/openid-configuration", "api", "apis", "apis/apiregistration.k8s.io", "apis/apps", "openid/v1/jwks", "version"},
	} {
		d, _ := documents(t, version)
		text, err := d.Index()
		if err != nil {
			t.Fatal(err)
		}
		var index struct{ Paths map[string]any }
		if err := json.Unmarshal(text, &index); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{".well-known/openid-configuration", "api", "apis", "apis/apiregistration.k8s.io", "apis/apps", "logs", "openid/v1/jwks", "version"} {
			text, ok, err := d.V3(name)
			if wanted := slices.Contains(want, name); err != nil || ok != wanted || (index.Paths[name] != nil) != wanted {
				t.Errorf("%s: %s is there: %v, and in the index: %v, want %v (%v)", version, name, ok, index.Paths[name] != nil, wanted, err)
			}
			var document map[string]any
			if !ok {
				continue
			}
			if err := json.Unmarshal(text, &document); err != nil {
				t.Fatal(err)
			}
			if get := at(document, "paths", "/"+name+"/", "get"); get == nil {
				t.Errorf("%s: %s does not describe its path: %s", version, name, text)
			}
			refs(document, func(ref string) {
				if at(document, "components", "schemas", strings.TrimPrefix(ref, "#/components/schemas/")) == nil {
					t.Errorf("%s: %s: cannot resolve %s", version, name, ref)
				}
			})
		}
	}
}

// Only the aggregator's own group was not described up to 1.26, not one whose name begins like it.
func TestNamesLikeAggregators(t *testing.T) {
	crd := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.apiregistration.k8s.io.example"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "apiregistration.k8s.io.example", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{
				OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object"},
			}}},
		},
	}
	d, _ := documents(t, "1.26", cluster.Object{Object: crd})
	for name, want := range map[string]bool{"apis/apiregistration.k8s.io.example/v1": true, "apis/apiregistration.k8s.io/v1": false} {
		if _, ok, err := d.V3(name); err != nil || ok != want {
			t.Errorf("%s is there: %v, want %v (%v)", name, ok, want, err)
		}
	}
}

// What the document about /version says.
func TestVersionDocument(t *testing.T) {
	for version, want := range map[string]struct {
		info, description string
		emulation         bool
	}{
		"1.30": {"v1.30.0", "get the code version", false},
		"1.32": {"1.32", "get the code version", false},
		"1.33": {"1.33", "get the version information for this server", true},
	} {
		d, _ := documents(t, version)
		text, _, err := d.V3("version")
		if err != nil {
			t.Fatal(err)
		}
		var document map[string]any
		if err := json.Unmarshal(text, &document); err != nil {
			t.Fatal(err)
		}
		emulation := at(document, "components", "schemas", "io.k8s.apimachinery.pkg.version.Info", "properties", "emulationMajor") != nil
		if info, description := at(document, "info", "version"), at(document, "paths", "/version/", "get", "description"); info != want.info || description != want.description || emulation != want.emulation {
			t.Errorf("%s: about %v: %v, with emulation: %v; want %+v", version, info, description, emulation, want)
		}
	}
}
