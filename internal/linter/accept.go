package linter

import "github.com/admsim/admsim/internal/scenario"

// Accept returns what a project has to ignore so that no finding of r is reported again: an entry for each finding,
// with this reason, after its own entries that have one. Findings about ignored entries remain: no entry removes them.
func (r *Result) Accept(project []scenario.Ignore, reason string) (ignore []scenario.Ignore, accepted int) {
	for _, entry := range project {
		if entry.Reason != "" {
			ignore = append(ignore, entry)
		}
	}
	seen := map[scenario.Ignore]bool{}
	for _, f := range r.each {
		if f.Rule.Theme == suppressionTheme {
			continue
		}
		accepted++
		entry := scenario.Ignore{Rule: f.Rule.ID, Object: escape(f.Object), Reason: reason}
		if f.Webhook != "" {
			entry.Object += "/" + escape(f.Webhook)
		}
		if !seen[entry] {
			seen[entry] = true
			ignore = append(ignore, entry)
		}
	}
	return ignore, accepted
}
