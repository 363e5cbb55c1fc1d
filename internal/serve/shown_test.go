package serve_test

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/serve"
)

const (
	asTable    = "application/json;as=Table;v=v1;g=meta.k8s.io"
	asMetadata = "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"
	asList     = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"
)

// What tables and metadata contain beside cells, as kube-apiserver 1.22.17 and 1.30.14 answered.
func TestShown(t *testing.T) {
	const (
		daemonSets  = "/apis/apps/v1/namespaces/default/daemonsets"
		autoscalers = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers"
		policies    = "/apis/networking.k8s.io/v1/namespaces/default/networkpolicies"
		spec        = `"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"c"}]}}}`
	)
	s := newServerOfRelease(t, "1.30", nil, serve.Options{})
	if a := s.do("GET", "/api/v1/namespaces/default/secrets", "", "Accept", asList); !strings.HasSuffix(strings.TrimSpace(string(a.body)), `,"items":null}`) {
		t.Errorf("an empty list of metadata: %s", a.body)
	}
	if a := s.do("POST", daemonSets, `{"metadata":{"name":"d","annotations":{"own":"1"}},`+spec+`}`); a.code != 201 || a.field("metadata", "annotations", "deprecated.daemonset.template.generation") != "1" {
		t.Fatalf("the daemon set: %d %s", a.code, a.body)
	}
	for _, accept := range []string{asTable, asMetadata} {
		if a := s.do("GET", daemonSets+"/d", "", "Accept", accept); !strings.Contains(string(a.body), `"annotations":{"own":"1"}`) {
			t.Errorf("%s: %s", accept, a.body)
		}
	}
	if a := s.do("GET", daemonSets+"?includeObject=Object", "", "Accept", asTable); !strings.Contains(string(a.body), `"template":{"metadata":{"creationTimestamp":null,`) {
		t.Errorf("the object of a row: %s", a.body)
	}
	if a := s.do("POST", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers", `{"metadata":{"name":"h"},"spec":{"maxReplicas":2,"scaleTargetRef":{"kind":"Deployment","name":"d"},
		"metrics":[{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":3}}}]}}`); a.code != 201 {
		t.Fatalf("the autoscaler: %d %s", a.code, a.body)
	}
	if a := s.do("GET", autoscalers+"/h", ""); a.field("metadata", "annotations") == nil {
		t.Errorf("an autoscaler in v1: %s", a.body)
	}
	for _, accept := range []string{asTable, asList} {
		if a := s.do("GET", autoscalers, "", "Accept", accept); strings.Contains(string(a.body), `"annotations"`) {
			t.Errorf("%s: %s", accept, a.body)
		}
	}
	// The storage of these makes no table: kubernetes/kubernetes@v1.24.17:pkg/registry/networking/networkpolicy/storage/storage.go,
	// kubernetes/kubernetes:pkg/registry/resource/resourceclaim/storage/storage.go.
	old := newServerOfRelease(t, "1.24", nil, serve.Options{})
	if a := old.do("POST", policies, `{"metadata":{"name":"n"},"spec":{"podSelector":{}}}`); a.code != 201 {
		t.Fatalf("the network policy: %d %s", a.code, a.body)
	}
	latest := newServerOfRelease(t, "1.34", nil, serve.Options{})
	const claims = "/apis/resource.k8s.io/v1/namespaces/default/resourceclaims"
	if a := latest.do("POST", claims, `{"metadata":{"name":"c"},"spec":{"devices":{"requests":[{"name":"r","exactly":{"deviceClassName":"c"}}]}}}`); a.code != 201 {
		t.Fatalf("the claim: %d %s", a.code, a.body)
	}
	for path, s := range map[string]*server{policies + "/n": old, claims + "/c": latest} {
		if a := s.do("GET", path, "", "Accept", asTable); a.code != 200 {
			t.Errorf("%s: %d %s", path, a.code, a.body)
		}
		if a := s.do("GET", path+"/status", "", "Accept", asTable); a.code != 406 {
			t.Errorf("%s/status: %d %s", path, a.code, a.body)
		}
	}
}

// A table shows the metrics of an autoscaler in the order in which they are stored, also in a version that has another one. A
// 1.30.14 answered so (CV-04).
func TestAutoscalersAsTable(t *testing.T) {
	const (
		inV1, inV2   = "/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers", "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers"
		kept, turned = `"cpu: \u003cunknown\u003e/4%, memory: \u003cunknown\u003e/3%"`, `"memory: \u003cunknown\u003e/3%, cpu: \u003cunknown\u003e/4%"`
	)
	s := newServerOfRelease(t, "1.30", nil, serve.Options{})
	a := s.do("POST", inV2, `{"metadata":{"name":"h"},"spec":{"maxReplicas":2,"scaleTargetRef":{"kind":"Deployment","name":"d"}, "metrics":[
		{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":4}}},
		{"type":"Resource","resource":{"name":"memory","target":{"type":"Utilization","averageUtilization":3}}}]}}`)
	if a.code != 201 {
		t.Fatalf("the autoscaler: %d %s", a.code, a.body)
	}
	const label, merge = `{"metadata":{"labels":{"a":"b"}}}`, "application/merge-patch+json"
	if a := s.do("PATCH", inV2+"/h", label, "Content-Type", merge); a.code != 200 {
		t.Fatalf("the label: %d %s", a.code, a.body)
	}
	before, _ := strconv.Atoi(a.field("metadata", "resourceVersion").(string))
	for _, test := range []struct {
		method, path, body string
		want               string
		rows               int
	}{
		{"GET", inV1 + "/h", "", kept, 1},
		{"GET", inV1, "", kept, 1},
		{"GET", inV1 + "?watch=1&timeoutSeconds=1", "", kept, 1},
		{"GET", fmt.Sprintf("%s?watch=1&timeoutSeconds=1&resourceVersion=%d", inV1, before-1), "", kept, 2},
		{"PATCH", inV1 + "/h?dryRun=All", label, turned, 1}, // the client changes v1
		{"PATCH", inV1 + "/h/status", label, kept, 1},
		{"PATCH", inV1 + "/h", `{"metadata":{"labels":{"a":"c"}}}`, turned, 1},
	} {
		if a := s.do(test.method, test.path, test.body, "Accept", asTable, "Content-Type", merge); a.code != 200 || strings.Count(string(a.body), test.want) != test.rows {
			t.Errorf("%s %s: %d %s", test.method, test.path, a.code, a.body)
		}
	}
}

// Up to 1.23, the server panics when it shows the scale of a custom resource as a table.
func TestCustomScaleAsTable(t *testing.T) {
	for version, answered := range map[string]bool{"1.22": false, "1.24": true} {
		s := newServerOfRelease(t, version, nil, serve.Options{})
		if a := s.do("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", `{"metadata": {"name": "things.example.com"},
			"spec": {"group": "example.com", "scope": "Cluster", "names": {"plural": "things", "kind": "Thing"}, "versions": [
				{"name": "v1", "served": true, "storage": true, "subresources": {"scale": {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}},
				"schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": true}}}]}}`); a.code != 201 {
			t.Fatalf("the definition: %d %s", a.code, a.body)
		}
		if a := s.do("POST", "/apis/example.com/v1/things", `{"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"a"},"spec":{"replicas":2}}`); a.code != 201 {
			t.Fatalf("the object: %d %s", a.code, a.body)
		}
		response, err := http.DefaultTransport.RoundTrip(s.request("GET", "/apis/example.com/v1/things/a/scale", "", "Accept", asTable))
		if err == nil {
			response.Body.Close()
		}
		if (err == nil) != answered {
			t.Errorf("%s: %v, %v", version, response, err)
		}
	}
}
