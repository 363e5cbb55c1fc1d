package scenario

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/pkg/dispatch"
)

// Who asked for a mock wants it used: answers that were never given are found, and a
// webhook that was never asked is one finding.
func TestUnused(t *testing.T) {
	found, err := load([]byte(`apiVersion: admsim.dev/v1alpha1
kind: Mocks
backends:
- webhook: a.shop.example
  mock:
  - {}
  - allowed: false
- webhook: config/b.*
  mock:
  - {}
  - {}
- webhook: "*.example"
  mock:
  - {}
`))
	if err != nil {
		t.Fatal(err)
	}
	bag, err := Sort(found, Options{})
	if err != nil {
		t.Fatal(err)
	}
	backends, err := NewBackends(bag.Mocks, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, webhook := range []string{"a.shop.example", "z.example"} {
		call := dispatch.Call{Configuration: "config", Webhook: webhook, Version: "v1", UID: "1"}
		if reply := backends.Backend("config", webhook).Call(t.Context(), call); reply.Err != nil {
			t.Fatal(reply.Err)
		}
	}
	want := `in.yaml:7: answer 2 of the mock of "a.shop.example" was never given
in.yaml:8: the mock of "config/b.*" was never asked
  hint: is this the name of a webhook, or configuration/name, and does one of the requests match it?`
	if diff := cmp.Diff(want, backends.Unused().Error()); diff != "" {
		t.Errorf("Unused (-want +got):\n%s", diff)
	}

	call := dispatch.Call{Configuration: "other", Webhook: "c.shop.test"}
	if reply := backends.Backend("other", "c.shop.test").Call(t.Context(), call); reply.Err == nil {
		t.Error("a webhook that no mock is for got an answer")
	}
}
