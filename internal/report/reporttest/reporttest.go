// Package reporttest provides results for the tests of formats: answers of a small cluster to pods, a suite with every
// kind of problem, and documents with a text in every field.
package reporttest

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"

	"github.com/admsim/admsim/internal/answer"
	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Answered is a request and its answer.
type Answered struct {
	Asked  world.Asked
	Result *simulator.Result
}

// Show converts it to the form that is shown.
func (a Answered) Show() (*document.Answer, error) {
	return answer.New(a.Asked, a.Result, document.Usual, nil)
}

// outcomes converts answers to those of the cases of suites.
func outcomes(answers []Answered) (all []outcome.Answer) {
	for _, a := range answers {
		all = append(all, outcome.Answer{Show: a.Show})
	}
	return all
}

// Answers returns the answers of the cluster of testdata/world.yaml to manifests.
func Answers(t testing.TB, manifests string, replaced ...string) (all []Answered) {
	t.Helper()
	cluster, err := os.ReadFile("../reporttest/testdata/world.yaml")
	if err != nil {
		t.Fatal(err)
	}
	cluster = []byte(strings.NewReplacer(replaced...).Replace(string(cluster)))
	o := scenario.Options{FS: fstest.MapFS{"world.yaml": {Data: cluster}, "requests.yaml": {Data: []byte(manifests)}}}
	found := must(t, scenario.Load, []string{"world.yaml"}, o)
	bag := must(t, scenario.Sort, found, o)
	release := kubeversion.Default()
	backends, err := backends.New(t.Context(), bag.Backends, backends.Options{Expressions: expression.New(release), Objects: bag.Objects})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(backends.Close)
	w, _, err := world.New(bag.Objects, world.Options{Release: release, Backends: backends.Backend, Controllers: true})
	if err != nil {
		t.Fatal(err)
	}
	requests, err := scenario.Requests(must(t, scenario.Load, []string{"requests.yaml"}, o), "create", o)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range requests {
		asked, err := w.Ask(w.Simulator(), r, scenario.Defaults{Namespace: "shop", User: authenticationv1.UserInfo{Username: "alice", Groups: []string{"devs"}}})
		if err != nil {
			t.Fatal(err)
		}
		result, err := asked.Answer(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Answered{asked, result})
	}
	return all
}

func must[A, B, C any](t testing.TB, do func(A, B) (C, error), a A, b B) C {
	t.Helper()
	c, err := do(a, b)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

const Pods = `apiVersion: v1
kind: Pod
metadata: {name: web}
spec: {containers: [{name: web, image: nginx}]}
---
apiVersion: v1
kind: Pod
metadata: {name: bad-web, labels: {slow: "true"}}
spec: {containers: [{name: web, image: nginx}]}
`

// Hostile is text that has a meaning in every format.
const Hostile = "a]]>\x00\x1b[31m</script><!--<script>alert('x')</script>--> # %0A ::error::\u2028 | `x` \\ ${{ y }} ⚠"

// Results returns the results of two suites, with everything that may happen in a suite.
func Results(t testing.TB) *outcome.Results { return ResultsSaying(t, Hostile) }

// ResultsSaying returns such results with a text in place of user-written texts.
func ResultsSaying(t testing.TB, hostile string) *outcome.Results {
	t.Helper()
	played := outcomes(Answers(t, Pods))
	at := func(line int) scenario.Source { return scenario.Source{File: "tests/pods.yaml", Line: line, Column: 3} }
	problem := func(line int, text, hint string) *scenario.Error {
		return &scenario.Error{Source: at(line), Message: text, Hint: hint}
	}
	return &outcome.Results{
		Took: 1500 * time.Millisecond,
		Suites: []outcome.Suite{{
			Name: "pods", Source: at(1), Took: 1400 * time.Millisecond,
			Problems: []*scenario.Error{problem(4, "no request needed the backend of \"a.example\"", "--allow-unused accepts it")},
			Warnings: []*scenario.Error{problem(5, "100% of\nthat", "")},
			Cases: []outcome.Case{
				{Suite: "pods", Name: "allowed", Source: at(10), Outcome: outcome.Passed, Answers: played[:1], Elapsed: 100 * time.Millisecond, Took: 3 * time.Millisecond},
				{
					Suite: "pods", Name: "denied[fault=timeout]", Source: at(20), Outcome: outcome.Failed, Took: 5 * time.Millisecond,
					Answers: played, Elapsed: 10 * time.Second,
					Failures: []outcome.Failure{
						{Source: at(23), Path: "expect.allowed", Want: "true", Got: "false", Hint: "images.shop.example denied it", Answer: 1},
						{Source: at(24), Path: "expect.object", Want: "metadata: {}", Got: hostile, Diff: "--- want\n+++ got\n@@ -1 +1 @@\n-a: 1\n+a: 2\n"},
						{Path: "expect.message", Want: "a\nb", Got: "c"},
					},
				},
				{Suite: "pods", Name: hostile, Source: at(30), Outcome: outcome.Errored, Err: scenario.Errors{problem(31, "no such file", ""), problem(32, hostile, "look again")}},
				{Suite: "pods", Name: "later", Source: at(40), Outcome: outcome.Skipped, Skip: "not yet # really"},
			},
		}, {
			Name: "broken", Source: scenario.Source{File: "tests/broken.yaml"}, Err: errors.New("the world has no namespaces"),
		}},
		Coverage: &outcome.Coverage{Items: []outcome.Covered{
			{Part: outcome.WebhookPart, Of: "defaults/owner.shop.example", Source: at(7), Times: 2},
			{Part: outcome.SelectorPart, Of: "defaults/mesh.shop.example", What: "namespaceSelector", Branch: "matched", Source: at(9)},
		}, Plugins: []outcome.PluginUse{{Name: "LimitRanger", Ran: 3}, {Name: "ServiceAccount", Ran: 3, Decided: 2}}},
	}
}
