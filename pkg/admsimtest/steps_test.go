package admsimtest_test

import (
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admsimtest"
)

func workers(namespace, n string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: namespace}, Data: map[string]string{"workers": n}}
}

// Violations of a policy can be checked whatever its bindings do about them.
func TestPolicies(t *testing.T) {
	c := admsimtest.New(t, admsimtest.Options{Manifests: []string{"testdata/policies"}})
	c.Create(workers("default", "9"), admsimtest.DryRun()).Admitted().
		Warned("too many workers").Violates("workers", "too many").Skipped("workers/deny", "no label env")
	c.Create(workers("prod", "0"), admsimtest.DryRun()).DeniedByPolicy("workers/deny").Violates("workers", "no workers")
	c.Create(workers("prod", "4"), admsimtest.DryRun()).Admitted().Satisfies("workers").Called("workers/deny")
	c.Create(workers("nowhere", "4")).Denied("not found").DeniedByPlugin("NamespaceLifecycle").NotCalled("workers")
}

// Manifests written by kustomize contain more than admission needs.
func TestKustomized(t *testing.T) {
	o := options()
	o.Manifests, o.Webhooks, o.AllowUnknown = []string{"testdata/kustomized"}, nil, true
	c := admsimtest.New(t, o)
	c.Create(settings("bad")).DeniedByWebhook("shop-validating-webhook-configuration/names.shop.example")
	own := settings("bad")
	own.Namespace = "shop-system"
	c.Create(own).Admitted().Skipped("names.shop.example", "namespaceSelector").NotCalled("names.shop.example")
}

func TestObject(t *testing.T) {
	c := admsimtest.New(t, options())
	want := settings("a")
	want.Labels = map[string]string{"owner": "shop"}
	c.Create(settings("a")).Equals(want).Contains(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Labels: want.Labels}})
	c.Get(settings("a")).Equals(want)
	c.Get(settings("b")).Denied("not found")
}

// The names of webhooks and policies that the request itself creates or deletes are known.
func TestNamesChange(t *testing.T) {
	c := admsimtest.New(t, admsimtest.Options{Manifests: []string{"testdata/policies"}})
	created := c.Run("testdata/webhook/manifests.yaml")
	created[len(created)-1].Admitted().NotCalled("names.shop.example")
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: metav1.ObjectMeta{Name: "deny"}}
	c.Delete(binding).Admitted().NotCalled("workers/deny")
}

// A request that a webhook received in a real cluster goes through the chain unchanged.
func TestReview(t *testing.T) {
	c := admsimtest.New(t, options())
	c.Review([]byte(`{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"request": {
			"uid": "1", "operation": "CREATE", "namespace": "default", "name": "bad",
			"kind": {"group": "", "version": "v1", "kind": "ConfigMap"},
			"resource": {"group": "", "version": "v1", "resource": "configmaps"},
			"userInfo": {"username": "alice"},
			"object": {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "bad", "namespace": "default"}}
		}
	}`)).DeniedByWebhook("names.shop.example")
}

func TestStepFailures(t *testing.T) {
	f := &failing{TB: t}
	c := admsimtest.New(f, admsimtest.Options{Manifests: []string{"testdata/policies"}})
	ask := func(namespace, n string) *admsimtest.Result {
		return c.Create(workers(namespace, n), admsimtest.DryRun())
	}
	for _, tt := range []struct {
		want  string
		check func()
	}{
		{"not by the policy other", func() { ask("prod", "9").DeniedByPolicy("other") }},
		{"not by the plugin PodSecurity", func() { ask("prod", "9").DeniedByPlugin("PodSecurity") }},
		{"workers/deny was not called: matchResources of the binding: namespaceSelector", func() { ask("default", "4").Called("workers/deny") }},
		{"no webhook or policy \"wokers\"; did you mean \"workers\"?", func() { ask("default", "4").Called("wokers") }},
		{"no webhook or policy \"workers/wran\"; did you mean \"workers/warn\"?", func() { ask("default", "4").NotCalled("workers/wran") }},
		{"no webhook or policy \"wokers\"", func() { ask("default", "4").Calls("wokers") }},
		{"workers was called", func() { ask("default", "4").NotCalled("workers") }},
		{"for another reason than \"objectSelector\"", func() { ask("default", "4").Skipped("workers/deny", "objectSelector") }},
		{"does not violate the policy workers", func() { ask("default", "4").Violates("workers") }},
		{"violates the policy workers: [\"too many workers\"", func() { ask("default", "9").Satisfies("workers") }},
		{"- \"data\": map[string]any{\"workers\": string(\"5\")}, + \"data\": map[string]any{\"workers\": string(\"4\")},", func() { ask("default", "4").Equals(workers("default", "5")) }},
		{"string(\"5\")", func() { ask("default", "4").Contains(workers("default", "5")) }},
	} {
		f.said = nil
		tt.check()
		said := strings.Join(f.said, "\n")
		// go-cmp uses spaces that tests must not depend on.
		words := strings.Join(strings.Fields(strings.ReplaceAll(said, "\u00a0", " ")), " ")
		if !strings.Contains(words, tt.want) || !strings.Contains(said, "ValidatingAdmissionPolicy") {
			t.Errorf("a failing check said %q, want %q and the trace", said, tt.want)
		}
	}
}

// BenchmarkNew shows that the cluster of a test is created in far less than 100 ms.
func BenchmarkNew(b *testing.B) {
	for b.Loop() {
		admsimtest.New(b, options())
	}
}
