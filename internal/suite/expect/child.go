package expect

import (
	"context"
	"fmt"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/events"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// CheckChild compares the answer to the request of a controller, for an object of a kind, with what is expected of it.
// If nothing is expected, the request has to be admitted.
func (j *Judge) CheckChild(ctx context.Context, position int, a Answer, kind, controller string, expect []scenario.Expect, prefix string) {
	for _, e := range expect {
		j.Check(ctx, position, a, e, prefix+"."+kind)
	}
	if len(expect) == 0 && !a.Allowed() {
		status := a.status()
		j.Case.Failures = append(j.Case.Failures, outcome.Failure{
			Source: j.Case.Source, Path: prefix + "." + kind, Want: "the " + kind + " of " + controller + " to be admitted",
			Got:  fmt.Sprintf("denied: %d %s by %s: %s", a.Result.Code, status.Reason, events.DeciderOf(a.Result), status.Message),
			Hint: "if that is intended, say so: expect: {expand: {" + kind + ": {allowed: false}}}", Answer: position,
		})
	}
}

// NoChild adds a failure: something is expected of an object of a kind, but no request creates one.
func (j *Judge) NoChild(position int, kind string, e scenario.Expect, prefix string) {
	c := &check{Judge: j, position: position, expect: e, prefix: prefix + "." + kind}
	c.fail("", "a "+kind, "no request creates one").Hint = "its owner was denied, has no replicas, or is suspended"
}
