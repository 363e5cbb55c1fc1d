// Package suite runs suites: it has the requests of their cases answered and judged, side by side, and says what came
// of them and which parts of the admission configuration were reached.
//
// Start with [Run], which returns [outcome.Results]. A case never passes by accident: backends
// that nobody asked and webhooks that no case reached are problems of the suite.
//
// What it is made of has a package each: what cases are called and which run (cases), what is wrong with the names in
// their expectations (references), the worlds that they find (variants), their requests (client), the course of a
// request (events), what is expected of it (expect), and what was reached (coverage).
//
// The package reads no files but those that suites name, and does not know how results are
// shown.
package suite
