package latency

import (
	"context"
	"path"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/world"
)

// chains is a cluster whose webhooks ignore failures or not, are called again, hang, and take a known time.
const chains = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: m}
webhooks:
- {name: a.m.example, reinvocationPolicy: IfNeeded, failurePolicy: Ignore, timeoutSeconds: 9, $rest}
- {name: b.m.example, reinvocationPolicy: IfNeeded, failurePolicy: Ignore, $rest}
- {name: c.m.example, failurePolicy: Ignore, timeoutSeconds: 15, $rest}
- {name: d.m.example, failurePolicy: Ignore, timeoutSeconds: 3, $rest}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: v}
webhooks:
- {name: a.v.example, timeoutSeconds: 9, $rest}
- {name: b.v.example, failurePolicy: Ignore, $rest}
- {name: c.v.example, failurePolicy: Ignore, timeoutSeconds: 3, $rest}
---
apiVersion: admsim.dev/v1beta1
kind: Backends
backends:
- webhook: a.m.example
  mock: [{patch: [{op: add, path: /metadata/labels/a, value: "1"}]}]
- webhook: b.m.example
  mock: [{patch: [{op: add, path: /metadata/labels/b, value: "1"}]}]
- {webhook: c.m.example, mock: [{latency: 2s}]}
- {webhook: d.m.example, mock: [{fault: timeout}]}
- {webhook: a.v.example, mock: [{}]}
- {webhook: b.v.example, mock: [{latency: 20s}]}
- {webhook: c.v.example, mock: [{fault: refused}]}
`

const rest = `clientConfig: {service: {name: s, namespace: s}}, sideEffects: None, admissionReviewVersions: [v1],
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]`

// A course that is known comes to the same as the server's answer, and there are far fewer courses than samples.
func TestCourses(t *testing.T) {
	w := traffictest.Read(t, strings.ReplaceAll(chains, "$rest", rest)+traffictest.Pod)
	ask := func(of *world.World) (world.Asked, error) {
		return of.Ask(of.Simulator(), w.Bag.Requests[0], scenario.Defaults{})
	}
	const samples = 400
	for pattern, distribution := range map[string]string{
		"*":           "p50:10ms,p99:200ms,fail:2%",
		"a.*":         "p50:4s,p90:9s,fail:10%",
		"b.*":         "p50:10s,p90:12s",
		"c.*":         "p50:10s,p90:34s",
		"*.m.example": "p50:8s,p90:15s",
		"d.*":         "p50:1s,fail:20%",
		"b.m.example": "17s",
	} {
		d, err := ParseDistribution(distribution)
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Seed: 3, Of: func(_, webhook string) (Distribution, bool) {
			is, _ := path.Match(pattern, webhook)
			return d, is
		}}
		questions := []Question{{Ask: ask}}
		all := &draws{options: o}
		if questions, err = all.usual(context.Background(), w.Make, questions, &Result{}); err != nil {
			t.Fatal(err)
		}
		s, err := newSampler(w.Make, questions, o)
		if err != nil {
			t.Fatal(err)
		}
		learnt, courses := 0, all.courses[0]
		for s.sample = range samples {
			result, err := s.asked[0].Answer(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			want := drawOf(result)
			got, known := courses.follow(o.Seed, s.sample)
			if !known {
				courses.learn(o.Seed, s.sample, result, want)
				learnt++
				continue
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(draw{}, took{})); diff != "" {
				t.Fatalf("%s=%s: sample %d (-server +course):\n%s", pattern, distribution, s.sample, diff)
			}
		}
		if courses.unknown || learnt > samples/4 {
			t.Errorf("%s=%s: the server was needed for %d of %d samples (unknown: %t)", pattern, distribution, learnt, samples, courses.unknown)
		}
	}
}
