package pages

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

func TestBriefly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 613: "613ns", 779_613: "780µs", 10 * time.Millisecond: "10ms", 12_345_678: "12.3ms",
		2_018_244_532: "2.02s", 75_432 * time.Millisecond: "1m15.4s",
	} {
		if got := words.Briefly(d); got != want {
			t.Errorf("briefly(%d) = %s, want %s", d, got, want)
		}
	}
}

// The timeline has a mark for a call that took no time, and none for a webhook that was not called.
func TestTimelineMarksCallsWithoutTime(t *testing.T) {
	slow := report.Hook{Configuration: "a", Name: "slow", Outcome: string(trace.Allowed), Calls: []report.Call{{}}}
	slow.Duration.Duration = 30 * time.Millisecond
	quick := report.Hook{Configuration: "a", Name: "quick", Outcome: string(trace.Allowed), Calls: []report.Call{{}}}
	quick.Start.Duration = slow.Duration.Duration
	skipped := report.Hook{Configuration: "a", Name: "skipped", Outcome: string(trace.Skipped)}
	a := report.Admission{Elapsed: metav1.Duration{Duration: 40 * time.Millisecond}, Steps: []report.Step{{Phase: string(trace.Mutating), Hooks: []report.Hook{slow, quick, skipped}}}}
	c := chainView{axis: newAxis(a, 0, 0)}
	c.Phases = c.phases(a.Steps)
	var got []string
	for _, l := range c.timeline().Groups[0].Lanes {
		got = append(got, l.Name+" "+l.X+" "+l.Took)
	}
	want := []string{"a/slow 0% 30ms", "a/quick 75% 0s"}
	if len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("the lanes are %q, want %q", got, want)
	}
}
