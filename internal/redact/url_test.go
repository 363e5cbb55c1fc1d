package redact

import (
	"regexp"
	"testing"
)

func TestCredentials(t *testing.T) {
	for text, want := range map[string]string{
		`Invalid value: "https://me:hunter2@a.example/x": no`:                               `Invalid value: "https://REDACTED@a.example/x": no`,
		"https://ghp_hunter2@a.example":                                                     "https://REDACTED@a.example",
		"https://me:hun@ter2@a.example/x":                                                   "https://REDACTED@a.example/x",
		"parse https://me:hun/ter2@a.example: invalid port":                                 "parse https://REDACTED@a.example: invalid port",
		"https://a.example/x?access_token=hunter2&a=b":                                      "https://a.example/x?access_token=REDACTED&a=b",
		"https://a.example/x?a=b&X-Amz-Signature=hunter2#c":                                 "https://a.example/x?a=b&X-Amz-Signature=REDACTED#c",
		"Authorization: Bearer hunter2hunter2":                                              "Authorization: Bearer REDACTED",
		"https://a.example:8443/x@v1":                                                       "https://a.example:8443/x@v1",
		"https://a.example/@scope/x?timeout=10s, mail me@a.example":                         "https://a.example/@scope/x?timeout=10s, mail me@a.example",
		`Invalid value: "me:hun\"ter2": user information is not permitted in the URL`:       `Invalid value: "REDACTED": user information is not permitted in the URL`,
		`"a" is: Invalid value: "b=hunter2": query parameters are not permitted in the URL`: `"a" is: Invalid value: "REDACTED": query parameters are not permitted in the URL`,
		"the basic rules of a bearer":                                                       "the basic rules of a bearer",
	} {
		if got := Credentials(text); got != want {
			t.Errorf("Credentials(%q) = %q, want %q", text, got, want)
		}
	}
}

// FuzzQueryWithout checks that the same parameters are hidden as by a single slow expression.
func FuzzQueryWithout(f *testing.F) {
	slow := regexp.MustCompile(`(?i)([?&](?:[a-z0-9._-]*(?:token|password|passwd|secret|credential|api[_-]?key|signature|access[_-]?key)|pwd|sig|auth|key)=)[^&\s"'<>#]+`)
	for _, text := range []string{
		"https://a.example/x?access_token=hunter2&a=b", "?a=b&key=c&key=d=e?pwd=f", "?key=&key= key=x", "&&auth==?sig=#", "x=?token=é&AUTH=1\u00a02",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := queryWithout(text), slow.ReplaceAllString(text, "${1}REDACTED"); got != want {
			t.Errorf("queryWithout(%q) = %q, want %q", text, got, want)
		}
	})
}
