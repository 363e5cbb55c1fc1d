package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// The n-th call of a request gets the n-th answer, and Calls returns the calls in the order of recordings: mutating
// ones in order, then validating ones by webhook. Calls for the server's own requests are answered, but neither counted
// nor returned.
func TestWebhooksCount(t *testing.T) {
	hooks, err := NewWebhooks(&Recording{Webhooks: map[string][]json.RawMessage{
		"c/b": {[]byte(`{"raw":"first"}`), []byte(`{"raw":"second"}`)},
	}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(hooks)
	defer server.Close()
	ask := func(path, user string) string {
		t.Helper()
		body := fmt.Sprintf(`{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","userInfo":{"username":%q}}}`, user)
		resp, err := http.Post(server.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = resp.Body.Close() }()
		text, err := io.ReadAll(resp.Body)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	for _, step := range []struct{ path, user, want string }{
		{"/validating/c/b?timeout=10s", "oracle", "first"},
		{"/validating/c/b", "system:apiserver", "first"},
		{"/validating/c/a", "oracle", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true}}`},
		{"/mutating/c/z", "oracle", `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","response":{"uid":"u","allowed":true}}`},
		{"/validating/c/b", "oracle", "second"},
		{"/validating/c/b", "oracle", "second"},
	} {
		if got := ask(step.path, step.user); got != step.want {
			t.Errorf("%s of %s is answered %s, want %s", step.path, step.user, got, step.want)
		}
	}
	var got []string
	for _, c := range hooks.Calls() {
		call := c.(map[string]any)
		got = append(got, fmt.Sprint(call["phase"], " ", call["webhook"], " ", call["query"]))
	}
	want := []string{"mutating c/z ", "validating c/a ", "validating c/b timeout=10s", "validating c/b ", "validating c/b "}
	if !slices.Equal(got, want) {
		t.Errorf("the calls are %q, want %q", got, want)
	}
	if got := ask("/validating/c/b", "oracle"); got != "first" {
		t.Errorf("the first call of the next request is answered %s, want first", got)
	}
}
