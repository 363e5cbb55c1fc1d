// Package celquirks says where the CEL of a server is not that of the library which admsim links.
package celquirks

// CheckerPanics begins what an issue says about an expression at which the checker of CEL panics, and with it the server.
// That is a bug of both: who writes such an expression gets the answer of a server that panicked (W-344).
const CheckerPanics = "the checker of CEL panics, in the API server as well: "

// LackedFunctions returns the functions that a server without kubeversion.CELOptionalLists does not have (W-345).
func LackedFunctions() []string { return []string{"first", "last", "optional.unwrap", "unwrapOpt"} }
