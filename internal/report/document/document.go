// Package document puts what simulations, suites, recordings and questions came to into the form that is
// shown: documents, each with a kind, which docs/output.md describes and docs/output.schema.json
// specifies. It writes them as JSON, as YAML and as lines of JSON.
//
// Start with [New], which makes the answer to one request. What is a secret is taken out here, so
// that no format can show it.
//
// The package does not know how a result came about, nor how it looks as text or on a page. What it
// makes holds no clock, address or order of a map: the same result is the same bytes.
package document

import "github.com/admsim/admsim/pkg/report"

// TypeMeta says what a document is.
func TypeMeta(kind string) report.TypeMeta {
	return report.TypeMeta{APIVersion: report.APIVersion, Kind: kind}
}
