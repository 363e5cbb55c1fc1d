// Package suite runs suites: it sends the requests of their cases, in parallel, compares the answers with what is
// expected, and reports the results and which parts of the admission configuration were reached.
//
// Start with [Run], which returns [outcome.Results]. A case never passes by accident: backends that were never called
// and webhooks that no case reached are problems of the suite.
//
// Each part of the work has its own package: names and selection of cases (cases), mistakes in the names in their
// expectations (references), the worlds that they find (variants), their requests (client), the course of a request
// (events), expectations (expect), and what was reached (coverage).
//
// The package reads no files except those that suites name, and does not know how results are shown.
package suite
