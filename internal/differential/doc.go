// Package differential has tests that send the same calls through kube-apiserver's own webhook plugins and client
// library and through admsim, to the same TLS server. What that server sees, and the result of the request, have to be
// the same. Requests are also sent through the server's plugins for admission policies (policies_test.go), and the type
// checks of policies are compared (typecheck_test.go). So are the errors about CustomResourceDefinitions
// (definitions_test.go) and the types behind server-side apply (managedfields_test.go). The package is a module of its
// own, since the server's packages depend on clients and informers of all kinds, which take long to compile.
//
// Start with differential_test.go; the cases are in cases_test.go. Nothing is compared with the recordings here:
// package conformance does that.
package differential
