// Package scenario turns manifests into the inputs of a run: the objects of the cluster, the answers of mocked webhooks,
// the requests, and suites. All mistakes in a file are reported at once, each with its place and a hint.
//
// The package knows no rule of admission; it hands over typed values and never looks at how they are decided.
//
// Start with [manifest.Load], then [Sort] what it returns into a [Bag].
package scenario
