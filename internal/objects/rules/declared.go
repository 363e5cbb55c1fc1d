package rules

import (
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Once removes repeated errors: a server that enforces the rules declared with types compares handwritten rules with
// declared ones, and reports each error once.
func Once(errs field.ErrorList) field.ErrorList {
	seen := map[string]bool{}
	return slices.DeleteFunc(errs, func(err *field.Error) bool {
		text := err.Error()
		repeated := seen[text]
		seen[text] = true
		return repeated
	})
}

// Supersede adds the errors of declared rules, which replace handwritten errors of the same type about the same field.
// Declared rules name fields as the request's version does, handwritten ones as the hub does. inHub translates the
// former to the latter; it is nil if the names are the same.
func Supersede(written, declared field.ErrorList, inHub func(path string) string) field.ErrorList {
	if inHub == nil {
		inHub = func(path string) string { return path }
	}
	errs := slices.DeleteFunc(written, func(w *field.Error) bool {
		return slices.ContainsFunc(declared, func(d *field.Error) bool {
			return d.Type == w.Type && inHub(d.Field) == inHub(w.Field) && (d.Type != field.ErrorTypeInvalid || origin(d) == origin(w))
		})
	})
	return append(errs, declared...)
}

// Declared is the origin of handwritten errors that declared rules report as well, where these can take over.
const Declared = "declared"

// TakeOver adds the errors of declared rules, which replace the handwritten errors with the origin Declared, also if the
// declared rules find nothing, as in what an update does not change:
// kubernetes/apiserver@v0.35.4:pkg/registry/rest/validate.go.
func TakeOver(written, declared field.ErrorList) field.ErrorList {
	errs := slices.DeleteFunc(written, func(err *field.Error) bool { return err.Origin == Declared })
	return append(errs, declared...)
}

// formatWords identify errors about the format of a value.
var formatWords = []string{"regex used for validation is", "must be no more than ", "must be a valid ", "a fully qualified name must be ", "must be a domain-prefixed path", "must not have ",
	"must be a lowercase UUID", "error validating uid", "uid must be in RFC 4122 normalized form",
	"prefix must not be empty", "name must not be empty", "the domain must not be empty", ": must not be empty",
}

// unionWords begin errors about how many of several fields are set, or of several items are in a list.
var unionWords = []string{"exactly one value must be specified", "must specify one of: ", "must specify exactly one of: ", "must specify at most one of: ",
	"Approved and Denied conditions are mutually exclusive",
}

// origin returns the rule by which a value is invalid. Handwritten rules do not record it.
func origin(err *field.Error) string {
	if err.Detail == "field is immutable" || strings.HasPrefix(err.Detail, "field cannot be ") {
		return "update"
	}
	if slices.ContainsFunc(formatWords, func(words string) bool { return strings.Contains(err.Detail, words) }) {
		return "format"
	}
	if slices.ContainsFunc(unionWords, func(words string) bool { return strings.HasPrefix(err.Detail, words) }) {
		return "union"
	}
	return err.Detail
}
