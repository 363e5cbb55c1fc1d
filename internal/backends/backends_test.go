package backends

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// declared reads documents of kind Backends.
func declared(t *testing.T, text string) scenario.Backends {
	t.Helper()
	o := scenario.Options{FS: fstest.MapFS{"in.yaml": {Data: []byte(text)}}}
	found, err := scenario.Load([]string{"in.yaml"}, o)
	if err != nil {
		t.Fatal(err)
	}
	bag, err := scenario.Sort(found, o)
	if err != nil {
		t.Fatal(err)
	}
	return bag.Backends
}

// Answers that cannot be given, and conditions that do not compile, are found before anything runs.
func TestNotReady(t *testing.T) {
	_, err := New(t.Context(), declared(t, `apiVersion: admsim.dev/v1alpha1
kind: Backends
backends:
- webhook: a.shop.example
  mock:
  - response: {patch: {a: b}}
  - {}
  - when: object.metadata.name = "a"
  - when: request.colour == "a"
`), Options{Expressions: expression.New(kubeversion.Default())})
	want := `in.yaml:6: backends[0].mock[0].response: patch: want a list of operations
in.yaml:8: backends[0].mock[2].when: compilation failed: ERROR: in.yaml:8:32: Syntax error: token recognition error at: '= '
 |   - when: object.metadata.name = "a"
 | ...............................^
ERROR: in.yaml:8:34: Syntax error: extraneous input '"a"' expecting <EOF>
 |   - when: object.metadata.name = "a"
 | .................................^
  hint: CEL compares with ==
in.yaml:9: backends[0].mock[3].when: compilation failed: ERROR: in.yaml:9:18: undefined field 'colour'
 |   - when: request.colour == "a"
 | .................^
  hint: request has the fields dryRun, kind, name, namespace, operation, options, requestKind, requestResource, requestSubResource, resource, subResource, userInfo`
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("New (-want +got):\n%s", diff)
	}
}

// Mocks are meant to be used: answers that were never given are found. Answers with conditions, and answers for when no
// condition holds, are only included if that is requested. For a webhook that was never called only its backend is
// reported, and a webhook that does not exist is a separate error.
func TestUnused(t *testing.T) {
	backends, err := New(t.Context(), declared(t, `apiVersion: admsim.dev/v1alpha1
kind: Backends
backends:
- webhook: a.shop.example
  mock:
  - {}
  - allowed: false
- webhook: "conditional.*"
  mock:
  - when: "false"
  - {}
  - {}
  - when: "true"
- webhook: config/b.*
  mock:
  - {}
  - {}
- webhook: "*.example"
  mock:
  - {}
- webhook: config/unasked.shp.example
  mock:
  - {}
- webhook: gadgets.shop.example/conversion
  mock:
  - {}
`), Options{Expressions: expression.New(kubeversion.Default())})
	if err != nil {
		t.Fatal(err)
	}
	defer backends.Close()
	for _, webhook := range []string{"a.shop.example", "conditional.test", "z.example"} {
		call := dispatch.Call{Configuration: "config", Webhook: webhook, Version: "v1", UID: "1", Review: &dispatch.Review{}}
		if reply := backends.Backend("config", webhook).Call(t.Context(), call); reply.Err != nil {
			t.Fatal(reply.Err)
		}
	}
	sim, err := simulator.New(simulator.Options{State: cluster.New(cluster.Object{Object: &admissionregistrationv1.ValidatingWebhookConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "admissionregistration.k8s.io/v1", Kind: "ValidatingWebhookConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: "config"},
		Webhooks:   []admissionregistrationv1.ValidatingWebhook{{Name: "b.shop.example"}, {Name: "unasked.shop.example"}},
	}})})
	if err != nil {
		t.Fatal(err)
	}

	unused := backends.Unused(false, sim)
	want := `in.yaml:21: this backend is for webhook "config/unasked.shp.example", but no webhook has that name
  hint: did you mean "config/unasked.shop.example"? --allow-unused accepts it
in.yaml:24: this backend is for webhook "gadgets.shop.example/conversion", but no webhook has that name
  hint: want the name of a webhook, or configuration/name, such as config/b.shop.example; --allow-unused accepts it`
	if diff := cmp.Diff(want, unused.Misnamed.Error()); diff != "" {
		t.Errorf("Misnamed (-want +got):\n%s", diff)
	}
	if len(unused.NotAsked) != 1 || unused.NotAsked[0].Webhook != "config/b.*" {
		t.Errorf("NotAsked = %v, want config/b.*", unused.NotAsked)
	}
	second := `in.yaml:7: answer 2 of the mock of "a.shop.example" was never given
  hint: it is for call 2 of the webhook within one request: send a request that leads to that many, or drop it; --allow-unused accepts it`
	if diff := cmp.Diff(second, unused.NotGiven.Error()); diff != "" {
		t.Errorf("NotGiven (-want +got):\n%s", diff)
	}
	want = second + `
in.yaml:10: answer 1 of the mock of "conditional.*" was never given
  hint: send a request for which its when is true, or drop it; --allow-unused accepts it
in.yaml:11: answer 2 of the mock of "conditional.*" was never given
  hint: send a request for which no when of the mock is true, or drop it; --allow-unused accepts it
in.yaml:12: answer 3 of the mock of "conditional.*" was never given
  hint: it is for call 2 of the webhook within one request: send a request that leads to that many, or drop it; --allow-unused accepts it`
	if diff := cmp.Diff(want, backends.Unused(true, sim).NotGiven.Error()); diff != "" {
		t.Errorf("NotGiven, conditional ones too (-want +got):\n%s", diff)
	}

	call := dispatch.Call{Configuration: "other", Webhook: "c.shop.test"}
	if reply := backends.Backend("other", "c.shop.test").Call(t.Context(), call); reply.Err == nil {
		t.Error("a webhook without a mock got an answer")
	}
}
