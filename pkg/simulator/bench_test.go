package simulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// configuration is a webhook configuration of that kind with n webhooks on ConfigMaps.
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
				"operations": []string{"CREATE"}, "resources": []string{"configmaps"},
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

// shop is a cluster with so many mutating and validating webhooks.
func shop(tb testing.TB, mutating, validating int) *simulator.Simulator {
	tb.Helper()
	labels, err := dispatch.NewMock(nil, dispatch.Answer{Patch: json.RawMessage(`[{"op":"add","path":"/data/seen","value":"yes"}]`)})
	if err != nil {
		tb.Fatal(err)
	}
	allows, err := dispatch.NewMock(nil)
	if err != nil {
		tb.Fatal(err)
	}
	backends := 0
	sim, err := simulator.New(simulator.Options{
		State: simulator.Bootstrap(),
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

// BenchmarkAdmit is one ConfigMap through the whole chain, and so many mocked webhooks of
// each type that all see it.
func BenchmarkAdmit(b *testing.B) {
	for _, n := range []int{0, 1, 10, 100} {
		b.Run(fmt.Sprintf("mutating=%d/validating=%d", n, n), func(b *testing.B) {
			sim := shop(b, n, n)
			b.ReportAllocs()
			for b.Loop() {
				result, err := sim.Do(context.Background(), newConfigMap)
				if err != nil {
					b.Fatal(err)
				}
				if result.Code != 201 {
					b.Fatal(result.Status().Message)
				}
			}
		})
	}
}
