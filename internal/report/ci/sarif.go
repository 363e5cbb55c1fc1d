package ci

import (
	"io"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/admsim/admsim/internal/inert"
	"github.com/admsim/admsim/internal/report/document"
)

const home = "https://github.com/admsim/admsim"

// WriteSARIF writes findings as SARIF 2.1.0 for code scanning tools. It includes suppressed findings, with their
// reasons.
func WriteSARIF(w io.Writer, l *document.Lint, _ document.Options) error {
	var rules []sarifRule
	index := map[string]int{}
	for i, rule := range l.Rules {
		index[rule.ID] = i
		rules = append(rules, ruleInSARIF(rule))
	}
	var results []sarifResult
	for _, f := range l.Findings {
		r := findingInSARIF(f, index[f.Rule])
		if len(l.Suppressed) > 0 {
			r.Suppressions = &[]sarifSuppression{}
		}
		results = append(results, r)
	}
	for _, f := range l.Suppressed {
		r := findingInSARIF(f, index[f.Rule])
		r.Suppressions = &[]sarifSuppression{{Kind: "inSource", Justification: f.Reason}}
		results = append(results, r)
	}
	return writeSARIFLog(w, rules, results)
}

func ruleInSARIF(rule document.LintRule) sarifRule {
	return sarifRule{
		ID:                   rule.ID,
		Name:                 rule.Name,
		ShortDescription:     sarifText{rule.Title},
		FullDescription:      &sarifText{rule.Why},
		Help:                 &sarifText{"Remedy: " + rule.Remedy},
		HelpURI:              home + "/blob/main/docs/lint.md#" + rule.Name,
		DefaultConfiguration: sarifConfiguration{Enabled: true, Level: sarifLevel(rule.Severity)},
	}
}

func findingInSARIF(f document.Finding, rule int) sarifResult {
	at := placeInSARIF(f.At)
	at.LogicalLocations = logical(f)
	r := sarifResult{
		RuleID:    f.Rule,
		RuleIndex: rule,
		Kind:      "fail",
		Level:     sarifLevel(f.Severity),
		Message:   sarifSaying(f.Message + ". Remedy: " + f.Remedy),
		Locations: []sarifLocation{at},
	}
	for i, related := range f.Related {
		at := placeInSARIF(related.At)
		text := sarifSaying(related.Message)
		at.ID, at.Message = &i, &text
		r.RelatedLocations = append(r.RelatedLocations, at)
	}
	return r
}

// sarifSaying returns a message. Its text is shown as it is, except for [word](links), whose brackets are escaped
// (3.11.6).
func sarifSaying(text string) sarifText {
	text = inert.Text(text)
	if strings.Contains(text, "](") {
		text = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`).Replace(text)
	}
	return sarifText{text}
}

func sarifLevel(severity string) string {
	if severity == document.LintInfo {
		return "note"
	}
	return severity
}

func placeInSARIF(p document.Place) sarifLocation {
	at := &sarifPhysicalLocation{ArtifactLocation: sarifArtifact{fileURI(p.File)}}
	if p.Line > 0 {
		at.Region = &sarifRegion{StartLine: p.Line, StartColumn: max(p.Column, 1)}
	}
	return sarifLocation{PhysicalLocation: at}
}

// fileURI returns the relative URI reference for a path.
func fileURI(file string) string {
	return (&url.URL{Path: filepath.ToSlash(file)}).String()
}

func logical(f document.Finding) []sarifLogicalLocation {
	if f.Object == "" {
		return nil
	}
	name := f.Object
	if f.Field != "" {
		name += "." + f.Field
	}
	return []sarifLogicalLocation{{name}}
}
