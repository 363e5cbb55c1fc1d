// Package scenario reads the inputs of a run: the manifests of the cluster, the answers of
// mocked webhooks, and the requests. It knows the file and line of everything it read, and
// reports all mistakes in a file at once, each with a hint.
//
// Manifests are read as kubectl reads them: the JSON of a [Manifest] is what kubectl
// would send. What kubectl lets pass in silence (a key written twice, a second document
// without a separator) is an error here.
//
// The package knows no rule of admission; it hands over typed values and never looks at
// how they are decided. It is the only one that parses YAML files.
//
// Start with [Load], then [Sort] what it returns into a [Bag].
package scenario
