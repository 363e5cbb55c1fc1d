package rules

// A BrokenRule is one of the x-kubernetes-validations of a CRD, or another part of its schema, that an object violates.
type BrokenRule struct {
	Path    string   // where in the CRD it is, in the form of the server's errors
	Rule    string   // the expression, or the constraint in the schema, such as maximum: 3
	Message string   // the CRD's message; empty if there is none, or if it is computed
	Fields  []string // of the object, for which it does not hold; "<nil>" is the whole object
	Error   string   // why its evaluation failed
}

// NoReplicas is the number of replicas that the server puts in the Scale of an object without any, before it applies an
// update, to learn whether the update sets them.
const NoReplicas = -1 << 31
