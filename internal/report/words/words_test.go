package words_test

import (
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

func TestBriefly(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0:                                 "0s",
		999:                               "999ns",
		1234:                              "1.23µs",
		12345:                             "12.3µs",
		123456:                            "123µs",
		1999 * time.Microsecond:           "2ms",
		1234567 * time.Microsecond:        "1.23s",
		12345 * time.Millisecond:          "12.3s",
		2*time.Minute + 1500*1000*1000:    "2m2s",
		100*time.Second + 4*1000*1000*100: "1m40s",
	} {
		if got := words.Briefly(d); got != want {
			t.Errorf("Briefly(%d) = %s, want %s", d, got, want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{words.Plural(1, "webhook"), "1 webhook"},
		{words.Plural(0, "webhook"), "0 webhooks"},
		{words.Plural(12345, "webhook"), "12,345 webhooks"},
		{words.Thousands(-1234567), "-1,234,567"},
		{words.Thousands(-123), "-123"},
		{words.Signed(1000), "+1,000"},
		{words.Signed(-1), "-1"},
		{words.AreCounted(1, "is left", "are left"), "1 is left"},
		{words.AreCounted(1000, "is left", "are left"), "1,000 are left"},
		{words.PluralVerb(1, "are denied"), "is denied"},
		{words.PluralVerb(2, "are denied"), "are denied"},
		{words.PluralVerb(1, "pass"), "passes"},
		{words.PluralVerb(1, "change by chance"), "changes by chance"},
		{words.Percent(1999, 2000), "99.95"},
		{words.Percent(2, 3), "66.66"},
		{words.Shorten("short", 30), "short"},
		{words.Shorten("äöüäöüäöüäöüäöüäöüäöüäöü", 22), "äö... (24 characters)"},
		{words.OneLine(" a\n\tb  c\u00a0d "), "a b c\u00a0d"},
		{words.Join("", "b") + words.Join("a", "b"), "ba, b"},
		{words.NameOf("policy", "") + words.OrNone(""), "policy(none)"},
		{words.OrNothing("") + words.OrNothing("value"), "nothingvalue"},
		{words.Summary([]string{"A", "B"}, 1), "allowed by A, B; 1 plugin had nothing to do"},
		{words.Summary(nil, 0), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%q, want %q", tt.got, tt.want)
		}
	}
}

func TestByCount(t *testing.T) {
	counts := map[string]int{"b": 2, "a": 2, "c": 3, "d": 0}
	if got, want := words.ByCount(counts, func(n int) int { return n }), []string{"c", "a", "b", "d"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestRequestTitle(t *testing.T) {
	for _, tt := range []struct {
		request report.Request
		want    string
	}{
		{report.Request{Verb: "create", Resource: metav1.GroupVersionResource{Resource: "pods"}, Namespace: "shop"}, "create pods in shop"},
		{report.Request{Verb: "update", Resource: metav1.GroupVersionResource{Group: "apps", Resource: "deployments"}, Subresource: "scale", Namespace: "shop", Name: "web"}, "update deployments.apps/scale shop/web"},
		{report.Request{Verb: "delete", Resource: metav1.GroupVersionResource{Resource: "nodes"}, Name: "n1", DryRun: true}, "delete nodes n1 (dry run)"},
	} {
		if got := words.RequestTitle(tt.request); got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestApart(t *testing.T) {
	changes := []report.Change{{Path: "/metadata/managedFields/0/time"}, {Path: "/metadata/labels/a"}, {Path: "/metadata/managedFields/1"}, {Path: "/metadata/uid"}, {Path: "/uid"}}
	rest, about := words.Apart(changes)
	if len(rest) != 2 || rest[0].Path != "/metadata/labels/a" || rest[1].Path != "/uid" || !slices.Equal(about, []string{"managedFields", "uid"}) {
		t.Errorf("Apart = %v, %q", rest, about)
	}
}

func TestQuiet(t *testing.T) {
	for _, tt := range []struct {
		step report.Step
		want bool
	}{
		{report.Step{Outcome: "allowed"}, true},
		{report.Step{Outcome: "skipped"}, true},
		{report.Step{Outcome: "changed"}, false},
		{report.Step{Outcome: "allowed", Warnings: []string{"w"}}, false},
		{report.Step{Outcome: "allowed", Hooks: make([]report.Hook, 1)}, false},
		{report.Step{Phase: "server", Outcome: "skipped", Because: "admission starts again"}, false},
	} {
		if got := words.Quiet(tt.step); got != tt.want {
			t.Errorf("Quiet(%+v) = %v", tt.step, got)
		}
	}
}

func TestFew(t *testing.T) {
	all := []string{"a", "b", "c", "d", "e", "f", "g"}
	for n, want := range map[int]string{0: "", 1: "a", 6: "a, b, c, d, e, f", 7: "a, b, c, d, e and 2 more"} {
		if got := words.Few(all[:n]); got != want {
			t.Errorf("Few(%v) = %q, want %q", all[:n], got, want)
		}
	}
}
