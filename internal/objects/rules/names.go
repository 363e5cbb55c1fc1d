package rules

import (
	"context"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// Names are mostly valid, but the library needs a regular expression to check them, which takes a twentieth of the time
// for a pod. The functions here check names character by character, and use the library only for the messages about
// invalid names.

// DNS1123Label returns what is wrong with a DNS label.
func DNS1123Label(name string) []string {
	if len(name) <= utilvalidation.DNS1123LabelMaxLength && isDNS(name, false) {
		return nil
	}
	return utilvalidation.IsDNS1123Label(name)
}

// DNS1123Subdomain returns what is wrong with labels separated by dots.
func DNS1123Subdomain(name string) []string {
	if isSubdomain(name) {
		return nil
	}
	return utilvalidation.IsDNS1123Subdomain(name)
}

// DNSLabel and DNSSubdomain apply these checks to names, which may be prefixes of others.
func DNSLabel(name string, prefix bool) []string {
	if prefix {
		return validation.NameIsDNSLabel(name, prefix)
	}
	return DNS1123Label(name)
}

func DNSSubdomain(name string, prefix bool) []string {
	if prefix {
		return validation.NameIsDNSSubdomain(name, prefix)
	}
	return DNS1123Subdomain(name)
}

// longName is DNSSubdomain as it is declared.
func longName(at *field.Path, name string) field.ErrorList {
	if isSubdomain(name) {
		return nil
	}
	return validate.LongName(context.Background(), operation.Operation{}, at, &name, nil).WithOrigin(Declared)
}

// LabelName returns what is wrong with the key of a label.
func LabelName(key string, at *field.Path) field.ErrorList {
	if isLabelKey(key) {
		return nil
	}
	return metav1validation.ValidateLabelName(key, at)
}

func isSubdomain(name string) bool {
	return len(name) <= utilvalidation.DNS1123SubdomainMaxLength && isDNS(name, true)
}

// isDNS reports whether a name consists of lowercase letters, digits, and dashes between them. If dots is set, it may
// be several such parts, separated by dots.
func isDNS(name string, dots bool) bool {
	edge := true // of a part
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', '0' <= c && c <= '9':
			edge = false
		case edge:
			return false
		case c == '-' && i+1 < len(name) && name[i+1] != '.':
		case c == '.' && dots:
			edge = true
		default:
			return false
		}
	}
	return !edge
}

// isLabelKey reports whether a key is a name, optionally after a subdomain and a slash.
func isLabelKey(key string) bool {
	for i := range len(key) {
		if key[i] == '/' {
			return isSubdomain(key[:i]) && isLabelText(key[i+1:])
		}
	}
	return isLabelText(key)
}

// isLabelText reports whether a text begins and ends with a letter or digit, and apart from these only contains dashes,
// dots and underscores.
func isLabelText(text string) bool {
	if text == "" || len(text) > utilvalidation.LabelValueMaxLength {
		return false
	}
	for i := range len(text) {
		switch c := text[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case c == '-' || c == '_' || c == '.':
			if i == 0 || i == len(text)-1 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

func Subdomain(name string, at *field.Path) field.ErrorList {
	return Faults(at, name, DNSSubdomain(name, false))
}

// ServiceName returns the rule for names of services: since 1.36 they may start with a digit.
func ServiceName(r Request) validation.ValidateNameFunc {
	if r.Release.Has(kubeversion.RelaxedServiceNames) {
		return DNSLabel
	}
	return DNS1035Label
}

// Semver is the format of versions: https://semver.org, without a limit on the numbers.
var Semver = regexp.MustCompile(`^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}` +
	`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
	`(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)

// IsKubernetesSigner reports whether a signer is one of Kubernetes' own.
func IsKubernetesSigner(name string) bool {
	domain, _, _ := strings.Cut(name, "/")
	return domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io")
}

// SignerName checks the name of a signer of certificates: a domain, and a path with one part.
func SignerName(name string, at *field.Path) field.ErrorList {
	const longest = utilvalidation.DNS1123SubdomainMaxLength
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	domain, path, ok := strings.Cut(name, "/")
	if !ok || strings.Contains(path, "/") {
		return field.ErrorList{field.Invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")}
	}
	var errs Errors
	if len(domain) > longest {
		errs.TooLong(at, "", longest)
	}
	errs.Add(labelsOf(domain, DNS1123Label, at))
	errs.Add(Unless(strings.Contains(domain, "."), at, domain, "should be a domain with at least two segments separated by dots"))
	errs.Add(labelsOf(path, DNS1123Subdomain, at))
	if max := longest + (longest + utilvalidation.DNS1123LabelMaxLength + 1) + 1; len(name) > max {
		errs.TooLong(at, "", max)
	}
	return errs.List()
}

const maxDriverName = 63

// noDriver is the value of a missing name of a driver. No error shows it.
type noDriver struct{}

// DriverName checks the name of a driver. If there is none, [Worded] also reports it as an invalid name, for the releases
// that did so.
func DriverName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		missing := field.Required(at, "")
		missing.BadValue = noDriver{}
		return field.ErrorList{missing}
	}
	var errs Errors
	if len(name) > maxDriverName {
		errs.TooLong(at, "", maxDriverName)
	}
	errs.Add(Faults(at, name, DNS1123Subdomain(strings.ToLower(name))))
	return errs.List()
}
