package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/suite"
)

// A goEvent is a line of go test -json (go doc test2json). It has no time, so that it is
// the same whenever it is written.
type goEvent struct {
	Action  string  `json:"Action"`
	Package string  `json:"Package"`
	Test    string  `json:"Test,omitempty"`
	Output  string  `json:"Output,omitempty"`
	Elapsed float64 `json:"Elapsed,omitempty"`
}

// writeGoTest writes what came of suites as go test -json does, a suite being a package.
func writeGoTest(w io.Writer, r *suite.Results, o Options) error {
	g := &goTest{w: w, options: o}
	for _, s := range r.Suites {
		if err := g.suite(s); err != nil {
			return err
		}
	}
	return nil
}

type goTest struct {
	w       io.Writer
	options Options
}

func (g *goTest) suite(r suite.Result) error {
	pkg := r.Name
	if err := g.events(goEvent{Action: "start", Package: pkg}); err != nil {
		return err
	}
	for _, t := range wholeTroubles(r) {
		if err := g.output(pkg, "", t.placed()); err != nil {
			return err
		}
	}
	for _, c := range r.Cases {
		if err := g.testCase(pkg, c); err != nil {
			return err
		}
	}
	end := "pass"
	if !r.Summary().OK() {
		end = "fail"
	}
	return g.events(goEvent{Action: end, Package: pkg, Elapsed: rounded(r.Took)})
}

var goActions = map[suite.Outcome]string{suite.Passed: "pass", suite.Skipped: "skip", suite.Failed: "fail", suite.Errored: "fail"}

func (g *goTest) testCase(pkg string, c suite.CaseResult) error {
	if err := g.events(goEvent{Action: "run", Package: pkg, Test: c.Name},
		goEvent{Action: "output", Package: pkg, Test: c.Name, Output: "=== RUN   " + c.Name + "\n"}); err != nil {
		return err
	}
	for _, t := range caseTroubles(c) {
		if err := g.output(pkg, c.Name, t.placed()); err != nil {
			return err
		}
	}
	if c.Outcome == suite.Skipped && c.Skip != "" {
		if err := g.output(pkg, c.Name, c.Skip); err != nil {
			return err
		}
	}
	if c.Outcome != suite.Passed || g.options.Verbose {
		steps, err := answersText(c, g.options)
		if err != nil {
			return err
		}
		if err := g.output(pkg, c.Name, steps); err != nil {
			return err
		}
	}
	action := goActions[c.Outcome]
	return g.events(
		goEvent{Action: "output", Package: pkg, Test: c.Name, Output: fmt.Sprintf("--- %s: %s (%.2fs)\n", strings.ToUpper(action), c.Name, c.Took.Seconds())},
		goEvent{Action: action, Package: pkg, Test: c.Name, Elapsed: rounded(c.Took)})
}

func (g *goTest) output(pkg, test, text string) error {
	for line := range strings.Lines(text) {
		if err := g.events(goEvent{Action: "output", Package: pkg, Test: test, Output: "    " + strings.TrimRight(line, "\n") + "\n"}); err != nil {
			return err
		}
	}
	return nil
}

func (g *goTest) events(all ...goEvent) error {
	for _, e := range all {
		e.Package, e.Test, e.Output = inert.Text(e.Package), inert.Text(e.Test), inert.Text(e.Output) // readers print them
		if err := encode(g.w, e); err != nil {
			return err
		}
	}
	return nil
}

func rounded(d time.Duration) float64 {
	return float64(d.Round(10*time.Millisecond)) / float64(time.Second)
}
