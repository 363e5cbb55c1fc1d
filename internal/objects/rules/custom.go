package rules

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/admsim/admsim/pkg/kubeversion"
)

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

// CompatibleWith is the version whose formats and functions a release lets new schemas have: the one before, to which it
// could be rolled back.
func CompatibleWith(r *kubeversion.Release) *version.Version {
	return version.MajorMinor(1, uint(r.Minor-1))
}

// OfNumberFormat reports whether an error is that of a number which its type or format cannot
// hold, rather than one of the limits in the schema. Such errors came with [kubeversion.NumberFormatsChecked].
func OfNumberFormat(err *field.Error) bool {
	return err.BadValue == any("") && strings.Contains(err.Detail, " value must be of type ")
}
