package latency_test

import (
	"context"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif/latency"
	"github.com/admsim/admsim/internal/world"
)

func draw(t testing.TB, distribution string, jobs, samples int) *latency.Result {
	t.Helper()
	d, err := latency.ParseDistribution(distribution)
	if err != nil {
		t.Fatal(err)
	}
	w := traffictest.Read(t, traffictest.Mesh+traffictest.Pod)
	ask := func(of *world.World) (world.Asked, error) {
		return of.Ask(of.Simulator(), w.Bag.Requests[0], scenario.Defaults{})
	}
	got, err := latency.Run(context.Background(), w.Make, []latency.Question{{Ask: ask}}, latency.Options{
		Of:      func(configuration, _ string) (latency.Distribution, bool) { return d, configuration == "mesh" },
		Samples: samples, Jobs: jobs, Seed: 12,
	})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// If one webhook matters, the percentiles of the request are those of the webhook, within the stated bounds.
func TestLatencyPercentiles(t *testing.T) {
	if testing.Short() {
		t.Skip("draws many samples, one after the other")
	}
	got := draw(t, "p50:100ms,p99:1s", 1, 2000)
	for percent, want := range map[float64]time.Duration{50: 100 * time.Millisecond, 99: time.Second} {
		for _, p := range got.Total {
			if p.Percent == percent && (p.Low > want || p.High < want) {
				t.Errorf("p%g is %s, between %s and %s; the true one is %s", percent, p.Is, p.Low, p.High, want)
			}
		}
	}
	if got.Timeout.Of != 0 || got.Fails.Of != 0 {
		t.Errorf("timeouts %+v, failures %+v, want none", got.Timeout, got.Fails)
	}
}

// The probability of a timeout is that of the distribution: with p50 2 s and p90 10 s, a tenth is beyond the timeout of
// 10 s, and the webhook fails closed.
func TestLatencyTimeouts(t *testing.T) {
	if testing.Short() {
		t.Skip("draws many samples, one after the other")
	}
	got := draw(t, "p50:2s,p90:10s", 1, 2000)
	if got.Timeout.Low > 0.1 || got.Timeout.High < 0.1 || got.Fails != got.Timeout {
		t.Errorf("chance of a timeout %+v, of a failure %+v, want 10%% for both", got.Timeout, got.Fails)
	}
	if half := (got.Timeout.High - got.Timeout.Low) / 2; math.Abs(half-0.0131) > 0.002 {
		t.Errorf("the stated error is %.4f, want 0.0131", half)
	}
}

// The same seed gives the same result, however many samples are drawn concurrently.
func TestLatencySeed(t *testing.T) {
	if diff := cmp.Diff(draw(t, "p50:100ms,p99:1s", 1, 200), draw(t, "p50:100ms,p99:1s", 3, 200)); diff != "" {
		t.Errorf("1 job and 3 (-1 +3):\n%s", diff)
	}
}

// What a sample costs: the server's work for it is the same for all samples in which the same webhooks are too late.
func BenchmarkLatency(b *testing.B) {
	for _, distribution := range []string{"p50:10ms,p99:200ms", "p50:2s,p90:10s,fail:1%"} {
		b.Run("samples=1000/"+distribution, func(b *testing.B) {
			for b.Loop() {
				draw(b, distribution, 1, 1000)
			}
		})
	}
}

func TestParseDistribution(t *testing.T) {
	for _, text := range []string{"", "p50", "p50:x", "p0:1s", "p50:2s,p99:1s", "p50:1s,p50:2s", "q:1s", "fail:2", "max:-1s", "fail:1%"} {
		if _, err := latency.ParseDistribution(text); err == nil {
			t.Errorf("ParseDistribution(%q) has no error", text)
		}
	}
	for _, text := range []string{"10ms", "p50:10ms", "p99:1s,p50:10ms,max:3s", "p50:1s,fail:0.1%"} {
		if _, err := latency.ParseDistribution(text); err != nil {
			t.Errorf("ParseDistribution(%q): %v", text, err)
		}
	}
}
