package matcher

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"

	"github.com/admsim/admsim/pkg/admission"
)

func TestCandidates(t *testing.T) {
	wide := ruleOf("*", "*", "*", "*/*")
	for i := range maxBuckets {
		wide.APIGroups = append(wide.APIGroups, fmt.Sprintf("group-%d", i))
	}
	hooks := []*Matcher{
		0: Compile(hookOf(ruleOf("CREATE", "", "v1", "pods"))),
		1: Compile(hookOf(ruleOf("UPDATE", "", "v1", "pods"))),
		2: Compile(hookOf(ruleOf("*", "*", "*", "*"))),
		3: Compile(hookOf(ruleOf("*", "*", "*", "*/*")).inNamespaces(selects("env", "prod"))),
		4: Compile(hookOf(ruleOf("*", "*", "*", "*/*")).inNamespaces(selects("env", "dev"))),
		5: Compile(hookOf(ruleOf("*", "*", "*", "*/*")).ofObjects(selectsBy("app", "In", "x", "y"))),
		6: Compile(hookOf(ruleOf("*", "example.com", "v1beta1", "widgets")).equivalent()),
		7: Compile(hookOf(ruleOf("*", "example.com", "v1beta1", "widgets"))),
		8: Compile(hookOf(scoped(ruleOf("*", "", "v1", "*"), "Cluster"))),
		9: Compile(hookOf(wide)),
	}
	w := worldOf(namespaceWith("shop", map[string]string{"env": "prod"}))
	withApp := func(r admission.Request, now, before string) admission.Request {
		r.Object, r.OldObject = podWith(map[string]string{"app": now}), podWith(map[string]string{"app": before})
		return r
	}
	for _, c := range []struct {
		reason  string
		request admission.Request
		want    []int
	}{
		{"by operation and label of the namespace", podRequest(admissionv1.Create, "shop"), []int{0, 2, 3, 9}},
		{"by subresource", onSubresource(podRequest(admissionv1.Create, "shop"), "binding"), []int{3, 9}},
		{"by label of the new object", withApp(podRequest(admissionv1.Update, "shop"), "x", "z"), []int{1, 2, 3, 5, 9}},
		{"by label of the old object", withApp(podRequest(admissionv1.Update, "shop"), "z", "y"), []int{1, 2, 3, 5, 9}},
		{"only once, although both objects have the label", withApp(podRequest(admissionv1.Update, "shop"), "x", "y"), []int{1, 2, 3, 5, 9}},
		{"a missing namespace may be a reason to refuse", podRequest(admissionv1.Create, "gone"), []int{0, 2, 3, 4, 9}},
		{"cluster-scoped objects are not exempted by labels",
			admission.Request{Operation: admissionv1.Create, Resource: gvr("", "v1", "nodes")}, []int{2, 3, 4, 8, 9}},
		{"equivalents count if the policy allows them", widgetRequest("v1"), []int{2, 3, 6, 9}},
		{"a direct match counts for both", widgetRequest("v1beta1"), []int{2, 3, 6, 7, 9}},
	} {
		if diff := cmp.Diff(c.want, NewIndex(hooks).Candidates(c.request, w)); diff != "" {
			t.Errorf("%s: Candidates(%s) (-want +got):\n%s", c.reason, requestText(c.request), diff)
		}
	}
}

// The cost of matching depends on the five hooks that match, not on the total number of hooks.
func BenchmarkMatch(b *testing.B) {
	w := worldOf(namespaceWith("shop", map[string]string{"env": "prod", "team": "a", "kubernetes.io/metadata.name": "shop"}))
	req := podRequest(admissionv1.Create, "shop")
	req.Object = podWith(map[string]string{"app": "x", "tier": "front"})
	for _, n := range []int{10, 100, 1000, 10000} {
		hooks := make([]*Matcher, n)
		for i := range hooks {
			hooks[i] = Compile(benchmarkHook(i, n))
		}
		index := NewIndex(hooks)
		b.Run(fmt.Sprintf("webhooks=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				matched := 0
				for _, i := range index.Candidates(req, w) {
					if hooks[i].Match(req, w).Applies {
						matched++
					}
				}
				if matched != 5 {
					b.Fatalf("%d hooks match, want 5", matched)
				}
			}
		})
	}
}

// benchmarkHook returns hook i of n. Five of them match the pod of the benchmark, the others each differ from it in one
// thing.
func benchmarkHook(i, n int) Criteria {
	if i%(n/5) == 0 {
		return hookOf(ruleOf("CREATE", "", "v1", "pods")).inNamespaces(selects("env", "prod")).equivalent()
	}
	other := fmt.Sprintf("other-%d", i)
	switch i % 7 {
	case 0:
		return hookOf(ruleOf("DELETE", "", "v1", "pods")).equivalent()
	case 1:
		return hookOf(ruleOf("CREATE", other, "v1", "pods")).equivalent()
	case 2:
		return hookOf(ruleOf("CREATE", "", "v1beta1", "pods")).equivalent()
	case 3:
		return hookOf(ruleOf("CREATE", "", "v1", other)).equivalent()
	case 4:
		return hookOf(ruleOf("CREATE", "", "v1", "pods")).inNamespaces(selects("env", other)).equivalent()
	case 5:
		return hookOf(ruleOf("CREATE", "", "v1", "pods")).ofObjects(selects("app", other)).equivalent()
	default:
		return hookOf(ruleOf("CREATE", "", "v1", "pods/status")).equivalent()
	}
}

// BenchmarkNewIndex measures the cost of reading a changed configuration.
func BenchmarkNewIndex(b *testing.B) {
	for _, n := range []int{10, 10000} {
		hooks := make([]*Matcher, n)
		for i := range hooks {
			hooks[i] = Compile(benchmarkHook(i, n))
		}
		b.Run(fmt.Sprintf("webhooks=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				NewIndex(hooks)
			}
		})
	}
}
