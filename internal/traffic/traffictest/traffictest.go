// Package traffictest provides a small cluster with two webhooks, and requests to it, for tests of packages that run
// many requests.
package traffictest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A World is a world that a test wrote as YAML, with the requests in it.
type World struct {
	*world.World
	Bag     scenario.Bag
	Release string // of the worlds that Make returns; empty: the default release
	Make    world.Maker
}

// Read reads a world. It fails the test on error.
func Read(tb testing.TB, text string) *World {
	tb.Helper()
	options := scenario.Options{FS: fstest.MapFS{"world.yaml": {Data: []byte(text)}}}
	found, err := scenario.Load([]string{"world.yaml"}, options)
	if err != nil {
		tb.Fatal(err)
	}
	bag, err := scenario.Sort(found, options)
	if err != nil {
		tb.Fatal(err)
	}
	backends, err := backends.New(context.Background(), bag.Backends, backends.Options{
		Expressions: expression.New(kubeversion.Default()),
		Objects:     bag.Objects,
		Unmatched:   &dispatch.Mock{},
	})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(backends.Close)
	w := &World{Bag: bag}
	w.Make = func(_ *world.CaseKey, change func(world.Resolver) world.Resolver) (*world.World, error) {
		release := kubeversion.Default()
		if w.Release != "" {
			var err error
			if release, err = kubeversion.Parse(w.Release); err != nil {
				return nil, err
			}
		}
		resolver := world.Resolver(backends.Backend)
		if change != nil {
			resolver = change(resolver)
		}
		made, _, err := world.New(bag.Objects, world.Options{Release: release, Backends: resolver, Controllers: true})
		return made, err
	}
	if w.World, err = w.Make(nil, nil); err != nil {
		tb.Fatal(err)
	}
	return w
}

// Answers returns the answers to the requests of the world, each in the cluster that the one before left.
func (w *World) Answers(tb testing.TB) (all []*simulator.Result) {
	tb.Helper()
	sim := w.Simulator()
	for _, r := range w.Bag.Requests {
		asked, err := w.Ask(sim, r, scenario.Defaults{})
		if err != nil {
			tb.Fatal(err)
		}
		result, err := asked.Answer(tb.Context())
		if err != nil {
			tb.Fatal(err)
		}
		all, sim = append(all, result), result.Next
	}
	return all
}

// Mesh is a cluster in which a webhook adds a sidecar to new pods, and another one refuses objects whose name ends in
// 7.
const Mesh = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: mesh}
webhooks:
- name: sidecar.mesh.example
  clientConfig: {service: {name: mesh, namespace: mesh}}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
  sideEffects: None
  admissionReviewVersions: [v1]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: guard}
webhooks:
- name: pods.guard.example
  clientConfig: {service: {name: guard, namespace: guard}}
  rules: [{operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [pods, configmaps]}]
  sideEffects: None
  admissionReviewVersions: [v1]
---
apiVersion: admsim.dev/v1beta1
kind: Backends
backends:
- webhook: sidecar.mesh.example
  mock:
  - patch: [{op: add, path: /spec/containers/-, value: {name: proxy, image: "proxy:1"}}]
- webhook: pods.guard.example
  mock:
  - when: object.metadata.name.endsWith("7")
    deny: {message: no sevens}
  - allowed: true
`

// Pod is a LimitRange, and a request to create a pod that it sets defaults for.
const Pod = `
---
apiVersion: v1
kind: LimitRange
metadata: {name: limits, namespace: shop}
spec: {limits: [{type: Container, defaultRequest: {cpu: 100m}}]}
---
apiVersion: admsim.dev/v1beta1
kind: Request
object:
  apiVersion: v1
  kind: Pod
  metadata: {name: web, namespace: shop}
  spec: {containers: [{name: web, image: "nginx:1.29"}], terminationGracePeriodSeconds: 5}
`

// Reviews returns a recording of n requests: three of four create a pod, the others a ConfigMap.
func Reviews(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		resource, kind := "pods", "Pod"
		object := fmt.Sprintf(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"web-%d","namespace":"shop","uid":"u%d","labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"nginx:1.29","env":[{"name":"A","value":"1"}],"resources":{"requests":{"cpu":"100m","memory":"64Mi"}},"terminationMessagePath":"/dev/termination-log","terminationMessagePolicy":"File","imagePullPolicy":"IfNotPresent"}],"restartPolicy":"Always","terminationGracePeriodSeconds":30,"dnsPolicy":"ClusterFirst","serviceAccountName":"default","securityContext":{},"schedulerName":"default-scheduler"}}`, i, i)
		if i%4 == 3 {
			resource, kind = "configmaps", "ConfigMap"
			object = fmt.Sprintf(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"conf-%d","namespace":"shop"},"data":{"a":"1"}}`, i)
		}
		fmt.Fprintf(&b, `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"%d","kind":{"group":"","version":"v1","kind":"%s"},"resource":{"group":"","version":"v1","resource":"%s"},"namespace":"shop","operation":"CREATE","userInfo":{"username":"user-%d","groups":["system:authenticated"]},"object":%s,"oldObject":null,"dryRun":false,"options":{"kind":"CreateOptions","apiVersion":"meta.k8s.io/v1"}}}`+"\n", i, kind, resource, i%5, object)
	}
	return b.Bytes()
}

// Corpus returns a corpus of recorded reviews.
func Corpus(tb testing.TB, data []byte) traffic.Corpus {
	tb.Helper()
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	reader, err := recording.NewReader([]recording.Source{{Name: "rec.jsonl", Open: open}}, recording.Options{Ahead: 1})
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(reader.Close)
	return traffic.Recorded(reader, nil)
}
