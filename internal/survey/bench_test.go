package survey

import (
	"fmt"
	"runtime"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/simulator"
)

// BenchmarkDiff compares worlds with many webhooks, a tenth of which change. Each webhook has selectors over its own
// mixture of 8 labels. nodes is the size of the result.
func BenchmarkDiff(b *testing.B) {
	for _, webhooks := range []int{25, 50, 100, 200, 400} {
		b.Run(fmt.Sprintf("webhooks=%d", webhooks), func(b *testing.B) { benchmarkDiff(b, webhooks, 8) })
	}
	for _, labels := range []int{2, 4, 16, 32} {
		b.Run(fmt.Sprintf("webhooks=200/labels=%d", labels), func(b *testing.B) { benchmarkDiff(b, 200, labels) })
	}
}

func benchmarkDiff(b *testing.B, webhooks, labels int) {
	base, head := worldWith(b, webhooks, labels, false), worldWith(b, webhooks, labels, true)
	b.ReportAllocs()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for b.Loop() {
		d, err := Diff(&base, &head)
		if err != nil {
			b.Fatal(err)
		}
		changed := (webhooks + 9) / 10
		if len(d.Subjects) != changed || len(d.Same) != webhooks-changed {
			b.Fatalf("%d changed, %d are the same", len(d.Subjects), len(d.Same))
		}
	}
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.Sys)/(1<<20), "MiB-of-system")
}

// worldWith returns a cluster with so many webhooks. Each selects resources by rules, namespaces by half of its labels
// and objects by the other half; neighbors share labels.
func worldWith(t testing.TB, webhooks, labels int, changed bool) World {
	c := &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "many"}}
	c.APIVersion, c.Kind = "admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"
	for i := range webhooks {
		w := admissionregistrationv1.ValidatingWebhook{
			Name:              fmt.Sprintf("w%d.example.com", i),
			ClientConfig:      admissionregistrationv1.WebhookClientConfig{URL: new("https://example.com")},
			SideEffects:       new(admissionregistrationv1.SideEffectClassNone),
			MatchPolicy:       new(admissionregistrationv1.Equivalent),
			FailurePolicy:     new(admissionregistrationv1.Fail),
			NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
			AdmissionReviewVersions: []string{"v1"},
			Rules: []admissionregistrationv1.RuleWithOperations{{
				Operations: []admissionregistrationv1.OperationType{"CREATE", "UPDATE", "DELETE"},
				Rule: admissionregistrationv1.Rule{
					APIGroups: []string{[]string{"", "*", "*"}[i%3]}, APIVersions: []string{"*"},
					Resources: []string{[]string{"pods", "*", "deployments", "*/*"}[i%4], "services"},
				},
			}},
		}
		for l := range labels {
			r := metav1.LabelSelectorRequirement{Key: fmt.Sprintf("example.com/label-%d", (i*3+l)%(2*webhooks)), Operator: metav1.LabelSelectorOpIn, Values: []string{"a", "b", fmt.Sprint(i)}}
			switch (i + l) % 3 {
			case 0:
				r.Operator = metav1.LabelSelectorOpNotIn
			case 1:
				r.Operator, r.Values = metav1.LabelSelectorOpDoesNotExist, nil
			}
			if changed && i%10 == 0 && l == labels-1 {
				r.Operator, r.Values = metav1.LabelSelectorOpIn, []string{"c"}
			}
			to := &w.NamespaceSelector.MatchExpressions
			if l%2 == 1 {
				to = &w.ObjectSelector.MatchExpressions
			}
			*to = append(*to, r)
		}
		c.Webhooks = append(c.Webhooks, w)
	}
	sim, err := simulator.New(simulator.Options{State: cluster.New(cluster.Object{Object: c})})
	if err != nil {
		t.Fatal(err)
	}
	return NewWorld("many", sim, []string{"ValidatingAdmissionWebhook"})
}
