// Package suite runs suites: it asks the requests of their cases, compares the answers with
// what is expected, and counts what of the admission configuration was reached.
//
// Start with [Run], which returns [Results]. A case is never green by accident: backends
// that nobody asked and webhooks that no case reached are problems of the suite. [World],
// [Ask] and [Next] are for those that want the requests of cases and nothing of what is
// expected.
//
// The package reads no files but those that suites name, and does not know how results are
// shown.
package suite
