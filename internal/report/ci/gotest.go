package ci

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/encode"
	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// A GoEvent is a line of go test -json (go doc test2json). It has no time, so that the output is reproducible.
type GoEvent struct {
	Action  string  `json:"Action"`
	Package string  `json:"Package"`
	Test    string  `json:"Test,omitempty"`
	Output  string  `json:"Output,omitempty"`
	Elapsed float64 `json:"Elapsed,omitempty"`
}

// WriteGoTest writes the results of suites in the format of go test -json. Each suite is a package.
func WriteGoTest(w io.Writer, r *outcome.Results, steps Steps, o document.Options) error {
	g := &goTest{w: w, steps: steps, options: o}
	for _, s := range r.Suites {
		if err := g.suite(s); err != nil {
			return err
		}
	}
	return nil
}

type goTest struct {
	w       io.Writer
	steps   Steps
	options document.Options
}

func (g *goTest) suite(r outcome.Suite) error {
	pkg := r.Name
	if err := g.events(GoEvent{Action: "start", Package: pkg}); err != nil {
		return err
	}
	for _, t := range outcome.WholeTroubles(r) {
		if err := g.output(pkg, "", t.Placed()); err != nil {
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
	return g.events(GoEvent{Action: end, Package: pkg, Elapsed: rounded(r.Took)})
}

var goActions = map[outcome.Outcome]string{outcome.Passed: "pass", outcome.Skipped: "skip", outcome.Failed: "fail", outcome.Errored: "fail"}

func (g *goTest) testCase(pkg string, c outcome.Case) error {
	if err := g.events(GoEvent{Action: "run", Package: pkg, Test: c.Name},
		GoEvent{Action: "output", Package: pkg, Test: c.Name, Output: "=== RUN   " + c.Name + "\n"}); err != nil {
		return err
	}
	for _, t := range outcome.CaseTroubles(c) {
		if err := g.output(pkg, c.Name, t.Placed()); err != nil {
			return err
		}
	}
	if c.Outcome == outcome.Skipped && c.Skip != "" {
		if err := g.output(pkg, c.Name, c.Skip); err != nil {
			return err
		}
	}
	if c.Outcome != outcome.Passed || g.options.Verbose {
		steps, err := g.steps(c, g.options)
		if err != nil {
			return err
		}
		if err := g.output(pkg, c.Name, steps); err != nil {
			return err
		}
	}
	action := goActions[c.Outcome]
	return g.events(
		GoEvent{Action: "output", Package: pkg, Test: c.Name, Output: fmt.Sprintf("--- %s: %s (%.2fs)\n", strings.ToUpper(action), c.Name, c.Took.Seconds())},
		GoEvent{Action: action, Package: pkg, Test: c.Name, Elapsed: rounded(c.Took)})
}

func (g *goTest) output(pkg, test, text string) error {
	for line := range strings.Lines(text) {
		if err := g.events(GoEvent{Action: "output", Package: pkg, Test: test, Output: "    " + strings.TrimRight(line, "\n") + "\n"}); err != nil {
			return err
		}
	}
	return nil
}

func (g *goTest) events(all ...GoEvent) error {
	for _, e := range all {
		e.Package, e.Test, e.Output = inert.Text(e.Package), inert.Text(e.Test), inert.Text(e.Output) // readers print them
		if err := encode.JSON(g.w, e); err != nil {
			return err
		}
	}
	return nil
}

func rounded(d time.Duration) float64 {
	return float64(d.Round(10*time.Millisecond)) / float64(time.Second)
}
