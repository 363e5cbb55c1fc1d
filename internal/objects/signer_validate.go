package objects

import (
	"fmt"
	"strings"

	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// signerName checks the name of a signer of certificates: a domain, and a path of one part.
func signerName(name string, at *field.Path) field.ErrorList {
	const longest = utilvalidation.DNS1123SubdomainMaxLength
	if name == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	domain, path, ok := strings.Cut(name, "/")
	if !ok || strings.Contains(path, "/") {
		return field.ErrorList{field.Invalid(at, name, "must be a fully qualified domain and path of the form 'example.com/signer-name'")}
	}
	var errs field.ErrorList
	if len(domain) > longest {
		errs = append(errs, field.TooLong(at, "", longest))
	}
	errs = append(errs, labelsOf(domain, dns1123Label, at)...)
	errs = append(errs, unless(strings.Contains(domain, "."), at, domain, "should be a domain with at least two segments separated by dots")...)
	errs = append(errs, labelsOf(path, dns1123Subdomain, at)...)
	if max := longest + (longest + utilvalidation.DNS1123LabelMaxLength + 1) + 1; len(name) > max {
		errs = append(errs, field.TooLong(at, "", max))
	}
	return errs
}

// labelsOf checks the parts between dots, up to the first that is wrong.
func labelsOf(text string, check func(string) []string, at *field.Path) field.ErrorList {
	for _, label := range strings.Split(text, ".") {
		if wrong := check(label); len(wrong) > 0 {
			var errs field.ErrorList
			for _, m := range wrong {
				errs = append(errs, field.Invalid(at, text, fmt.Sprintf("validating label %q: %s", label, m)))
			}
			return errs
		}
	}
	return nil
}
