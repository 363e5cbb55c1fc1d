package chain_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/trace"
)

// The first round calls a, b and never; the last of them must not be called again (W-002).
func TestReinvocation(t *testing.T) {
	const (
		unchanged = "not called again: nothing changed the object after it"
		never     = "not called again: its reinvocationPolicy is Never"
		late      = "not called in the second round: it did not apply in the first"
	)
	type round struct{ a, b, never bool } // who changes the object
	for _, tt := range []struct {
		reason string
		first  round
		others bool // whether other plugins change the object between the rounds
		second []string
		want   map[string]string // why each hook is not due; empty if it is
	}{
		{reason: "no hook makes itself or later hooks due (W-229)", first: round{a: true},
			want: map[string]string{"a": unchanged, "b": unchanged, "never": never, "late": late}},
		{reason: "a change makes earlier hooks due (W-218)", first: round{b: true},
			want: map[string]string{"a": "", "b": unchanged, "never": never, "late": late}},
		{reason: "so does a change by a hook that is not called again", first: round{never: true},
			want: map[string]string{"a": "", "b": "", "never": never, "late": late}},
		{reason: "a change by other plugins makes all due (W-222)", first: round{b: true}, others: true,
			want: map[string]string{"a": "", "b": "", "never": never, "late": late}},
		{reason: "a change in the second round makes hooks due, too (W-224)", first: round{b: true}, second: []string{"a"},
			want: map[string]string{"a": "", "b": "", "never": never, "late": late}},
	} {
		r := chain.NewReinvocation()
		r.Took(trace.Hook{ID: "a", Reinvocable: true, Calls: make([]trace.Call, 1)}, tt.first.a)
		r.Took(trace.Hook{ID: "b", Reinvocable: true}, tt.first.b)
		r.Took(trace.Hook{ID: "never"}, tt.first.never)
		if tt.others {
			r.Changed()
		}
		for _, id := range tt.second {
			r.Took(trace.Hook{ID: id, Reinvocable: true, Calls: make([]trace.Call, 1)}, true)
		}
		got := map[string]string{}
		for id := range tt.want {
			if got[id] = ""; !r.Due(id) {
				got[id] = r.Why(id, "called")
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
		if r.Calls("a") != 1 || r.Calls("late") != 0 {
			t.Errorf("%s: %d calls of a, %d of late, want 1, 0", tt.reason, r.Calls("a"), r.Calls("late"))
		}
	}
}

func TestFirstRound(t *testing.T) {
	var r *chain.Reinvocation
	r.Took(trace.Hook{ID: "a", Reinvocable: true}, true)
	if !r.Due("a") || !r.Due("b") {
		t.Error("in the first round a hook is not due")
	}
}
