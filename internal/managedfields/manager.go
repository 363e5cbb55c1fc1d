package managedfields

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
)

// ManagerOf returns the field manager of a client that does not name one:
// kubernetes/apiserver:pkg/endpoints/handlers/create.go, prefixFromUserAgent.
func ManagerOf(userAgent string) string {
	program, _, _ := strings.Cut(userAgent, "/")
	var b strings.Builder
	for _, r := range program {
		if !unicode.IsPrint(r) {
			continue
		}
		if b.Len()+utf8.RuneLen(r) > validation.FieldManagerMaxLength {
			break
		}
		b.WriteRune(r)
	}
	return b.String()
}
