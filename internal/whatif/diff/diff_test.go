package diff_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic/traffictest"
	"github.com/admsim/admsim/internal/whatif/diff"
)

func TestDiffSame(t *testing.T) {
	a, b := traffictest.Read(t, traffictest.Mesh), traffictest.Read(t, traffictest.Mesh)
	got, err := diff.Run(context.Background(), a.Make, b.Make, traffictest.Corpus(t, traffictest.Reviews(200)), diff.Options{Jobs: 4})
	if err != nil {
		t.Fatal(err)
	}
	if got.Requests != 200 || got.Changed != 0 || len(got.Groups) != 0 {
		t.Errorf("the same world changes %d of %d requests: %+v", got.Changed, got.Requests, got.Groups)
	}
}

// The counts and samples are exact, and do not depend on how many requests run at once.
func TestDiffCounts(t *testing.T) {
	a := traffictest.Read(t, traffictest.Mesh)
	b := traffictest.Read(t, strings.NewReplacer(`endsWith("7")`, `endsWith("8")`, "proxy:1", "proxy:2").Replace(traffictest.Mesh))
	n := 400
	if testing.Short() {
		n = 100
	}
	var first *diff.Result
	for _, jobs := range []int{1, 4} {
		got, err := diff.Run(context.Background(), a.Make, b.Make, traffictest.Corpus(t, traffictest.Reviews(n)), diff.Options{Jobs: jobs})
		if err != nil {
			t.Fatal(err)
		}
		if first != nil {
			if diff := cmp.Diff(first, got); diff != "" {
				t.Errorf("with %d jobs (-1 job +%d jobs):\n%s", jobs, jobs, diff)
			}
			continue
		}
		first = got
		count := map[document.DiffChange]int{}
		for _, g := range got.Groups {
			count[g.Change] += g.Requests
			sum := 0
			for _, u := range g.Users {
				sum += u.Count
			}
			if sum != g.Requests {
				t.Errorf("%s %s: %d requests, and %d by user", g.Change, g.What, g.Requests, sum)
			}
		}
		want := map[document.DiffChange]int{
			document.NewlyDenied:  n / 10, // names that end in 8
			document.NewlyAllowed: n / 10, // names that end in 7
			// All other pods have another proxy: three in four of all requests, except those that end in 7 or 8, which
			// are pods or ConfigMaps.
			document.DifferentObject: n * 6 / 10,
		}
		if diff := cmp.Diff(want, count); diff != "" {
			t.Errorf("changes (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(want, got.ByChange); diff != "" { // each request is in one group per change
			t.Errorf("requests by change (-want +got):\n%s", diff)
		}
	}
}

// A request that changes in the same way for two reasons is in two groups, but is counted once.
func TestDiffCountsRequestsOnce(t *testing.T) {
	a := traffictest.Read(t, traffictest.Mesh)
	b := traffictest.Read(t, strings.NewReplacer("proxy:1", "proxy:2", `patch: [`, `patch: [{op: add, path: /metadata/labels/traffictest.Mesh, value: "on"}, `).Replace(traffictest.Mesh))
	got, err := diff.Run(context.Background(), a.Make, b.Make, traffictest.Corpus(t, traffictest.Reviews(4)), diff.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if n := got.ByChange[document.DifferentObject]; len(got.Groups) != 2 || n != 3 || n != got.Changed {
		t.Errorf("%d groups are of %d requests with another object, of %d that change", len(got.Groups), n, got.Changed)
	}
}

// A denial ends a request: it is no separate difference that further webhooks are not called, do not warn and take no
// time. What the world that denies has in addition is one.
func TestDiffOfDenied(t *testing.T) {
	asked := strings.Replace(traffictest.Mesh, "  - allowed: true", "  - {allowed: true, latency: 1s, warnings: [watch out]}", 1)
	denies := strings.Replace(asked, "patch: [{op: add, path: /spec/containers/-, value: {name: proxy, image: \"proxy:1\"}}]", "deny: {message: no sidecars}", 1)
	slow := strings.Replace(denies, "- deny: {message: no sidecars}", "- {deny: {message: no sidecars}, latency: 9s, warnings: [no more]}", 1)
	tests := []struct {
		base, head, reason string
		want               map[document.DiffChange]int
	}{
		{asked, denies, "only that it is denied", map[document.DiffChange]int{document.NewlyDenied: 3}},
		{denies, asked, "only that it is admitted", map[document.DiffChange]int{document.NewlyAllowed: 3}},
		{asked, slow, "the denial has a warning, and takes longer", map[document.DiffChange]int{document.NewlyDenied: 3, document.DifferentWarning: 3, document.DifferentLatency: 3}},
		{slow, asked, "the denial had a warning, and took longer", map[document.DiffChange]int{document.NewlyAllowed: 3, document.DifferentWarning: 3, document.DifferentLatency: 3}},
	}
	for _, tt := range tests {
		a, b := traffictest.Read(t, tt.base), traffictest.Read(t, tt.head)
		got, err := diff.Run(context.Background(), a.Make, b.Make, traffictest.Corpus(t, traffictest.Reviews(4)), diff.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got.ByChange); diff != "" {
			t.Errorf("%s: requests by change (-want +got):\n%s", tt.reason, diff)
		}
		var calls int // of all webhooks, including calls that were not made
		for _, c := range got.Calls {
			calls += c.Base - c.Head
		}
		if calls != 3 && calls != -3 {
			t.Errorf("%s: %d calls fewer in head, want 3 in one of the two: %v", tt.reason, calls, got.Calls)
		}
	}
}

func BenchmarkDiff(b *testing.B) {
	data := traffictest.Reviews(2000)
	for _, worlds := range []int{1, 2} {
		b.Run(fmt.Sprintf("worlds=%d", worlds), func(b *testing.B) {
			one, two := traffictest.Read(b, traffictest.Mesh), traffictest.Read(b, traffictest.Mesh)
			for b.Loop() {
				var err error
				if worlds == 1 {
					_, err = diff.Play(context.Background(), one.Make, traffictest.Corpus(b, data), 1)
				} else {
					_, err = diff.Run(context.Background(), one.Make, two.Make, traffictest.Corpus(b, data), diff.Options{Jobs: 1})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/2000, "ns/request")
		})
	}
}
