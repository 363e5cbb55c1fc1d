// Package coverage counts how often the parts of the admission configuration were reached: webhooks with their
// rules, selectors and match conditions; policies and their bindings with the same, and with each validation,
// message expression, audit annotation and mutation; and which built-in plugins decided anything.
//
// For each world, a [Ledger] gets what can be reached, and for each answer what was reached.
package coverage

import (
	"cmp"
	"iter"
	"slices"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// A Ledger counts how often the parts of the admission configuration were reached.
type Ledger struct {
	parts       map[partKey]*outcome.Covered
	lastSkipped map[partKey]string // why a webhook was last skipped
	plugins     map[string]*outcome.PluginUse
}

type partKey struct {
	part             outcome.Part
	of, what, branch string
	source           string
}

// Branches.
const (
	matched, notMatched = "matched", "not matched"
	isTrue, isFalse     = "true", "false"
	holds, fails        = "holds", "fails"
	written, notWritten = "written", "not written"
)

// NewLedger returns an empty ledger.
func NewLedger() *Ledger {
	return &Ledger{parts: map[partKey]*outcome.Covered{}, lastSkipped: map[partKey]string{}, plugins: map[string]*outcome.PluginUse{}}
}

func (l *Ledger) part(k partKey, at string) {
	if l.parts[k] == nil {
		l.parts[k] = &outcome.Covered{Part: k.part, Of: k.of, What: k.what, Branch: k.branch, Source: scenario.ParseSource(at)}
	}
}

// reach counts that a part was reached once more.
func (l *Ledger) reach(k partKey) {
	if c := l.parts[k]; c != nil {
		c.Times++
	}
}

// Items returns all parts, ordered by place.
func (l *Ledger) Items() []outcome.Covered {
	all := make([]outcome.Covered, 0, len(l.parts))
	for _, c := range l.parts {
		all = append(all, *c)
	}
	order := map[outcome.Part]int{}
	for i, p := range outcome.Parts() {
		order[p] = i
	}
	slices.SortFunc(all, func(a, b outcome.Covered) int {
		return cmp.Or(
			cmp.Compare(a.Source.File, b.Source.File), cmp.Compare(a.Source.Line, b.Source.Line),
			cmp.Compare(a.Of, b.Of), cmp.Compare(order[a.Part], order[b.Part]), cmp.Compare(a.What, b.What), -cmp.Compare(a.Branch, b.Branch),
		)
	})
	return all
}

// Plugins returns the built-in plugins that ran, ordered by name.
func (l *Ledger) Plugins() []outcome.PluginUse {
	var all []outcome.PluginUse
	for _, p := range l.plugins {
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b outcome.PluginUse) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// Skipped says why a webhook among the items was last skipped, empty if it never was.
func (l *Ledger) Skipped(webhook outcome.Covered) string {
	return l.lastSkipped[partKey{outcome.WebhookPart, webhook.Of, "", "", webhook.Source.String()}]
}

// Sources returns the places of all parts.
func (l *Ledger) Sources() iter.Seq[string] {
	return func(yield func(string) bool) {
		for key := range l.parts {
			if !yield(key.source) {
				return
			}
		}
	}
}
