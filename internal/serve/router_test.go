package serve_test

import (
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/serve"
)

// Below the root of a web service, the router answers for what does not exist, for other methods and for formats that a
// document does not have. kube-apiservers 1.15.12, 1.20.15, 1.24.17, 1.30.14 and 1.37.2 gave these answers.
func TestRouter(t *testing.T) {
	const (
		inJSON   = "application/json"
		inText   = "text/plain; charset=utf-8"
		unknown  = `"message":"the server could not find the requested resource","reason":"NotFound","details":{},"code":404}`
		method   = `"message":"the server does not allow this method on the requested resource"`
		noPage   = "404 page not found\n"
		jwks     = "/openid/v1/jwks"
		jwksType = "application/jwk-set+json"
		oneSpace = "{\n  \"kind\": \"Status\",\n  \"apiVersion\": \"v1\",\n  \"metadata\": {},\n"
	)
	pages := serve.Options{Page: func(path, _ string) (contentType string, text []byte, ok bool) {
		return jwksType, []byte("{}"), path == jwks
	}}
	for _, tt := range []struct {
		releases, method, path, accept string
		code                           int
		contentType, body              string
	}{
		{"1.15 1.20 1.37", "GET", "/api/v2", "", 404, inJSON, unknown},
		{"1.15 1.20 1.37", "GET", "/api/v2/", "", 404, inJSON, unknown},
		{"1.15 1.20 1.37", "GET", "/apis/apps/v9", "", 404, inJSON, unknown},
		{"1.15 1.20 1.37", "POST", "/apis/apps/v9/", "", 404, inJSON, unknown},
		{"1.15 1.20 1.37", "GET", "/version/x", "", 404, inJSON, unknown},
		{"1.15 1.20 1.37", "GET", "/version/x", "text/plain", 404, inJSON, oneSpace},
		{"1.15 1.20 1.37", "GET", "/apis/nope/v1", "", 404, inText, noPage},
		{"1.15 1.20 1.37", "GET", "/version/", "", 200, inJSON, "{\n  \"major\": \"1\",\n"},
		{"1.15 1.20 1.24", "GET", "/version", "application/yaml", 406, "application/yaml", "message: '406: Not Acceptable'\n"},
		{"1.15 1.20 1.30", "GET", "/apis/apps", "text/plain", 406, inJSON, `"only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf"`},
		{"1.15 1.20 1.37", "GET", "/index.html", "text/html", 200, inJSON, "    \"/api\",\n    \"/api/v1\",\n    \"/apis\",\n    \"/apis/\",\n"},

		{"1.24 1.37", "GET", "/openapi/v3/x", "", 404, "", ""},
		{"1.24 1.37", "GET", "/openapi/v3/api/v9", "", 404, "", ""},
		{"1.24 1.37", "GET", "/openapi/v3x", "", 404, inText, noPage},

		{"1.20 1.37", "GET", jwks, "text/html, */*;q=0.1", 200, jwksType, "{}"},
		{"1.20 1.37", "GET", jwks + "/", "", 200, jwksType, "{}"},
		{"1.20 1.37", "POST", jwks, "", 405, inJSON, method},
		{"1.20 1.37", "GET", jwks + "/x", "", 404, inJSON, unknown},
		{"1.20 1.24", "GET", jwks, "application/json", 406, inJSON, `"message":"406: Not Acceptable","reason":"NotAcceptable"`},
		{"1.30 1.37", "GET", jwks, "application/json", 406, inJSON, `"message":"406: Not Acceptable\n\nAvailable representations: application/jwk-set+json"`},
		{"1.20 1.37", "GET", jwks, "text/plain", 406, inJSON, oneSpace},
		{"1.37", "GET", "/openid/v1", "", 404, inText, noPage},

		{"1.15 1.20 1.30", "GET", "/logs", "", 301, "", ""},
		{"1.15 1.20 1.30", "GET", "/logs/", "", 200, "text/html; charset=utf-8", "<pre>\n</pre>\n"},
		{"1.15 1.20 1.30", "GET", "/logs/x", "", 404, inText, noPage},
		{"1.15 1.20 1.30", "PUT", "/logs/x", "", 405, inJSON, method},
		{"1.37", "GET", "/logs", "", 404, inText, noPage},
	} {
		for release := range strings.FieldsSeq(tt.releases) {
			a := newServerOfRelease(t, release, nil, pages).do(tt.method, tt.path, "", "Accept", tt.accept)
			if got := a.header.Get("Content-Type"); a.code != tt.code || got != tt.contentType || !strings.Contains(string(a.body), tt.body) || tt.body == "" && len(a.body) > 0 {
				t.Errorf("%s: %s %s [%s]: %d %s %s, want %d %s %s", release, tt.method, tt.path, tt.accept, a.code, got, a.body, tt.code, tt.contentType, tt.body)
			}
		}
	}
	const openIDs = "ServiceAccountIssuerDiscovery"
	for _, tt := range []struct {
		release string
		gates   map[string]bool
		code    int
	}{
		{"1.17", nil, 404}, {"1.18", nil, 404}, {"1.18", map[string]bool{openIDs: true}, 200}, {"1.20", map[string]bool{openIDs: false}, 404}, {"1.23", nil, 200},
	} {
		if a := newServerOfRelease(t, tt.release, tt.gates, pages).do("GET", jwks, ""); a.code != tt.code {
			t.Errorf("%s %v: %d, want %d", tt.release, tt.gates, a.code, tt.code)
		}
	}
}
