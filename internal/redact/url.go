package redact

import (
	"strings"

	"github.com/admsim/admsim/internal/lazyregexp"
)

var (
	// Whoever writes a password with a slash in it writes no URL, and is told so with all of it.
	userInfo = lazyregexp.New(`(://)(?:[^/?#\s"'<>]*|[^/?#\s"'<>:@]*:\d*[^0-9/\s"'<>@][^\s"'<>@]*)@`)
	inQuery  = lazyregexp.New(`(?i)([?&](?:[a-z0-9._-]*(?:token|password|passwd|secret|credential|api[_-]?key|signature|access[_-]?key)|pwd|sig|auth|key)=)[^&\s"'<>#]+`)
	// The API server quotes these parts of URLs by themselves.
	notInURL  = lazyregexp.New(`"(?:[^"\\]|\\.)*"(: (?:user information is|query parameters are) not permitted in the URL)`)
	notInJSON = lazyregexp.New(`\\"(?:[^"\\]|\\\\.)*\\"(: (?:user information is|query parameters are) not permitted in the URL)`)
	inHeaders = lazyregexp.New(`(?i)\b((?:bearer|basic)\s+)[a-z0-9._~+/=-]{8,}`)
)

// Credentials returns text without what gives access: who a URL says is asking, the parameters of its query
// that are tokens or passwords, and what an Authorization header holds. It is for texts about
// addresses, such as errors, where nobody knows what the secrets are.
func Credentials(text string) string {
	if strings.Contains(text, "://") {
		text = userInfo().ReplaceAllString(text, "${1}REDACTED@")
	}
	if strings.Contains(text, " not permitted in the URL") {
		text = notInURL().ReplaceAllString(text, `"REDACTED"$1`)
		text = notInJSON().ReplaceAllString(text, `\"REDACTED\"$1`)
	}
	if strings.ContainsAny(text, "?&") {
		text = inQuery().ReplaceAllString(text, "${1}REDACTED")
	}
	if low := lower(text); strings.Contains(low, "bearer ") || strings.Contains(low, "basic ") {
		text = inHeaders().ReplaceAllString(text, "${1}REDACTED")
	}
	return text
}
