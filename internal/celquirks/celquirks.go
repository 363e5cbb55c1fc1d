// Package celquirks says where the CEL of a server is not that of the library which admsim links.
//
// A [Former] is the library of a server: it reads an expression (syntax.go, quoted_names.go, literals.go, macros.go), checks
// its types (check.go, functions.go) and estimates its cost (cost.go) as that library does. Apart from that, servers have
// quirks of their own, such as those of quantities.
package celquirks

// CheckerPanics begins what an issue says about an expression at which the checker of CEL panics, and with it the server.
// That is a bug of both: who writes such an expression gets the answer of a server that panicked (W-344).
const CheckerPanics = "the checker of CEL panics, in the API server as well: "
