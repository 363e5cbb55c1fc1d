package lines

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A webhook counts as differing if it caused a difference, and not only because it was called.
func TestAtFault(t *testing.T) {
	mutation := func(round, index int) string {
		return fmt.Sprintf("mutation.webhook.admission.k8s.io/round_%d_index_%d", round, index)
	}
	text := func(said string) json.RawMessage {
		if said == "" {
			return nil
		}
		data, _ := json.Marshal(said)
		return data
	}
	called := func(webhook string, mutated bool) string {
		return fmt.Sprintf(`{"configuration":"c","webhook":%q,"mutated":%t}`, webhook, mutated)
	}
	noted := func(key, recorded, simulated string) Difference {
		return Difference{What: Webhooks, Path: key, Recorded: text(recorded), Simulated: text(simulated), Webhook: WebhookIn(key, recorded, simulated)}
	}
	denied := Difference{What: Allowed, Recorded: []byte("true"), Simulated: []byte("false"), Webhook: "c/down"}
	for _, tt := range []struct {
		reason      string
		webhooks    []string
		differences []Difference
		want        []string
	}{
		{"nothing is said of webhooks", []string{"c/a"}, []Difference{{What: Object, Path: "spec.x"}}, nil},
		{"it did something else", []string{"c/a", "c/b"}, []Difference{noted(mutation(0, 0), called("a", true), called("a", false))}, []string{"c/a"}},
		{"one more before it", []string{"c/new", "c/a"}, []Difference{
			noted(mutation(0, 0), called("a", true), called("new", false)), noted(mutation(0, 1), "", called("a", true)),
		}, []string{"c/new"}},
		{"not called any more", []string{"c/b"}, []Difference{
			noted(mutation(0, 0), called("a", false), called("b", true)), noted(mutation(0, 1), called("b", true), ""),
		}, []string{"c/a"}},
		{"admsim denies before it", []string{"c/down"}, []Difference{denied, noted(mutation(0, 1), called("a", true), "")}, []string{"c/down"}},
		{"a plugin of admsim denies before it", nil, []Difference{
			{What: Allowed, Recorded: []byte("true"), Simulated: []byte("false")}, noted(mutation(0, 0), called("a", true), ""),
		}, nil},
		{"the cluster denied before it", []string{"c/down", "c/a"}, []Difference{
			{What: Allowed, Recorded: []byte("false"), Simulated: []byte("true"), Webhook: "down"}, noted(mutation(0, 1), "", called("a", true)),
		}, []string{"c/down"}},
		{"called again, since another changed something", []string{"c/a", "c/b"}, []Difference{
			noted(mutation(0, 1), called("b", false), called("b", true)), noted(mutation(1, 0), "", called("a", false)),
		}, []string{"c/b"}},
		{"called again, and nobody knows why", []string{"c/a"}, []Difference{noted(mutation(1, 0), "", called("a", false))}, []string{"c/a"}},
		{"failed open, without the name of its configuration", []string{"c/a"}, []Difference{noted("failed-open."+mutation(0, 0), "a", "")}, []string{"c/a"}},
	} {
		l := Line{Webhooks: tt.webhooks, Differences: tt.differences}
		if diff := cmp.Diff(tt.want, l.atFault()); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.reason, diff)
		}
	}
}
