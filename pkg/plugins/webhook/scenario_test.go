package webhook_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// TestScenarios runs testdata/*.txtar. The first lines of a file say which behaviour it shows; world.yaml is the
// cluster with its mocks, request.yaml the requests, and want what each webhook did, one line each, then the verdict.
// release is only present if it is not the newest.
func TestScenarios(t *testing.T) { golden.Folders(t, "testdata/*.txtar", play) }

// play returns the results of the requests in a scenario.
func play(t *testing.T, fs fstest.MapFS) string {
	t.Helper()
	o := scenario.Options{FS: fs}
	release := kubeversion.Default()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	if version, ok := fs["release"]; ok {
		var err error
		release, err = kubeversion.Parse(string(version.Data))
		check(err)
	}
	found, err := scenario.Load([]string{"world.yaml"}, o)
	check(err)
	bag, err := scenario.Sort(found, o)
	check(err)
	backends, err := backends.New(t.Context(), bag.Backends, backends.Options{Expressions: expression.New(release)})
	check(err)
	w, _, err := world.New(bag.Objects, world.Options{Release: release, Backends: backends.Backend, Controllers: true})
	check(err)
	sim := w.Simulator()

	sent, err := scenario.Load([]string{"request.yaml"}, o)
	check(err)
	requests, err := scenario.Requests(sent, "create", o)
	check(err)
	var b strings.Builder
	for _, r := range requests {
		req, err := r.API(sim.Resources(), scenario.Defaults{
			Namespace: "default",
			User:      authenticationv1.UserInfo{Username: "alice", Groups: []string{"system:masters"}},
		})
		check(err)
		result, err := sim.Do(context.Background(), req)
		check(err)
		fmt.Fprintf(&b, "%s %s\n", r.Verb, req.Resource.Resource)
		describe(&b, result)
		sim = result.Next
	}
	return b.String()
}

func describe(b *strings.Builder, result *simulator.Result) {
	for _, a := range result.Admissions {
		for _, s := range a.Steps {
			for _, h := range s.Hooks {
				fmt.Fprintf(b, "  %s r%d %s/%s %s, %d calls, %v: %s\n", s.Phase, s.Round, h.Configuration, h.Name, h.Outcome, len(h.Calls), h.Duration, h.Because)
			}
			if s.Outcome.Ends() && s.Decider() == nil {
				fmt.Fprintf(b, "  %s r%d %s %s: %s\n", s.Phase, s.Round, s.Plugin, s.Outcome, s.Because)
			}
		}
	}
	for _, w := range result.Warnings {
		fmt.Fprintf(b, "  warning: %s\n", w)
	}
	for _, k := range slices.Sorted(maps.Keys(result.AuditAnnotations)) {
		if !strings.HasPrefix(k, "pod-security") {
			fmt.Fprintf(b, "  audit %s = %s\n", k, result.AuditAnnotations[k])
		}
	}
	fmt.Fprintf(b, "  %d", result.Code)
	if s := result.Status(); s != nil {
		fmt.Fprintf(b, " %s: %s", s.Reason, s.Message)
	}
	b.WriteString("\n")
	for _, other := range result.Alternatives {
		_, h := other.Decider()
		fmt.Fprintf(b, "  or %d by %s/%s %s: %s\n", other.Code, h.Configuration, h.Name, other.Status().Reason, other.Status().Message)
	}
}
