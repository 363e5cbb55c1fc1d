package rules

import (
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/admsim/admsim/pkg/kubeversion"
)

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

// CompatibleWith returns the version whose formats and functions a release allows in new schemas: the previous one, to
// which it could be rolled back. Before [kubeversion.CELStored], it is the release itself.
func CompatibleWith(r *kubeversion.Release) *version.Version {
	if !r.Has(kubeversion.CELStored) {
		return version.MajorMinor(1, uint(r.Minor))
	}
	return version.MajorMinor(1, uint(r.Minor-1))
}

// IsNumberFormatError reports whether an error is about a number that its type or format cannot hold, and not about a limit
// in the schema. Such errors came with [kubeversion.NumberFormatsChecked].
func IsNumberFormatError(err *field.Error) bool {
	return err.BadValue == any("") && IsNumberFormatText(err.Detail)
}

// IsNumberFormatText is IsNumberFormatError for the text of an error.
func IsNumberFormatText(text string) bool { return strings.Contains(text, " value must be of type ") }
