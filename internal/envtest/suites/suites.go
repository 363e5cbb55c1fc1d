// Package suites runs the tests of controller-runtime itself, unmodified, against the programs of a folder for
// envtest. They are a module of their own, since nothing else of admsim needs controller-runtime's tests.
package suites
