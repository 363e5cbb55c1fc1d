package simulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kubejson "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// configuration returns a webhook configuration of that kind with n webhooks for ConfigMaps and Pods.
func configuration(kind string, n int) []byte {
	var webhooks []map[string]any
	for i := range n {
		webhooks = append(webhooks, map[string]any{
			"name":                    fmt.Sprintf("w%03d.shop.example", i),
			"admissionReviewVersions": []string{"v1"},
			"sideEffects":             "None",
			"clientConfig":            map[string]any{"url": "https://hooks.shop.example/review"},
			"rules": []map[string]any{{
				"apiGroups": []string{""}, "apiVersions": []string{"v1"},
				"operations": []string{"CREATE"}, "resources": []string{"configmaps", "pods"},
			}},
		})
	}
	text, err := json.Marshal(map[string]any{
		"apiVersion": "admissionregistration.k8s.io/v1",
		"kind":       kind,
		"metadata":   map[string]any{"name": "shop"},
		"webhooks":   webhooks,
	})
	if err != nil {
		panic(err)
	}
	return text
}

// shop returns a cluster with that many mutating and validating webhooks.
func shop(tb testing.TB, mutating, validating int) *simulator.Simulator {
	tb.Helper()
	labels, err := dispatch.NewMock(nil, dispatch.Answer{Patch: json.RawMessage(`[{"op":"add","path":"/metadata/labels/seen","value":"yes"}]`)})
	if err != nil {
		tb.Fatal(err)
	}
	allows, err := dispatch.NewMock(nil)
	if err != nil {
		tb.Fatal(err)
	}
	backends := 0
	sim, err := simulator.New(simulator.Options{
		State: simulator.AssumeControllers(simulator.Bootstrap()),
		Backends: func(_, _ string) dispatch.Backend {
			if backends++; backends <= mutating {
				return labels
			}
			return allows
		},
	})
	if err != nil {
		tb.Fatal(err)
	}
	for _, c := range []struct {
		resource, kind string
		n              int
	}{
		{"mutatingwebhookconfigurations", "MutatingWebhookConfiguration", mutating},
		{"validatingwebhookconfigurations", "ValidatingWebhookConfiguration", validating},
	} {
		if c.n == 0 {
			continue
		}
		result, err := sim.Do(context.Background(), rest.Request{
			Verb:     rest.Create,
			Resource: schema.GroupVersionResource{Group: "admissionregistration.k8s.io", Version: "v1", Resource: c.resource},
			Body:     configuration(c.kind, c.n),
		})
		if err != nil {
			tb.Fatal(err)
		}
		if result.Code != 201 {
			tb.Fatalf("creating %s: %s", c.resource, result.Status().Message)
		}
		sim = result.Next
	}
	return sim
}

var newConfigMap = rest.Request{
	Verb:      rest.Create,
	Resource:  schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
	Namespace: "default",
	Body:      []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings","labels":{"app":"shop"}},"data":{"colour":"blue"}}`),
}

var newPod = rest.Request{
	Verb:      rest.Create,
	Resource:  schema.GroupVersionResource{Version: "v1", Resource: "pods"},
	Namespace: "default",
	Body: []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web","labels":{"app":"web","team":"a"}},"spec":{"containers":[` +
		`{"name":"c0","image":"registry.example/web:1","command":["/web","--listen=:8080"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"containerPort":8080,"protocol":"TCP"}]},` +
		`{"name":"c1","image":"registry.example/web:1","command":["/web","--listen=:8081"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"containerPort":8081,"protocol":"TCP"}]},` +
		`{"name":"c2","image":"registry.example/web:1","command":["/web","--listen=:8082"],"env":[{"name":"A","value":"1"},{"name":"B","value":"2"}],"ports":[{"containerPort":8082,"protocol":"TCP"}]}]}}`),
}

// admitted sends a request that has to be admitted.
func admitted(b *testing.B, sim *simulator.Simulator, request rest.Request) {
	result, err := sim.Do(context.Background(), request)
	if err != nil {
		b.Fatal(err)
	}
	if result.Code != 201 {
		b.Fatal(result.Status().Message)
	}
}

// BenchmarkAdmit sends one object through the whole chain, with n mocked webhooks of each type that all match it.
func BenchmarkAdmit(b *testing.B) {
	for _, of := range []struct {
		name    string
		request rest.Request
	}{{"ConfigMap", newConfigMap}, {"Pod", newPod}} {
		for _, n := range []int{0, 1, 10, 100} {
			b.Run(fmt.Sprintf("object=%s/mutating=%d/validating=%d", of.name, n, n), func(b *testing.B) {
				sim := shop(b, n, n)
				b.ReportAllocs()
				for b.Loop() {
					admitted(b, sim, of.request)
				}
			})
		}
	}
}

// BenchmarkPodCreate creates a Pod with everything that the server does and all default plugins, but without webhooks.
// It is compared with what no server can avoid: decoding and encoding that Pod once.
func BenchmarkPodCreate(b *testing.B) {
	b.Run("by=engine", func(b *testing.B) {
		sim := shop(b, 0, 0)
		b.ReportAllocs()
		for b.Loop() {
			admitted(b, sim, newPod)
		}
	})
	b.Run("by=codec", func(b *testing.B) {
		codec := kubejson.NewSerializerWithOptions(kubejson.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, kubejson.SerializerOptions{})
		b.ReportAllocs()
		for b.Loop() {
			pod, err := runtime.Decode(codec, newPod.Body)
			if err != nil {
				b.Fatal(err)
			}
			if _, err := runtime.Encode(codec, pod); err != nil {
				b.Fatal(err)
			}
		}
	})
}
