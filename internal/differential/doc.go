// Package differential holds tests that send the same calls through kube-apiserver's own
// webhook plugins and client library, and through admsim, to the same TLS server. What the
// server sees, and what becomes of the request, has to be the same. So it is with requests
// past its plugins for admission policies (policies_test.go), and with the check of types in these
// (typecheck_test.go). It is a module of its own, since the server's packages bring clients and
// informers of all kinds with them, which take long to compile.
//
// Start with differential_test.go; the cases are in cases_test.go. Nothing is compared with
// the recordings here: that is what package conformance is for.
package differential
