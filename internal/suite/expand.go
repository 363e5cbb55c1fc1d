package suite

import (
	"context"
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/workload"
)

// expand asks for what the controllers would make of the workload in an answer, each in its
// turn. Nothing is made of what was denied. What nobody expects to be denied has to be
// admitted.
func (x *execution) expand(ctx context.Context, answer int, children map[string][]scenario.Expect, prefix string) error {
	seen := map[string]bool{}
	for parent := answer; ; {
		of := x.answers[parent]
		next, err := workload.Next(of.Result)
		if err != nil {
			return err
		}
		if next == nil {
			break
		}
		if parent, err = x.answer(ctx, next.Kind, of.Asked.Then(next.String(), next.Request, of.Result)); err != nil {
			return err
		}
		seen[next.Kind] = true
		x.checkChild(ctx, parent, next, children[next.Kind], prefix)
	}
	for _, kind := range sorted(children) {
		for _, e := range children[kind] {
			if !seen[kind] {
				c := &check{execution: x, answer: len(x.answers) - 1, expect: e, prefix: prefix + "." + kind}
				c.fail("", "a "+kind, "no request creates one").Hint = "its owner was denied, has no replicas, or is suspended"
			}
		}
	}
	return nil
}

func (x *execution) checkChild(ctx context.Context, answer int, c *workload.Child, expect []scenario.Expect, prefix string) {
	for _, e := range expect {
		x.check(ctx, answer, e, prefix+"."+c.Kind)
	}
	got := &check{execution: x, answer: answer, answered: x.answers[answer]}
	if len(expect) == 0 && !got.allowed() {
		status := got.statusOf()
		x.result.Failures = append(x.result.Failures, outcome.Failure{
			Source: x.of.Source, Path: prefix + "." + c.Kind, Want: "the " + c.Kind + " of " + c.By + " to be admitted",
			Got:  fmt.Sprintf("denied: %d %s by %s: %s", got.Result.Code, status.Reason, got.decider(), status.Message),
			Hint: "if that is so, say it: expect: {expand: {" + c.Kind + ": {allowed: false}}}", Answer: answer,
		})
	}
}
