package latency

import (
	"context"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

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
  mock: [{patch: [{op: add, path: /metadata/labels, value: {a: "1"}}]}]
- webhook: b.m.example
  mock: [{patch: [{op: replace, path: /spec/terminationGracePeriodSeconds, value: 7}]}]
- {webhook: c.m.example, mock: [{latency: 2s}]}
- {webhook: d.m.example, mock: [{fault: timeout}]}
- {webhook: a.v.example, mock: [{}]}
- {webhook: b.v.example, mock: [{latency: 20s}]}
- {webhook: c.v.example, mock: [{fault: refused}]}
`

const rest = `clientConfig: {service: {name: s, namespace: s}}, sideEffects: None, admissionReviewVersions: [v1],
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [pods]}]`

// counted is a cluster that counts pods with a request of its own, which the webhooks for pods are called for, too.
const counted = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: q, namespace: shop}
spec: {hard: {pods: 9}}
status: {hard: {pods: 9}, used: {pods: 0}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: m}
webhooks:
- {name: a.m.example, failurePolicy: Ignore, $all}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: v}
webhooks:
- {name: a.v.example, $all}
- {name: b.v.example, failurePolicy: Ignore, $all}
---
apiVersion: admsim.dev/v1beta1
kind: Backends
backends:
- {webhook: a.m.example, mock: [{}]}
- {webhook: a.v.example, mock: [{}]}
- {webhook: b.v.example, mock: [{}]}
`

const all = `clientConfig: {service: {name: s, namespace: s}}, sideEffects: None, admissionReviewVersions: [v1],
  rules: [{operations: ["*"], apiGroups: ["", networking.k8s.io], apiVersions: [v1], resources: [pods, resourcequotas/status, services, ipaddresses]}]`

// service gets an address, for which the server sends a request to itself before the webhooks are called for the service.
const service = `
---
apiVersion: admsim.dev/v1beta1
kind: Request
object: {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}
`

// converted is a cluster that converts custom resources for a webhook, and to store them.
const converted = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: gadgets, singular: gadget, kind: Gadget, listKind: GadgetList}
  conversion:
    strategy: Webhook
    webhook:
      conversionReviewVersions: [v1]
      clientConfig: {service: {namespace: shop, name: gadgets, path: /convert}}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: v}
webhooks:
- name: v1.shop.example
  clientConfig: {service: {namespace: shop, name: v1}}
  rules: [{operations: [CREATE], apiGroups: [shop.example], apiVersions: [v1], resources: [gadgets]}]
  sideEffects: None
  admissionReviewVersions: [v1]
---
apiVersion: admsim.dev/v1beta1
kind: Backends
backends:
- {webhook: gadgets.shop.example/conversion, mock: [{convert: apiVersionOnly}]}
- {webhook: v1.shop.example, mock: [{}]}
---
apiVersion: admsim.dev/v1beta1
kind: Request
object: {apiVersion: shop.example/v1beta1, kind: Gadget, metadata: {name: g, namespace: shop}}
`

// worldOf returns a world with a request, and what answers it.
func worldOf(t *testing.T, text string) (world.Maker, Question) {
	w := traffictest.Read(t, strings.NewReplacer("$rest", rest, "$all", all).Replace(text))
	return w.Make, Question{Ask: func(of *world.World) (world.Asked, error) {
		return of.Ask(of.Simulator(), w.Bag.Requests[0], scenario.Defaults{})
	}}
}

// samplerOf returns what answers the request of a world if webhooks take as long as a distribution says.
func samplerOf(t *testing.T, text, pattern, distribution string) (*sampler, *courses) {
	t.Helper()
	d, err := ParseDistribution(distribution)
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Seed: 3, Of: func(_, webhook string) (Distribution, bool) {
		is, _ := path.Match(pattern, webhook)
		return d, is
	}}
	maker, question := worldOf(t, text)
	found := &draws{options: o}
	questions, err := found.usual(context.Background(), maker, []Question{question}, &Result{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSampler(maker, questions, o)
	if err != nil {
		t.Fatal(err)
	}
	return s, found.courses[0]
}

// A course that is known comes to the same as the server's answer, and there are far fewer courses than samples.
func TestCourses(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	const samples = 400
	for _, of := range []struct {
		world, pattern, distribution string
		server                       bool // answers all samples
	}{
		{world: chains, pattern: "*", distribution: "p50:10ms,p99:200ms,fail:2%"},
		{world: chains, pattern: "a.*", distribution: "p50:4s,p90:9s,fail:10%"},
		{world: chains, pattern: "b.*", distribution: "p50:10s,p90:12s"},
		{world: chains, pattern: "c.*", distribution: "p50:10s,p90:34s"},
		{world: chains, pattern: "*.m.example", distribution: "p50:8s,p90:15s"},
		{world: chains, pattern: "d.*", distribution: "p50:1s,fail:20%"},
		{world: chains, pattern: "b.m.example", distribution: "17s"},
		{world: counted + traffictest.Pod, pattern: "*", distribution: "p50:10ms,p99:200ms"},
		{world: counted + traffictest.Pod, pattern: "*", distribution: "p50:1s,p90:6s,fail:1%"},
		{world: counted + traffictest.Pod, pattern: "a.m.*", distribution: "p50:6s,p90:12s,fail:1%"},
		{world: counted + service, pattern: "*", distribution: "p50:10ms,p99:200ms", server: true},
		{world: counted + service, pattern: "none", distribution: "p50:10ms,p99:200ms"},
		{world: converted, pattern: "*", distribution: "p50:10ms,p99:200ms", server: true},
		{world: converted, pattern: "v1.*", distribution: "p50:10ms,p99:200ms"},
	} {
		if of.world == chains {
			of.world += traffictest.Pod
		}
		s, courses := samplerOf(t, of.world, of.pattern, of.distribution)
		learnt := 0
		for i := range samples {
			result, err := s.answer(context.Background(), i)
			if err != nil {
				t.Fatal(err)
			}
			want := sampledOf(result)
			got, known := courses.follow(s.options.Seed, i)
			if !known {
				courses.learn(s.options.Seed, i, result, want)
				learnt++
				continue
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(sampled{}, callTime{})); diff != "" {
				t.Fatalf("%s=%s: sample %d (-server +course):\n%s", of.pattern, of.distribution, i, diff)
			}
		}
		if courses.unknown != of.server || !of.server && learnt > samples/4 {
			t.Errorf("%s=%s: the server was needed for %d of %d samples (unknown: %t)", of.pattern, of.distribution, learnt, samples, courses.unknown)
		}
	}
}

// A wrong course is found by later samples, and the server then answers those that were added up before.
func TestCoursesCompared(t *testing.T) {
	s, learnt := samplerOf(t, chains+traffictest.Pod, "*", "p50:10ms,p99:200ms")
	const samples = 3 * compareEvery
	into := &draws{courses: []*courses{learnt}, one: make([]sampled, samples), added: make([]bool, samples)}
	first := make([]int, samples-1)
	for i := range first {
		first[i] = i
	}
	if err := s.draw(context.Background(), into, first[:compareEvery]); err != nil {
		t.Fatal(err)
	}
	for p := learnt.start; p != nil; {
		if p.end != nil {
			p.end.total += time.Second
		}
		following := (*point)(nil)
		for _, next := range p.next {
			following = next
		}
		p = following
	}
	if err := s.draw(context.Background(), into, first[compareEvery:]); err != nil {
		t.Fatal(err)
	}
	if again := into.doubtful(); !learnt.unknown || len(again) < compareEvery/2 || slices.Contains(again, compareEvery) {
		t.Errorf("unknown: %t, answered again: %v", learnt.unknown, again)
	}
}

// Every call of a webhook has a latency of its own, also for requests that the server sends to itself and conversions.
func TestCallsDiffer(t *testing.T) {
	for name, text := range map[string]string{"counted": counted + traffictest.Pod, "converted": converted} {
		s, _ := samplerOf(t, text, "*", "p50:10ms,p99:200ms")
		result, err := s.answer(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		took := map[string]map[time.Duration]int{}
		calls := map[string]int{}
		for _, step := range result.Admissions[0].Steps {
			for _, h := range step.Hooks {
				if !h.Called {
					continue
				}
				if took[h.Name] == nil {
					took[h.Name] = map[time.Duration]int{}
				}
				took[h.Name][h.Duration]++
				calls[h.Name]++
			}
		}
		twice := 0
		for hook, times := range took {
			if calls[hook] > 1 {
				twice++
			}
			if len(times) != calls[hook] {
				t.Errorf("%s: %d calls of %s took %v", name, calls[hook], hook, times)
			}
		}
		if twice == 0 {
			t.Errorf("%s: no webhook is called twice", name)
		}
	}
}

// A webhook that refuses connections is not late, however long that takes.
func TestRefusedIsNotLate(t *testing.T) {
	s, _ := samplerOf(t, chains+traffictest.Pod, "c.v.*", "p50:1s,max:2s")
	result, err := s.answer(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range sampledOf(result).calls {
		if c.by.Name == "c.v.example" && (c.time == 0 || c.timedOut) {
			t.Errorf("%s took %s, timed out: %t", c.by.Name, c.time, c.timedOut)
		}
		if c.by.Name == "d.m.example" && !c.timedOut {
			t.Errorf("%s hangs, but is not late", c.by.Name)
		}
	}
}

// A request that sets a limit has no more time than that.
func TestLimit(t *testing.T) {
	limited := strings.Replace(chains+traffictest.Pod, "kind: Request\n", "kind: Request\nverb: create\nquery: {timeout: 5s}\n", 1)
	maker, question := worldOf(t, limited)
	_, usual := worldOf(t, chains+traffictest.Pod)
	of, err := ParseDistribution("4s")
	if err != nil {
		t.Fatal(err)
	}
	o := Options{Samples: 4, Of: func(_, webhook string) (Distribution, bool) { return of, strings.HasPrefix(webhook, "a.") }}
	for _, one := range []struct {
		questions []Question
		limit     time.Duration
		over      int
	}{
		{[]Question{question}, 5 * time.Second, 1},
		{[]Question{usual}, 34 * time.Second, 0},
		{[]Question{question, usual}, 0, 1},
	} {
		r, err := Run(context.Background(), maker, one.questions, o)
		if err != nil {
			t.Fatal(err)
		}
		if r.Limit != one.limit || r.Over.Of != one.over {
			t.Errorf("limit %s, over %+v; want %s, %d (%v, %+v)", r.Limit, r.Over, one.limit, one.over, r.Total, r.Webhooks)
		}
	}
}
