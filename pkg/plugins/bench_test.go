package plugins

import (
	"context"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/admsim/admsim/pkg/chain"
)

// benchmarked is a cluster as small ones are, and two pods: one with only the required fields, and one with everything
// that plugins would add.
const benchmarked = `
-- cluster.yaml --
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {pod-security.kubernetes.io/enforce: baseline}}
---
apiVersion: v1
kind: ServiceAccount
metadata: {name: default, namespace: shop}
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits, namespace: shop}
spec:
  limits:
  - type: Container
    default: {cpu: 500m, memory: 512Mi}
    defaultRequest: {cpu: 100m, memory: 256Mi}
    max: {cpu: 2}
---
apiVersion: scheduling.k8s.io/v1
kind: PriorityClass
metadata: {name: high}
value: 1000
-- pod=plain --
apiVersion: v1
kind: Pod
metadata: {name: plain, namespace: shop}
spec:
  containers:
  - {name: web, image: nginx}
  - {name: log, image: fluentd}
-- pod=complete --
apiVersion: v1
kind: Pod
metadata: {name: complete, namespace: shop}
spec:
  serviceAccountName: default
  automountServiceAccountToken: false
  priorityClassName: high
  priority: 1000
  preemptionPolicy: PreemptLowerPriority
  tolerations: [{operator: Exists}]
  containers:
  - {name: web, image: nginx, resources: {limits: {cpu: 1, memory: 1Gi}}}
  - {name: log, image: fluentd, resources: {limits: {cpu: 1, memory: 1Gi}}}
-- configmap --
apiVersion: v1
kind: ConfigMap
metadata: {name: plain, namespace: shop}
`

// BenchmarkDefaultPlugins measures the cost of the default plugins for a request, in both phases, without webhooks and
// policies.
func BenchmarkDefaultPlugins(b *testing.B) {
	archive := txtar.Parse([]byte(benchmarked))
	w := newWorld(b, "NamespaceLifecycle", archive)
	var links []chain.Plugin
	for _, known := range w.release.Plugins {
		if !known.Default {
			continue
		}
		link, ok, err := build(known.Name, w.options(b, nil))
		if err != nil {
			b.Fatal(err)
		}
		if link.Operations = known.Operations; ok {
			links = append(links, link)
		}
	}
	plugins := chain.New(links...)
	for _, f := range archive.Files[1:] {
		line := "create pods shop/pod"
		if f.Name == "configmap" {
			line = "create configmaps shop/map"
		}
		req := w.request(b, line, f.Data)
		b.Run(f.Name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				pass, err := plugins.Mutate(context.Background(), w.State, req)
				if err == nil && pass.Denial == nil {
					pass, err = plugins.Validate(context.Background(), pass.State, pass.Request, pass.Steps)
				}
				if err != nil || pass.Denial != nil {
					b.Fatal(err, pass.Denial)
				}
			}
		})
	}
}
