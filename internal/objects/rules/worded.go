package rules

import (
	"regexp"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Worded returns errors in the wording of a release, and does not change the errors passed in:
// kubernetes/apimachinery:pkg/util/validation/field/errors.go.
func Worded(r *kubeversion.Release, errs field.ErrorList) field.ErrorList {
	if r.Has(kubeversion.InternalTypesAsV1) {
		return errs
	}
	var worded Errors
	worded.Add(make(field.ErrorList, 0, len(errs)))
	for _, err := range errs {
		e := ownerBefore(*err)
		e.Detail = detailIn(r, namesBefore(r, e.Detail))
		if !r.Has(kubeversion.OwnerKindsNamed) {
			e.Detail = twoControllers.ReplaceAllString(e.Detail, "$1 for $2 and $3")
		}
		withoutLaterChoices(r, &e)
		if shown, ok := e.BadValue.(internalForm); ok {
			e.BadValue = internalIn{shown, r}
		}
		if r.Has(kubeversion.BytesInDetails) {
			worded.Append(&e)
			continue
		}
		e.Detail = tooManyBytes.ReplaceAllString(e.Detail, "must be no more than $1 characters")
		worded.Append(&e)
		if !r.Has(kubeversion.TerseDetails) {
			e.Detail = detailBefore(&e)
		}
		if !r.Has(kubeversion.NoPathsNamed) && e.Field == noPath {
			e.Field = ""
		}
		if !r.Has(kubeversion.LostVersionsExplained) {
			e.Detail = notServed.ReplaceAllString(e.Detail, "must appear in spec.versions")
		}
		if !r.Has(kubeversion.LengthsInBytes) {
			e.Detail = typeGot.ReplaceAllString(e.Detail, "$1")
		}
		if !r.Has(kubeversion.DeviceErrorsDeclared) {
			deviceBefore(r, &e)
		}
		if e.BadValue == any(noDriver{}) && !r.Has(kubeversion.NamelessDriversOnce) {
			worded.Append(&field.Error{Type: field.ErrorTypeInvalid, Field: e.Field, BadValue: "", Detail: detailIn(r, DNS1123Subdomain("")[0])})
		}
		if r.Has(kubeversion.ValuesAsJSON) {
			continue
		}
		if name, ok := e.BadValue.(corev1.ResourceName); ok && !r.Has(kubeversion.ResourceNamesTyped) {
			e.BadValue = string(name)
		}
		e.BadValue = asGo(e.BadValue, r)
		switch e.Type {
		case field.ErrorTypeTooLong:
			e.Detail = tooLong(r, e)
		case field.ErrorTypeTooMany:
			e.Detail = strings.Replace(e.Detail, "at most 1 item", "at most 1 items", 1)
		}
	}
	return worded.List()
}

// noPath is the field of an error about a whole object, since [kubeversion.NoPathsNamed].
var noPath = (*field.Path)(nil).String()

// ownerBefore returns an error about an owner as it was up to 1.36: it did not say which owner it was about, and
// reported missing values as invalid (kubernetes/apimachinery:pkg/api/validation/objectmeta.go).
func ownerBefore(e field.Error) field.Error {
	owners, part, found := strings.Cut(e.Field, ".ownerReferences[")
	if !found {
		return e
	}
	_, part, _ = strings.Cut(part, "]")
	e.Field = owners + ".ownerReferences" + part
	if e.Type != field.ErrorTypeRequired && !(part == ".apiVersion" && e.Type == field.ErrorTypeInvalid) {
		return e
	}
	switch part {
	case ".apiVersion":
		if e.Type == field.ErrorTypeRequired {
			e.BadValue = ""
		}
		e.Type, e.Detail = field.ErrorTypeInvalid, "version must not be empty"
	case ".kind", ".name", ".uid":
		e.Type, e.BadValue, e.Detail = field.ErrorTypeInvalid, "", "must not be empty"
	}
	return e
}

// twoControllers matches the error about a second owner that controls an object;
// kubernetes/apimachinery:pkg/api/validation/objectmeta.go.
var twoControllers = regexp.MustCompile(`^(Only one reference .+) for [^/]+/(.+) and [^/]+/(.+)$`)

// tooManyBytes matches the error about a name or label that is too long. Up to 1.34 it spoke of characters;
// kubernetes/apimachinery:pkg/api/validate/content/errors.go.
var tooManyBytes = regexp.MustCompile(`must be no more than (\d+) bytes`)

// typeGot matches the expected and the actual type of an expression. The latter was missing up to 1.31;
// kubernetes/apiserver:pkg/admission/plugin/cel/compile.go.
var typeGot = regexp.MustCompile(`^(must evaluate to .+) but got .+$`)

// notServed matches the error about a removed version of a CRD in which objects may be stored. It was shorter up to
// 1.32; kubernetes/apiextensions-apiserver:pkg/apis/apiextensions/validation/validation.go.
var notServed = regexp.MustCompile(`^missing from spec\.versions; .+$`)

var longest = regexp.MustCompile(`^may not be more than (\d+) bytes?$`)

// tooLong has two forms up to 1.31, one of which speaks of characters up to 1.16, and no singular up to 1.33.
func tooLong(r *kubeversion.Release, err field.Error) string {
	form := "may not be more than $1 bytes"
	switch {
	case r.Has(kubeversion.LengthsInBytes):
	case strings.HasSuffix(err.Field, ".managedBy"), strings.HasSuffix(err.Field, ".localhostProfile"), strings.Contains(err.Field, "openAPIV3Schema"):
		form = "may not be longer than $1"
	case r.Has(kubeversion.LongestInBytes):
		form = "must have at most $1 bytes"
	default:
		form = "must have at most $1 characters"
	}
	return longest.ReplaceAllString(err.Detail, form)
}
