package outage_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/admsim/admsim/internal/dependency"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/healing"
	"github.com/admsim/admsim/internal/whatif/outage"
	"github.com/admsim/admsim/internal/whatif/trouble"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// A cluster without webhooks admits everything that it needs to heal: the failures that outage shows are caused by
// webhooks.
func TestHealing(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh)
	for _, release := range []string{"1.26", "1.30", kubeversion.Default().Version} {
		w.Release = release
		empty, err := w.Make(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		needs, err := healing.Of(traffic.Dependencies(empty.Simulator()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := outage.Run(context.Background(), w.Make, needs.Corpus, nil, outage.Options{Objects: needs.Objects})
		if err != nil {
			t.Fatal(err)
		}
		if got.Denied.Requests+got.Undecided > 0 || got.Requests < 15 {
			t.Errorf("%s: of %d requests %d are denied, %d undecided: %+v %v", release, got.Requests, got.Denied.Requests, got.Undecided, got.Denied.Samples, got.Errors)
		}
	}
}

// A request that asks no webhook in trouble is not tried, because the result would be the same. Here everything is
// tried and counted.
func TestOutageSkips(t *testing.T) {
	ignored := strings.Replace(traffictest.Mesh, "- name: pods.guard.example", "- name: pods.guard.example\n  failurePolicy: Ignore", 1)
	for name, text := range map[string]string{"Fail": traffictest.Mesh, "Ignore": ignored} {
		w := traffictest.Read(t, text+neverAsked)
		var situations []trouble.Situation
		for _, hook := range traffic.Dependencies(w.Simulator()).Webhooks() {
			for _, mode := range []trouble.Mode{trouble.Down, trouble.Hang, trouble.Slow} {
				situations = append(situations, trouble.Situation{Troubles: []trouble.Webhook{{Webhook: hook, Mode: mode, Latency: time.Second}}})
			}
		}
		got, err := outage.Run(context.Background(), w.Make, traffictest.Corpus(t, traffictest.Reviews(40)), situations, outage.Options{Jobs: 2})
		if err != nil {
			t.Fatal(err)
		}
		usual := answers(t, w, trouble.Situation{})
		for i, s := range situations {
			var want [3]int // fail, unchecked, delayed
			for j, tried := range answers(t, w, s) {
				switch {
				case usual[j].Code >= 400:
				case tried.Code >= 400:
					want[0]++
				case failsOpen(tried):
					want[1]++
				case whatif.Elapsed(tried) > whatif.Elapsed(usual[j]):
					want[2]++
				}
			}
			o := got.Outages[i]
			if counts := [...]int{o.Fail.Requests, o.Unchecked.Requests, o.Delayed.Requests}; counts != want {
				t.Errorf("%s: %s %s: %v requests fail, pass unchecked, wait; want %v", name, s.Troubles[0].Webhook.Name, s.Troubles[0].Mode, counts, want)
			}
		}
	}
}

// The result does not depend on how many requests run at once.
func TestJobs(t *testing.T) {
	w := traffictest.Read(t, traffictest.Mesh)
	var situations []trouble.Situation
	for _, hook := range traffic.Dependencies(w.Simulator()).Webhooks() {
		situations = append(situations, trouble.Situation{Troubles: []trouble.Webhook{{Webhook: hook, Mode: trouble.Hang}}})
	}
	with := func(jobs int) *outage.Result {
		got, err := outage.Run(context.Background(), w.Make, traffictest.Corpus(t, traffictest.Reviews(60)), situations, outage.Options{Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if diff := cmp.Diff(with(1), with(4), cmpopts.IgnoreTypes(&dependency.Webhook{})); diff != "" {
		t.Errorf("with one job and four (-1 +4):\n%s", diff)
	}
}

const neverAsked = `---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: idle}
webhooks:
- name: jobs.idle.example
  clientConfig: {url: "https://idle.example/"}
  rules: [{operations: ["*"], apiGroups: [batch], apiVersions: [v1], resources: [jobs]}]
  sideEffects: None
  admissionReviewVersions: [v1]
`

// answers returns the answers to 40 reviews in a situation.
func answers(t *testing.T, w *traffictest.World, s trouble.Situation) (all []*simulator.Result) {
	t.Helper()
	in := func(on *world.CaseKey, _ func(world.Resolver) world.Resolver) (*world.World, error) {
		return w.Make(on, s.Change)
	}
	for a, err := range traffic.Answers(context.Background(), in, traffictest.Corpus(t, traffictest.Reviews(40)), scenario.Defaults{}, 1) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, a.Result)
	}
	return all
}

func failsOpen(r *simulator.Result) bool {
	return slices.ContainsFunc(r.Admissions[0].Steps, func(s trace.Step) bool {
		return slices.ContainsFunc(s.Hooks, func(h trace.Hook) bool { return h.Outcome == trace.FailedOpen })
	})
}

// BenchmarkOutage takes each of n webhooks down once while the cluster heals. All webhooks are asked about all pods and
// have pods of their own.
func BenchmarkOutage(b *testing.B) {
	for _, n := range []int{10, 40} {
		b.Run(fmt.Sprintf("webhooks=%d", n), func(b *testing.B) {
			var text strings.Builder
			for i := range n {
				fmt.Fprintf(&text, servedWebhook, i)
			}
			w := traffictest.Read(b, text.String())
			graph := traffic.Dependencies(w.Simulator())
			var situations []trouble.Situation
			for _, hook := range graph.Webhooks() {
				situations = append(situations, trouble.Situation{Troubles: []trouble.Webhook{{Webhook: hook, Mode: trouble.Down}}})
			}
			for b.Loop() {
				needs, err := healing.Of(graph)
				if err != nil {
					b.Fatal(err)
				}
				if _, err := outage.Run(context.Background(), w.Make, needs.Corpus, situations, outage.Options{Objects: needs.Objects}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

const servedWebhook = `---
apiVersion: v1
kind: Service
metadata: {name: hooks, namespace: team-%[1]d}
spec: {selector: {app: hooks}, ports: [{port: 443}]}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: hooks, namespace: team-%[1]d}
spec:
  selector: {matchLabels: {app: hooks}}
  template:
    metadata: {labels: {app: hooks}}
    spec: {containers: [{name: server, image: hooks}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: team-%[1]d}
webhooks:
- name: pods.team-%[1]d.example
  clientConfig: {service: {name: hooks, namespace: team-%[1]d}}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]
  sideEffects: None
  admissionReviewVersions: [v1]
`
