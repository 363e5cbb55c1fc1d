package linter

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/internal/lint"
	"github.com/admsim/admsim/internal/scenario"
)

// suppression is the annotation that lists what the author of an object, mostly a webhook configuration, accepts:
// `ADM003: it runs on the host network; ADM007: we count readiness`.
const suppression = "admsim.dev/lint-ignore"

const suppressionTheme = "Mistakes in accepted findings"

const (
	noReason       = "ADM900"
	unusedIgnore   = "ADM901"
	unknownIgnored = "ADM902"
)

func suppressionRules() []lint.Rule {
	return []lint.Rule{
		{
			ID: noReason, Name: "ignored-without-reason", Theme: suppressionTheme, Severity: lint.Warning,
			Title:  "A rule is ignored without a reason.",
			Why:    "Nobody can tell later whether it still applies. The finding is reported all the same.",
			Remedy: "write the reason after the id: ADM003: it runs on the host network",
		},
		{
			ID: unusedIgnore, Name: "ignored-in-vain", Theme: suppressionTheme, Severity: lint.Warning,
			Title:  "An ignored rule has no findings.",
			Why:    "The problem was fixed, or the named object does not exist. If the entry stays, it hides the next finding.",
			Remedy: "remove the entry",
		},
		{
			ID: unknownIgnored, Name: "ignored-unknown", Theme: suppressionTheme, Severity: lint.Warning,
			Title:  "An ignored rule does not exist.",
			Why:    "The entry has no effect.",
			Remedy: "admsim lint --rules lists the rules",
		},
	}
}

// An ignored is one accepted finding, from an annotation or the project file.
type ignored struct {
	rule   string
	object string // a pattern; empty: all
	reason string
	place  func(lint.Rule, string) lint.Finding
	used   bool
}

// suppress removes findings that are accepted with a reason, and adds findings about wrong entries.
func (in Input) suppress(found []lint.Finding) (left, suppressed []lint.Finding) {
	all := slices.Concat(in.annotated(), inProject(in.Ignore))
	for _, f := range found {
		i := slices.IndexFunc(all, func(i *ignored) bool { return i.accepts(f) })
		if i < 0 {
			left = append(left, f)
			continue
		}
		all[i].used = true
		if all[i].reason == "" {
			left = append(left, f)
			continue
		}
		f.Reason = all[i].reason
		suppressed = append(suppressed, f)
	}
	for _, i := range all {
		if f, wrong := i.wrong(in.Corpus != nil, len(in.kindsLeftOut()) == 0); wrong {
			left = append(left, f)
		}
	}
	return left, suppressed
}

func (i *ignored) accepts(f lint.Finding) bool {
	if i.rule != f.Rule.ID && i.rule != f.Rule.Name {
		return false
	}
	if i.object == "" {
		return true
	}
	for _, name := range []string{f.Object, f.Object + "/" + f.Webhook} {
		if ok, err := path.Match(i.object, name); err == nil && ok {
			return true
		}
	}
	return false
}

// wrong returns a finding if an entry is wrong. An entry for a rule that needs a corpus may match nothing without one,
// and no entry has to match something while not everything is checked.
func (i *ignored) wrong(corpus, complete bool) (lint.Finding, bool) {
	known := slices.IndexFunc(Rules(), func(r lint.Rule) bool { return r.ID == i.rule || r.Name == i.rule })
	switch {
	case known < 0:
		return i.finding(unknownIgnored, fmt.Sprintf("there is no rule %s%s", i.rule, meant(i.rule))), true
	case i.reason == "":
		return i.finding(noReason, fmt.Sprintf("%s is ignored without a reason", i.rule)), true
	case !i.used && complete && (corpus || !Rules()[known].Corpus):
		return i.finding(unusedIgnore, fmt.Sprintf("%s is ignored, but finds nothing here", i.rule)), true
	}
	return lint.Finding{}, false
}

// meant returns a question with the rule that was probably meant. Ids are not compared, since they are all similar.
func meant(name string) string {
	var known []string
	for _, rule := range Rules() {
		known = append(known, rule.Name)
	}
	if near := didyoumean.Nearest(name, known); near != "" {
		return fmt.Sprintf(": did you mean %s?", near)
	}
	return ""
}

func (i *ignored) finding(id, message string) lint.Finding {
	rule, _ := ruleOf(id)
	return i.place(rule, message)
}

// annotated returns the entries in the annotations of the objects that rules are about.
func (in Input) annotated() []*ignored {
	var all []*ignored
	for _, m := range slices.Concat(in.Manifests, in.Static) {
		at := lint.Field{Manifest: m, Path: "metadata.annotations[" + suppression + "]"}
		for _, entry := range strings.Split(lint.Annotations(m)[suppression], ";") {
			id, reason, _ := strings.Cut(entry, ":")
			if id = strings.TrimSpace(id); id == "" {
				continue
			}
			all = append(all, &ignored{
				rule: id, object: escape(lint.NameOf(m)), reason: strings.TrimSpace(reason),
				place: func(r lint.Rule, message string) lint.Finding { return lint.NewFinding(r, at, message) },
			})
		}
	}
	return all
}

// escape returns a pattern that matches only the name.
func escape(name string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(name)
}

func inProject(project []scenario.Ignore) []*ignored {
	all := make([]*ignored, len(project))
	for n, p := range project {
		all[n] = &ignored{
			rule: p.Rule, object: p.Object, reason: p.Reason,
			place: func(r lint.Rule, message string) lint.Finding {
				return lint.Finding{Rule: r, Severity: r.Severity, Source: p.Source, Object: p.Object, Message: message, Remedy: r.Remedy}
			},
		}
	}
	return all
}
