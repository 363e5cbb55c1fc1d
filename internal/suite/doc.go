// Package suite runs suites: it sends the requests of their cases, compares the answers with
// the expectations, and counts which parts of the admission configuration were reached.
//
// Start with [Run], which returns [Results]. A case never passes by accident: backends
// that nobody asked and webhooks that no case reached are problems of the suite. [World],
// [Ask] and [Next] are for those that want the requests of cases and nothing of what is
// expected.
//
// The package reads no files but those that suites name, and does not know how results are
// shown.
package suite
