package objects

import (
	"k8s.io/apimachinery/pkg/api/validation"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// Names are mostly right, which takes the library a regular expression to find out: a twentieth
// of what a pod costs. Here they are looked at letter by letter, and only of one that is not
// right, the library says what is wrong.

// dns1123Label says what is wrong with a DNS label.
func dns1123Label(name string) []string {
	if len(name) <= utilvalidation.DNS1123LabelMaxLength && isDNS(name, false) {
		return nil
	}
	return utilvalidation.IsDNS1123Label(name)
}

// dns1123Subdomain says what is wrong with labels that have dots between them.
func dns1123Subdomain(name string) []string {
	if isSubdomain(name) {
		return nil
	}
	return utilvalidation.IsDNS1123Subdomain(name)
}

// dnsLabel and dnsSubdomain are these two as rules for names, which may be prefixes of others.
func dnsLabel(name string, prefix bool) []string {
	if prefix {
		return validation.NameIsDNSLabel(name, prefix)
	}
	return dns1123Label(name)
}

func dnsSubdomain(name string, prefix bool) []string {
	if prefix {
		return validation.NameIsDNSSubdomain(name, prefix)
	}
	return dns1123Subdomain(name)
}

// labelName says what is wrong with the key of a label.
func labelName(key string, at *field.Path) field.ErrorList {
	if isLabelKey(key) {
		return nil
	}
	return metav1validation.ValidateLabelName(key, at)
}

func isSubdomain(name string) bool {
	return len(name) <= utilvalidation.DNS1123SubdomainMaxLength && isDNS(name, true)
}

// isDNS tells whether a name is of small letters, digits, and dashes between them, and, where
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

// isLabelKey tells whether a key is a name, maybe after a subdomain and a slash.
func isLabelKey(key string) bool {
	for i := range len(key) {
		if key[i] == '/' {
			return isSubdomain(key[:i]) && isLabelText(key[i+1:])
		}
	}
	return isLabelText(key)
}

// isLabelText tells whether a text begins and ends with a letter or digit, and has of other
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
