// Package lint finds what is wrong with the admission webhooks and policies of a cluster
// before any request fails: the good practices that Kubernetes writes down for them, as
// rules that can be checked.
//
// A [Rule] has an id that stays, a severity, and says why it is one and what to do; its
// check is a function over the webhooks with everything around them. Where a rule asks
// whether a webhook would see some request, the real matcher answers. [Run] checks all
// rules and takes out what their author suppressed with a reason; [Rules] lists them.
//
// The practices are those of "Admission Webhook Good Practices":
// https://kubernetes.io/docs/concepts/cluster-administration/admission-webhooks-good-practices/
//
// To add a rule, write its entry in the file of its theme, beside the function that checks
// it, and two files in testdata: one that triggers it, one that does not.
//
// The package does not know how findings are shown.
package lint

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// An Input is what is checked.
type Input struct {
	Manifests []scenario.Manifest // that World is made of
	World     *world.World
	Release   *kubeversion.Release // of World

	// Now is when certificates have to be valid.
	Now time.Time

	// Corpus are requests and what became of them, to judge webhooks by what they do. Nil:
	// rules that need them are not checked.
	Corpus iter.Seq2[Answered, error]

	// Ignore are findings that are known and accepted, beside those that the
	// configurations name themselves.
	Ignore []scenario.Ignore
}

// An Answered is one request of a corpus and what became of it.
type Answered struct {
	world.Asked
	Source scenario.Source
	Result *simulator.Result

	// Known reports whether what a webhook answers is known. One of which it is merely assumed
	// is not judged by what it does. Nil: it is known of all.
	Known func(configuration, webhook string) bool
}

// A Result is what was found, in the order of files and lines.
type Result struct {
	Findings   []Finding
	Suppressed []Finding // each with its Reason

	// Configurations, Webhooks and Policies are how many were looked at, Requests how many of
	// a corpus were run.
	Configurations, Webhooks, Policies, Requests int

	Bugs bug.Counter // the rule or request that each is about was left out

	each []Finding // Findings, before what is the same of several webhooks was made one
}

// Run checks all rules.
func Run(ctx context.Context, in Input) (*Result, error) {
	s, err := newSubject(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := s.runCorpus(); err != nil {
		return nil, err
	}
	r := &reporter{}
	for _, rule := range Rules() {
		r.rule = rule
		if err := r.check(s); err != nil {
			s.bugs.Add(err)
		}
	}
	result := &Result{Bugs: s.bugs, Configurations: s.configurations(), Webhooks: len(s.hooks), Policies: len(s.policies), Requests: s.corpus.requests}
	found, suppressed := s.suppress(r.findings, in.Ignore)
	inOrder(found)
	result.Findings, result.Suppressed, result.each = merged(found), suppressed, found
	inOrder(result.Findings)
	inOrder(result.Suppressed)
	return result, nil
}

// check checks the rule at hand; a bug is its error.
func (r *reporter) check(s *subject) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("rule %s: %w", r.rule.ID, err)
		}
	}()
	defer bug.Catch(&err)
	switch {
	case r.rule.check != nil:
		r.rule.check(s, r)
	case r.rule.call != nil:
		s.corpus.report(r)
	}
	return nil
}

// merged makes one finding of those that say the same of several webhooks of a
// configuration, at the first of them.
func merged(all []Finding) []Finding {
	var left []Finding
	more := map[int][]Finding{}
	for _, f := range all {
		i := slices.IndexFunc(left, func(g Finding) bool {
			return f.Webhook != "" && f.Rule.ID == g.Rule.ID && f.Object == g.Object && f.Severity == g.Severity && f.Message == g.Message
		})
		if i < 0 {
			left = append(left, f)
		} else if f.Webhook != left[i].Webhook {
			more[i] = append(more[i], f)
		}
	}
	for i, others := range more {
		names := make([]string, len(others))
		for n, f := range others {
			names[n] = f.Webhook
			left[i].Related = append(left[i].Related, Related{f.Source, f.Webhook})
		}
		left[i].Message += fmt.Sprintf("; the same goes for %s", strings.Join(names, ", "))
	}
	return left
}

// Worst is the severity of the worst finding, and whether there is any.
func (r *Result) Worst() (worst Severity, any bool) {
	for _, f := range r.Findings {
		if !any || f.Severity.Reaches(worst) {
			worst, any = f.Severity, true
		}
	}
	return worst, any
}

func inOrder(all []Finding) {
	slices.SortStableFunc(all, func(a, b Finding) int {
		return cmp.Or(
			strings.Compare(a.Source.File, b.Source.File),
			cmp.Compare(a.Source.Line, b.Source.Line),
			cmp.Compare(a.Source.Column, b.Source.Column),
			strings.Compare(a.Rule.ID, b.Rule.ID),
		)
	})
}
