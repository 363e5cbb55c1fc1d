// Package scenario turns manifests into the inputs of a run: the objects of the cluster, the answers of mocked webhooks,
// the requests, and suites. All mistakes in a file are reported at once, each with its place and a hint.
//
// The package knows no rules of admission: it returns typed values, and takes no part in decisions about them.
//
// Start with [manifest.Load], then [Sort] what it returns into a [Bag].
package scenario
