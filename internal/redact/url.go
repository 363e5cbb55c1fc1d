package redact

import (
	"regexp"
	"strings"
	"sync"
)

// addressForms are the forms in which texts about addresses have credentials.
type addressForms struct{ userInfo, inQuery, notInURL, notInJSON, inHeaders *regexp.Regexp }

// forms are compiled when the first text needs them: most commands see none.
var forms = sync.OnceValue(func() addressForms {
	return addressForms{
		// A text with a slash in its password is not a URL, but the error about it shows all of it.
		userInfo: regexp.MustCompile(`(://)(?:[^/?#\s"'<>]*|[^/?#\s"'<>:@]*:\d*[^0-9/\s"'<>@][^\s"'<>@]*)@`),
		inQuery:  regexp.MustCompile(`(?i)^[?&](?:[a-z0-9._-]*(?:token|password|passwd|secret|credential|api[_-]?key|signature|access[_-]?key)|pwd|sig|auth|key)=$`),
		// The API server quotes these parts of URLs separately.
		notInURL:  regexp.MustCompile(`"(?:[^"\\]|\\.)*"(: (?:user information is|query parameters are) not permitted in the URL)`),
		notInJSON: regexp.MustCompile(`\\"(?:[^"\\]|\\\\.)*\\"(: (?:user information is|query parameters are) not permitted in the URL)`),
		inHeaders: regexp.MustCompile(`(?i)\b((?:bearer|basic)\s+)[a-z0-9._~+/=-]{8,}`),
	}
})

// Credentials returns text without credentials: the user info of URLs, query parameters that are tokens or passwords,
// and the values of Authorization headers. It is meant for texts about addresses, such as errors, for which the secrets
// are not known.
func Credentials(text string) string {
	if strings.Contains(text, "://") {
		text = forms().userInfo.ReplaceAllString(text, "${1}REDACTED@")
	}
	if strings.Contains(text, " not permitted in the URL") {
		text = forms().notInURL.ReplaceAllString(text, `"REDACTED"$1`)
		text = forms().notInJSON.ReplaceAllString(text, `\"REDACTED\"$1`)
	}
	text = queryWithout(text)
	if low := lower(text); strings.Contains(low, "bearer ") || strings.Contains(low, "basic ") {
		text = forms().inHeaders.ReplaceAllString(text, "${1}REDACTED")
	}
	return text
}

// queryWithout hides query parameters. It looks at the text before each equals sign, because messages of many megabytes
// contain many question marks but few equals signs.
func queryWithout(text string) string {
	var b strings.Builder
	written, from := 0, 0 // everything before from has been searched
	for {
		length := strings.IndexByte(text[from:], '=') + 1
		if length == 0 {
			break
		}
		before := text[from : from+length]
		from += length
		name := strings.LastIndexAny(before, "?&")
		if name < 0 || !forms().inQuery.MatchString(before[name:]) {
			continue
		}
		value := text[from:]
		if end := strings.IndexAny(value, "& \t\n\f\r\"'<>#"); end >= 0 {
			value = value[:end]
		}
		if value != "" {
			b.WriteString(text[written:from] + "REDACTED")
			from += len(value)
			written = from
		}
	}
	if written == 0 {
		return text
	}
	b.WriteString(text[written:])
	return b.String()
}
