// Package document converts the results of simulations, suites, recordings and questions to the form that is shown:
// documents, each with a kind, which docs/output.md describes and docs/output.schema.json specifies. It writes them as
// JSON, as YAML and as lines of JSON.
//
// Start with [Answer], the answer to one request. Secrets are removed before a document is complete, so that no format
// can show them.
//
// The package does not know how a result came about, nor how it looks as text or on a page. Documents contain no time
// of day, address or map order: the same result is always the same bytes.
package document

import "github.com/admsim/admsim/pkg/report"

// TypeMeta returns the kind and version of a document.
func TypeMeta(kind string) report.TypeMeta {
	return report.TypeMeta{APIVersion: report.APIVersion, Kind: kind}
}
