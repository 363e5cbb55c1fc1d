package suite

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// A check compares one answer with one expectation.
type check struct {
	*execution
	answer int
	answered
	expect scenario.Expect
	prefix string // the path of expect in its case
}

// check compares an answer with what is expected, and notes what is not so.
func (x *execution) check(ctx context.Context, answer int, e scenario.Expect, prefix string) {
	c := &check{execution: x, answer: answer, answered: x.answers[answer], expect: e, prefix: prefix}
	if c.verdict() {
		c.status()
		c.deniedBy()
		c.object(ctx)
	}
	c.warnings()
	c.auditAnnotations()
	c.trace()
	c.state()
}

// fail notes that the expectation at path does not hold.
func (c *check) fail(path, want, got string) *outcome.Failure {
	f := outcome.Failure{Source: c.expect.Position(path), Path: strings.TrimSuffix(c.prefix+"."+path, "."), Want: want, Got: got, Answer: c.answer}
	c.result.Failures = append(c.result.Failures, f)
	return &c.result.Failures[len(c.result.Failures)-1]
}

func (c *check) allowed() bool { return c.Result.Code < http.StatusBadRequest }

// verdict reports whether what was decided is what was to be; only then is it of use to look
// at the rest of the answer.
func (c *check) verdict() bool {
	want := *c.expect.Allowed
	if want == c.allowed() {
		c.byAdmission()
		return true
	}
	if want {
		f := c.fail("allowed", "true", "false: "+c.refused())
		f.Hint = c.decider().hint
		return false
	}
	got := "true"
	if wanted := c.wantedDecider(); wanted != "" {
		got += "; " + c.whyNot(wanted)
	}
	c.fail("allowed", "false", strings.TrimSuffix(got, "; "))
	return false
}

// byAdmission notes a denial of which nothing is said but that it is one, and that came neither from admission
// nor from a definition of the world: the object, or what was asked, has a slip in it, and webhooks and policies
// may never have seen it.
func (c *check) byAdmission() {
	e, d := c.expect, c.decider()
	said := e.Code != nil || e.Reason != nil || e.Message != nil || e.DeniedBy != nil
	lost := d.plugin == namespaceLifecycle && c.Result.Code == http.StatusNotFound
	if said || c.allowed() || c.Result.Code >= http.StatusInternalServerError || d.definition || d.plugin != "" && !lost {
		return
	}
	f := c.fail("allowed", "false by admission", "false: "+c.refused())
	f.Hint = "where that is meant, say so with code, reason, message or deniedBy"
	if d.hint != "" {
		f.Hint = d.hint + "; " + f.Hint
	}
}

// refused is what was answered, by whom.
func (c *check) refused() string {
	text := fmt.Sprint(c.Result.Code)
	if reason := c.statusOf().Reason; reason != "" {
		text += " " + string(reason)
	}
	return fmt.Sprintf("%s by %s: %s", text, c.decider(), c.statusOf().Message)
}

func (c *check) statusOf() *metav1.Status {
	if s := c.Result.Status(); s != nil {
		return s
	}
	return &metav1.Status{}
}

// status checks what the answer says of itself.
func (c *check) status() {
	if want := c.expect.Code; want != nil && *want != c.Result.Code {
		c.fail("code", fmt.Sprint(*want), fmt.Sprint(c.Result.Code))
	}
	status := c.statusOf()
	c.match("reason", c.expect.Reason, string(status.Reason))
	c.match("message", c.expect.Message, status.Message)
}

func (c *check) match(path string, m *scenario.Match, got string) {
	if m == nil || m.Holds(got) {
		return
	}
	f := c.fail(path, m.String(), fmt.Sprintf("%q", got))
	if m.Is != nil && (strings.Contains(*m.Is, "\n") || strings.Contains(got, "\n")) {
		f.Diff = unified(*m.Is, got)
	}
}

// warnings checks that those that are expected are there, and no others.
func (c *check) warnings() {
	want := c.expect.Warnings
	if want == nil {
		return
	}
	for i, m := range want.Each {
		if !slices.ContainsFunc(c.Result.Warnings, m.Holds) {
			c.fail(fmt.Sprintf("warnings[%d]", i), m.String(), listText(c.Result.Warnings))
		}
	}
	if want.Others {
		return
	}
	for _, warning := range c.Result.Warnings {
		if !slices.ContainsFunc(want.Each, func(m scenario.Match) bool { return m.Holds(warning) }) {
			f := c.fail("warnings", "no other warnings", fmt.Sprintf("%q", warning))
			f.Hint = "add it to the list; the item \"*\" accepts others"
		}
	}
}

func (c *check) auditAnnotations() {
	for _, want := range c.expect.AuditAnnotations {
		path := fmt.Sprintf("auditAnnotations[%s]", want.Key)
		got, there := c.Result.AuditAnnotations[want.Key]
		switch {
		case want.Absent && there:
			c.fail(path, "no such annotation", fmt.Sprintf("%q", got))
		case want.Absent:
		case !there:
			c.fail(path, want.Match.String(), "no such annotation; the annotations are: "+listText(sorted(c.Result.AuditAnnotations)))
		default:
			c.match(path, &want.Match, got)
		}
	}
}

func listText(texts []string) string {
	if len(texts) == 0 {
		return "none"
	}
	data, err := json.Marshal(texts)
	if err != nil {
		panic(fmt.Sprintf("a list of texts does not encode: %v", err))
	}
	return strings.TrimSuffix(strings.TrimPrefix(strings.ReplaceAll(string(data), `","`, `", "`), "["), "]")
}
