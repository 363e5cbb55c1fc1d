package rules

// A BrokenRule is one of the x-kubernetes-validations of a CRD, or something else in its schema,
// that an object does not keep.
type BrokenRule struct {
	Path    string   // where in the CRD it is, in the form of the server's errors
	Rule    string   // the expression, or what the schema says, such as maximum: 3
	Message string   // what the CRD says of it; empty if it says nothing, or computes it
	Fields  []string // of the object, that it does not hold for; "<nil>" is all of it
	Error   string   // evaluating it failed
}

// NoReplicas is what the server puts in the Scale of an object that does not say how many
// replicas it wants, before it applies an update, to learn whether that says it.
const NoReplicas = -1 << 31
