// Package linter finds what is wrong with the admission webhooks and policies of a cluster before any request fails.
//
// [Run] checks all rules and removes the findings that an author suppressed with a reason; [Rules] lists the rules. The
// rules themselves are below package lint. Each has two files in testdata: one that breaks it, one that keeps it.
//
// The package does not know how findings are shown.
package linter

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/lint/calls"
	"github.com/admsim/admsim/internal/lint/manifests"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// An Input is what is checked.
type Input struct {
	Manifests []scenario.Manifest // that World is made of
	Static    []scenario.Manifest // webhooks and policies that the server of World reads from its own folders
	World     *world.World
	Release   *kubeversion.Release // of World

	// Now is the time at which certificates have to be valid.
	Now time.Time

	// Corpus has requests and their results, to judge webhooks by what they do. Nil: rules that need them are not
	// checked.
	Corpus iter.Seq2[calls.Answered, error]

	// Invalid lists what was left out of Manifests and Static because something is wrong with it.
	Invalid []Invalid

	// Ignore lists findings that are known and accepted, in addition to those that the configurations list themselves.
	Ignore []scenario.Ignore
}

// A Result is what was found, in the order of files and lines.
type Result struct {
	Findings   []lint.Finding
	Suppressed []lint.Finding // each with its Reason

	// Configurations, Webhooks and Policies are how many were checked, Requests how many of a corpus were run.
	Configurations, Webhooks, Policies, Requests int

	Unreached []calls.Unreached // writes of the corpus that no webhook was called for

	Bugs bug.Counter // the rule or request that each bug is about was left out

	each []lint.Finding // Findings, before equal findings for several webhooks were merged
}

// Rules returns all rules, by theme.
func Rules() []lint.Rule { return rulesFor(&calls.Corpus{}) }

// rulesFor returns all rules, some of which look at a corpus.
func rulesFor(c *calls.Corpus) []lint.Rule {
	return slices.Concat(invalidRules(), manifests.Rules(), calls.Rules(c), suppressionRules())
}

func ruleOf(id string) (lint.Rule, bool) {
	all := Rules()
	i := slices.IndexFunc(all, func(r lint.Rule) bool { return r.ID == id })
	if i < 0 {
		return lint.Rule{}, false
	}
	return all[i], true
}

// Run checks all rules.
func Run(ctx context.Context, in Input) (*Result, error) {
	s, err := lint.NewSubject(ctx, in.Manifests, in.Static, in.World.Simulator(), in.Release, in.Now)
	if err != nil {
		return nil, err
	}
	s.Lost = slices.DeleteFunc(s.Lost, func(b lint.LostBinding) bool { return in.leftOut(b.Policy.Kind + "/" + b.Policy.Name) })
	s.LeftOut = in.kindsLeftOut()
	corpus := &calls.Corpus{}
	if in.Corpus != nil {
		if corpus, err = calls.Run(ctx, s, in.Corpus); err != nil {
			return nil, err
		}
	}
	bugs := corpus.Bugs
	r := &lint.Reporter{}
	for _, rule := range rulesFor(corpus) {
		if !rule.AdaptTo(s) {
			continue
		}
		r.Rule = rule
		if err := check(s, r); err != nil {
			bugs.Add(err)
		}
	}
	result := &Result{Bugs: bugs, Configurations: s.Configurations(), Webhooks: len(s.Hooks), Policies: len(s.Policies), Requests: corpus.Requests, Unreached: corpus.Unreached()}
	found, suppressed := in.suppress(append(in.invalid(), r.Findings...))
	inOrder(found)
	result.Findings, result.Suppressed, result.each = merged(found), suppressed, found
	inOrder(result.Findings)
	inOrder(result.Suppressed)
	return result, nil
}

// check checks the current rule, and returns a panic as its error.
func check(s *lint.Subject, r *lint.Reporter) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("rule %s: %w", r.Rule.ID, err)
		}
	}()
	defer bug.Catch(&err)
	if r.Rule.Check != nil {
		r.Rule.Check(s, r)
	}
	return nil
}

// merged merges findings that are the same for several webhooks of a configuration, at the first of them.
func merged(all []lint.Finding) []lint.Finding {
	var left []lint.Finding
	more := map[int][]lint.Finding{}
	for _, f := range all {
		i := slices.IndexFunc(left, func(g lint.Finding) bool {
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
			left[i].Related = append(left[i].Related, lint.Related{Source: f.Source, Message: f.Webhook})
		}
		left[i].Message += fmt.Sprintf("; the same goes for %s", strings.Join(names, ", "))
	}
	return left
}

// Worst returns the severity of the worst finding, and whether there is any.
func (r *Result) Worst() (worst lint.Severity, any bool) {
	for _, f := range r.Findings {
		if !any || f.Severity.Reaches(worst) {
			worst, any = f.Severity, true
		}
	}
	return worst, any
}

func inOrder(all []lint.Finding) {
	slices.SortStableFunc(all, func(a, b lint.Finding) int {
		return cmp.Or(
			strings.Compare(a.Source.File, b.Source.File),
			cmp.Compare(a.Source.Line, b.Source.Line),
			cmp.Compare(a.Source.Column, b.Source.Column),
			strings.Compare(a.Rule.ID, b.Rule.ID),
		)
	})
}
