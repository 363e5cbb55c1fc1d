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

// Names are mostly right, which takes the library a regular expression to find out: a twentieth
// of what a pod costs. Here they are looked at letter by letter, and only of one that is not
// right, the library says what is wrong.

// DNS1123Label says what is wrong with a DNS label.
func DNS1123Label(name string) []string {
	if len(name) <= utilvalidation.DNS1123LabelMaxLength && isDNS(name, false) {
		return nil
	}
	return utilvalidation.IsDNS1123Label(name)
}

// DNS1123Subdomain says what is wrong with labels that have dots between them.
func DNS1123Subdomain(name string) []string {
	if isSubdomain(name) {
		return nil
	}
	return utilvalidation.IsDNS1123Subdomain(name)
}

// DNSLabel and DNSSubdomain are these two as rules for names, which may be prefixes of others.
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

// longName is DNSSubdomain in the words of a declared format, which is not asked about prefixes.
func longName(name string, prefix bool) []string {
	if prefix || isSubdomain(name) {
		return nil
	}
	var wrong []string
	for _, err := range validate.LongName(context.Background(), operation.Operation{}, nil, &name, nil) {
		wrong = append(wrong, err.Detail)
	}
	return wrong
}

// LabelName says what is wrong with the key of a label.
func LabelName(key string, at *field.Path) field.ErrorList {
	if isLabelKey(key) {
		return nil
	}
	return metav1validation.ValidateLabelName(key, at)
}

func isSubdomain(name string) bool {
	return len(name) <= utilvalidation.DNS1123SubdomainMaxLength && isDNS(name, true)
}

// isDNS reports whether a name is of small letters, digits, and dashes between them, and, where
// dots are allowed, of several such parts.
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

// isLabelKey reports whether a key is a name, maybe after a subdomain and a slash.
func isLabelKey(key string) bool {
	for i := range len(key) {
		if key[i] == '/' {
			return isSubdomain(key[:i]) && isLabelText(key[i+1:])
		}
	}
	return isLabelText(key)
}

// isLabelText reports whether a text begins and ends with a letter or digit, and has of other
// characters only dashes, dots and underscores.
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

// ServiceName is the rule for names of services: since 1.36 they may start with a digit.
func ServiceName(r Request) validation.ValidateNameFunc {
	if r.Release.Has(kubeversion.RelaxedServiceNames) {
		return DNSLabel
	}
	return DNS1035Label
}

// Semver is the form of versions: https://semver.org, without a limit to the numbers.
var Semver = regexp.MustCompile(`^(0|[1-9]\d*)(\.(0|[1-9]\d*)){2}` +
	`(-(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(\.(0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*)?` +
	`(\+[0-9a-zA-Z-]+(\.[0-9a-zA-Z-]+)*)?$`)

// IsKubernetesSigner reports whether a signer is one of Kubernetes' own.
func IsKubernetesSigner(name string) bool {
	domain, _, _ := strings.Cut(name, "/")
	return domain == "kubernetes.io" || strings.HasSuffix(domain, ".kubernetes.io")
}

// SignerName checks the name of a signer of certificates: a domain, and a path of one part.
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

// DriverName checks the name of a CSI driver.
func DriverName(name string, at *field.Path) field.ErrorList {
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	var errs Errors
	if len(name) > maxDriverName {
		errs.TooLong(at, "", maxDriverName)
	}
	errs.Add(Faults(at, name, DNS1123Subdomain(strings.ToLower(name))))
	return errs.List()
}
