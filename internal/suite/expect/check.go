// Package expect compares the answers to the requests of a case with what the case expects, and reports for each
// difference what was wanted and what came instead.
//
// Start with [Judge.Check]. The package sends no requests.
package expect

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/events"
	"github.com/admsim/admsim/internal/suite/outcome"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Answer is one request of a case with its answer.
type Answer struct {
	Label  string // see [outcome.Answer]
	Asked  world.Asked
	Result *simulator.Result
}

// Elapsed returns how long the server would have taken.
func (a Answer) Elapsed() time.Duration {
	if len(a.Result.Admissions) == 0 {
		return 0
	}
	last := a.Result.Admissions[len(a.Result.Admissions)-1]
	return last.Request.Elapsed + last.Elapsed
}

// Options say how expectations are checked. All may be left out.
type Options struct {
	// Redactor removes secrets from golden files and from failures; nil: secrets are shown.
	Redactor *redact.Redactor

	// Write writes a golden file that differs from the object. Nil: the difference is a failure.
	Write func(file string, data []byte) error
}

// A Judge compares the answers of one case with what is expected, and adds the failures to the case.
type Judge struct {
	Options
	Conditions map[string]*expression.Predicate // expected of objects, by their text
	Namespace  string                           // of objects that name none; empty: default
	Case       *outcome.Case
}

// A check compares one answer with one expectation.
type check struct {
	*Judge
	Answer
	position int // of the answer in its case
	expect   scenario.Expect
	prefix   string // the path of expect in its case
}

// Check compares the answer at a position with what is expected. prefix is the path of the expectation in its case.
func (j *Judge) Check(ctx context.Context, position int, a Answer, e scenario.Expect, prefix string) {
	c := &check{Judge: j, Answer: a, position: position, expect: e, prefix: prefix}
	before := len(j.Case.Failures)
	if c.verdict() {
		c.checkStatus()
		c.deniedBy()
		c.object(ctx)
	}
	c.warnings()
	c.auditAnnotations()
	c.trace()
	c.state()
	c.alternatives(ctx, j.Case.Failures[before:])
}

// fail adds a failure for the expectation at path.
func (c *check) fail(path, want, got string) *outcome.Failure {
	f := outcome.Failure{Source: c.expect.Position(path), Path: strings.TrimSuffix(c.prefix+"."+path, "."), Want: want, Got: got, Answer: c.position}
	c.Case.Failures = append(c.Case.Failures, f)
	return &c.Case.Failures[len(c.Case.Failures)-1]
}

// Allowed reports whether the request was not denied.
func (a Answer) Allowed() bool { return a.Result.Allowed() }

// verdict reports whether the request was allowed or denied as expected. Only then the rest of the answer is checked.
func (c *check) verdict() bool {
	want := *c.expect.Allowed
	if want == c.Allowed() {
		c.byAdmission()
		return true
	}
	if want {
		f := c.fail("allowed", "true", "false: "+c.refused())
		f.Hint = events.DeciderOf(c.Result).Hint
		return false
	}
	got := "true"
	if wanted := c.wantedDecider(); wanted != "" {
		got += "; " + c.whyNot(wanted)
	}
	c.fail("allowed", "false", strings.TrimSuffix(got, "; "))
	return false
}

// byAdmission reports a denial about which nothing else is expected, and that came neither from admission nor from a
// definition of the world: there is a mistake in the object or the request, and webhooks and policies may never have
// seen it.
func (c *check) byAdmission() {
	e, d := c.expect, events.DeciderOf(c.Result)
	said := e.Code != nil || e.Reason != nil || e.Message != nil || e.Causes != nil || e.RetryAfter != nil || e.DeniedBy != nil
	lost := d.Plugin == events.NamespaceLifecycle && c.Result.Code == http.StatusNotFound
	if said || c.Allowed() || c.Result.Code >= http.StatusInternalServerError || d.Definition || d.Plugin != "" && !lost {
		return
	}
	f := c.fail("allowed", "false by admission", "false: "+c.refused())
	f.Hint = "if that is intended, say so with code, reason, message or deniedBy"
	if d.Hint != "" {
		f.Hint = d.Hint + "; " + f.Hint
	}
}

// refused describes a denial and what denied the request.
func (c *check) refused() string {
	text := fmt.Sprint(c.Result.Code)
	if reason := c.Answer.status().Reason; reason != "" {
		text += " " + string(reason)
	}
	return fmt.Sprintf("%s by %s: %s", text, events.DeciderOf(c.Result), c.Answer.status().Message)
}

func (a Answer) status() *metav1.Status {
	if s := a.Result.Status(); s != nil {
		return s
	}
	return &metav1.Status{}
}

// checkStatus checks the code, reason and message of the answer.
func (c *check) checkStatus() {
	if want := c.expect.Code; want != nil && *want != c.Result.Code {
		c.fail("code", fmt.Sprint(*want), fmt.Sprint(c.Result.Code))
	}
	status := c.Answer.status()
	c.match("reason", c.expect.Reason, string(status.Reason))
	if said := events.DeciderOf(c.Result).Said; said == "" || c.expect.Message == nil || !c.expect.Message.Holds(said) {
		c.match("message", c.expect.Message, status.Message)
	}
	c.details(status.Details)
}

// details checks the machine-readable details of the answer.
func (c *check) details(got *metav1.StatusDetails) {
	if got == nil {
		got = &metav1.StatusDetails{}
	}
	for i, want := range c.expect.Causes {
		if !slices.ContainsFunc(got.Causes, func(one metav1.StatusCause) bool { return isCause(want, one) }) {
			c.fail(fmt.Sprintf("causes[%d]", i), causeText(want), causesText(got.Causes))
		}
	}
	if want := c.expect.RetryAfter; want != nil && *want != int(got.RetryAfterSeconds) {
		c.fail("retryAfter", fmt.Sprint(*want), fmt.Sprint(got.RetryAfterSeconds))
	}
}

func isCause(want scenario.CauseExpect, got metav1.StatusCause) bool {
	holds := func(m *scenario.Match, text string) bool { return m == nil || m.Holds(text) }
	return holds(want.Field, got.Field) && holds(want.Reason, string(got.Type)) && holds(want.Message, got.Message)
}

func causeText(want scenario.CauseExpect) string {
	var parts []string
	for _, part := range []struct {
		key string
		is  *scenario.Match
	}{{"field", want.Field}, {"reason", want.Reason}, {"message", want.Message}} {
		if part.is != nil {
			parts = append(parts, part.key+" "+part.is.String())
		}
	}
	return "a cause with " + strings.Join(parts, ", ")
}

func causesText(got []metav1.StatusCause) string {
	texts := make([]string, len(got))
	for i, one := range got {
		texts[i] = fmt.Sprintf("%s: %s (%s)", one.Field, one.Message, one.Type)
	}
	return listText(texts)
}

func (c *check) match(path string, m *scenario.Match, got string) {
	if m == nil || m.Holds(got) {
		return
	}
	f := c.fail(path, m.String(), fmt.Sprintf("%q", got))
	if m.Is != nil && (strings.Contains(*m.Is, "\n") || strings.Contains(got, "\n")) {
		f.Diff = unified(*m.Is, got)
	}
	if m.Is != nil && *m.Is != "" && strings.Contains(got, *m.Is) {
		f.Hint = fmt.Sprintf("for a part of it, write %s: {contains: %q}", path, *m.Is)
	}
}

// warnings checks that the expected warnings exist, and no others.
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
			f := c.fail(path, want.Match.String(), "no such annotation; the annotations are: "+listText(sorted(c.Result.AuditAnnotations)))
			if want.Match.Holds("absent") && !want.Match.Holds("") {
				f.Hint = "to expect that there is none, write {absent: true}"
			}
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

func sorted[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
