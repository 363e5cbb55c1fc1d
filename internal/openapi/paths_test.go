package openapi_test

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// widgets is the definition of the custom resources in testdata/1.37.2.txt.
func widgets() *apiextensionsv1.CustomResourceDefinition {
	replicas := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"replicas": {Type: "integer"}}}
	return &apiextensionsv1.CustomResourceDefinition{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"},
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.shop.example"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "shop.example", Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Singular: "widget", Kind: "Widget", ListKind: "WidgetList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
					Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"spec": replicas, "status": replicas},
				}},
				Subresources: &apiextensionsv1.CustomResourceSubresources{
					Status: &apiextensionsv1.CustomResourceSubresourceStatus{},
					Scale:  &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".spec.replicas", StatusReplicasPath: ".status.replicas"},
				},
			}},
		},
	}
}

// All operations of these versions are described as by a kube-apiserver 1.37.2, to which the definition of widgets was
// added.
func TestOperations(t *testing.T) {
	want, err := os.ReadFile("testdata/1.37.2.txt")
	if err != nil {
		t.Fatal(err)
	}
	d, _ := documents(t, "1.37", cluster.Object{Object: widgets()})
	var got strings.Builder
	for _, gv := range []schema.GroupVersion{{Version: "v1"}, {Group: "apps", Version: "v1"}, {Group: "shop.example", Version: "v1"}} {
		got.WriteString(operations(v3(t, d, gv)))
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// operations lists the operations of a document, one per line, with their parameters and media types.
func operations(document map[string]any) string {
	var b strings.Builder
	paths := at(document, "paths").(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := paths[path].(map[string]any)
		fmt.Fprintf(&b, "%s %s\n", path, parameters(item))
		for _, method := range slices.Sorted(maps.Keys(item)) {
			o, ok := item[method].(map[string]any)
			if !ok {
				continue // the parameters of all
			}
			fmt.Fprintf(&b, "  %s %v %v: %v %v: %v %s\n", method, o["x-kubernetes-action"], at(o, "x-kubernetes-group-version-kind", "kind"), o["operationId"], o["tags"], o["description"], parameters(o))
			if body := o["requestBody"]; body != nil {
				fmt.Fprintf(&b, "    body, required %v:%s\n", at(body, "required"), contents(body))
			}
			responses := o["responses"].(map[string]any)
			for _, code := range slices.Sorted(maps.Keys(responses)) {
				fmt.Fprintf(&b, "    %s %v:%s\n", code, at(responses[code], "description"), contents(responses[code]))
			}
		}
	}
	return b.String()
}

// parameters lists parameters with the lengths of their descriptions.
func parameters(of map[string]any) string {
	var all []string
	list, _ := of["parameters"].([]any)
	for _, p := range list {
		text, _ := at(p, "description").(string)
		all = append(all, fmt.Sprintf("%v=%v/%d", at(p, "in"), at(p, "name"), len(text)))
	}
	return "[" + strings.Join(all, " ") + "]"
}

// contents lists the media types of a body, and the last words of their schemas' names.
func contents(of any) string {
	var b strings.Builder
	all, _ := at(of, "content").(map[string]any)
	for _, media := range slices.Sorted(maps.Keys(all)) {
		name, _ := at(all[media], "schema", "$ref").(string)
		if name == "" {
			name = fmt.Sprint(at(all[media], "schema", "type"))
		}
		fmt.Fprintf(&b, " %s=%s", media, name[strings.LastIndexByte(name, '.')+1:])
	}
	return b.String()
}

// Lists have a parameter for objects that are not initialized up to 1.13, and creates from 1.12 on.
func TestUninitializedParameter(t *testing.T) {
	const maps = "/api/v1/namespaces/{namespace}/configmaps"
	for _, tt := range []struct {
		release string
		methods []string
	}{
		{"1.10", []string{"delete", "get"}}, {"1.11", []string{"delete", "get"}},
		{"1.12", []string{"delete", "get", "post"}}, {"1.13", []string{"delete", "get", "post"}},
		{"1.14", nil}, {"1.37", nil},
	} {
		d, _ := documents(t, tt.release)
		path, _ := at(v3(t, d, schema.GroupVersion{Version: "v1"}), "paths", maps).(map[string]any)
		shared := strings.Contains(parameters(map[string]any{"parameters": path["parameters"]}), "query=includeUninitialized/")
		var have []string
		for _, method := range []string{"delete", "get", "post"} {
			of, _ := path[method].(map[string]any)
			if shared || strings.Contains(parameters(of), "query=includeUninitialized/") {
				have = append(have, method)
			}
		}
		if !slices.Equal(have, tt.methods) {
			t.Errorf("%s: %v have the parameter, want %v", tt.release, have, tt.methods)
		}
	}
}

// Parameters came with the releases that the documents of Kubernetes show.
func TestParametersOfReleases(t *testing.T) {
	const maps, one = "/api/v1/namespaces/{namespace}/configmaps", "/api/v1/namespaces/{namespace}/configmaps/{name}"
	for _, tt := range []struct{ path, method, parameter, since string }{
		{maps, "get", "allowWatchBookmarks", "1.15"},
		{maps, "get", "resourceVersionMatch", "1.19"},
		{maps, "get", "sendInitialEvents", "1.27"},
		{maps, "get", "shardSelector", "1.36"},
		{maps, "post", "dryRun", "1.12"},
		{maps, "post", "fieldManager", "1.14"},
		{maps, "delete", "sendInitialEvents", "1.27"},
		{maps, "delete", "ignoreStoreReadErrorWithClusterBreakingPotential", "1.32"},
		{one, "patch", "force", "1.14"},
		{one, "patch", "fieldValidation", "1.25"}, // with the gate that was off before
		{one, "delete", "ignoreStoreReadErrorWithClusterBreakingPotential", "1.32"},
		{"/api/v1/namespaces/{namespace}/pods/{name}/log", "", "insecureSkipTLSVerifyBackend", "1.17"},
		{"/api/v1/namespaces/{namespace}/pods/{name}/log", "", "stream", "1.32"},
	} {
		since := slices.Index(kubeversion.Versions(), tt.since)
		for i, has := range map[int]bool{since: true, since + 1: false} { // the newest comes first
			version := kubeversion.Versions()[i]
			d, _ := documents(t, version)
			of, _ := at(v3(t, d, schema.GroupVersion{Version: "v1"}), "paths", tt.path).(map[string]any)
			if tt.method != "" {
				of, _ = of[tt.method].(map[string]any)
			}
			if got := strings.Contains(parameters(of), "query="+tt.parameter+"/"); got != has {
				t.Errorf("%s: %s %s has %s: %v", version, tt.method, tt.path, tt.parameter, got)
			}
		}
	}
}
