// Package suites runs controller-runtime's own tests, unmodified, against the programs in a folder for envtest. It is a
// module of its own, since nothing else in admsim needs controller-runtime's tests.
package suites
