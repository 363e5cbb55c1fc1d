package redact

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"strings"
	"testing"
)

// secretOf returns a pass that knows one secret.
func secretOf(t *testing.T, secret string) *Pass {
	t.Helper()
	r, err := New()
	if err != nil {
		t.Fatal(err)
	}
	p := r.Begin()
	p.Object(map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"a": secret}})
	return p
}

func TestForms(t *testing.T) {
	const secret = `hunter2/"quoted"<&é` + "\n" + `\end`
	quoted, err := json.Marshal(secret)
	if err != nil {
		t.Fatal(err)
	}
	twice, err := json.Marshal(string(quoted))
	if err != nil {
		t.Fatal(err)
	}
	once := base64.StdEncoding.EncodeToString([]byte(secret))
	for form, text := range map[string]string{
		"itself":          secret,
		"JSON":            string(quoted),
		"JSON in JSON":    string(twice),
		"Go":              fmt.Sprintf("%q", secret),
		"ASCII Go":        fmt.Sprintf("%+q", secret),
		"HTML":            html.EscapeString(secret),
		"a query":         url.QueryEscape(secret),
		"a path":          url.PathEscape(secret),
		"base64":          once,
		"raw base64":      base64.RawURLEncoding.EncodeToString([]byte(secret)),
		"base64 twice":    base64.StdEncoding.EncodeToString([]byte(once)),
		"hex":             hex.EncodeToString([]byte(secret)),
		"upper case hex":  strings.ToUpper(hex.EncodeToString([]byte(secret))),
		"upper case":      strings.ToUpper(secret[:17]),
		"lower case":      strings.ToLower(secret),
		"a part":          secret[2:11],
		"a part in upper": strings.ToUpper(secret[5:13]),
		"reversed":        reversed(secret),
		"a JSON pointer":  strings.ReplaceAll(secret, "/", "~1"),
	} {
		got := secretOf(t, secret).Text("a " + text + " b")
		if !strings.Contains(got, "REDACTED-1") || strings.Contains(strings.ToLower(got), "hunter2") || len(got) > len(`a """REDACTED-1""" b`) {
			t.Errorf("%s: %q is %q", form, text, got)
		}
	}
}

// A secret inside a longer text is found in the base64 encoding of that text, wherever it begins.
func TestShifted(t *testing.T) {
	const secret = "TOPSECRETVALUE1"
	for _, text := range []string{"u:" + secret, "us:" + secret + "!", "use:" + secret + "..", secret + "x"} {
		encoded := base64.StdEncoding.EncodeToString([]byte(text))
		got := secretOf(t, secret).Text(encoded)
		if !strings.Contains(got, "REDACTED-1") || len(got) > len("REDACTED-1")+14 {
			t.Errorf("%s in base64, %s, is %s", text, encoded, got)
		}
	}
}

func TestTextLeavesAlone(t *testing.T) {
	p := secretOf(t, "-----BEGIN CERTIFICATE-----\nMIIB0000111122223333\n-----END CERTIFICATE-----\n")
	p.Object(map[string]any{"apiVersion": "v1", "kind": "Secret", "stringData": map[string]any{"namespace": "shop-prod", "short": "admin", "user": "REDACTED-7"}})
	p.Public("shop-prod", "MIIB0000")
	for _, text := range []string{
		"the certificate has expired", "-----BEGIN CERTIFICATE-----", `namespace "shop-prod"`, "system:admin", "REDACTED-7", "REDACTED-1",
		"MIIB0000", "",
	} {
		if got := p.Text(text); got != text {
			t.Errorf("Text(%q) = %q", text, got)
		}
	}
}

// A text that was made of secrets is found as it is, however short, but no part of it is.
func TestMade(t *testing.T) {
	p := secretOf(t, "hunter2hunter2")
	if got := p.Made("HUNTER2HUNT"); got != "REDACTED-1" {
		t.Errorf("Made of a form of the secret is %q, want its word", got)
	}
	word := p.Made(" it begins with h\n")
	shortSecret := p.Made("hu")
	for text, want := range map[string]string{
		"denied: it begins with h":   "denied: " + word,
		`{"m":"it begins with h"}`:   `{"m":"` + word + `"}`,
		"it begins with a":           "it begins with a",
		"said: hu":                   "said: " + shortSecret,
		"the hue":                    "the hue",
		"Hu":                         "Hu",
		"denied: it begins with h i": "denied: " + word + " i",
	} {
		if got := p.Text(text); got != want {
			t.Errorf("Text(%q) = %q, want %q", text, got, want)
		}
	}
}

// The longer a secret, the longer the parts that are found; the finder stays small.
func TestLongSecret(t *testing.T) {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "%x,", i*2654435761)
	}
	p := secretOf(t, b.String())
	part := b.String()[500001 : 500001+200]
	if got := p.Text("a " + part + " b"); strings.Contains(got, part[70:130]) {
		t.Errorf("a part of a long secret is not hidden: %q", got)
	}
	if n := len(p.own().starts); n > 8*maxParts {
		t.Errorf("a secret of 1 MiB has %d parts", n)
	}
}

func TestWithout(t *testing.T) {
	type Inner struct {
		Text    string
		private string
	}
	type outer struct {
		Inner
		Raw  json.RawMessage
		Map  map[string]string
		List []*Inner
		Any  any
	}
	p := secretOf(t, "hunter2hunter2")
	before := outer{Inner{"hunter2hunter2", "hunter2hunter2"}, json.RawMessage(`{"a":"hunter2hunter2","n":12345678901234567890}`),
		map[string]string{"k": "hunter2hunter2"}, []*Inner{{Text: "hunter2hunter2"}}, map[string]any{"hunter2hunter2": 1}}
	after := Without(p, before)
	if after.Text != "REDACTED-1" || string(after.Raw) != `{"a":"REDACTED-1","n":12345678901234567890}` || after.Map["k"] != "REDACTED-1" ||
		after.List[0].Text != "REDACTED-1" || after.Any.(map[string]any)["REDACTED-1"] != 1 || after.private != before.private {
		t.Errorf("Without = %+v", after)
	}
	if before.List[0].Text != "hunter2hunter2" || before.Map["k"] != "hunter2hunter2" {
		t.Errorf("Without changed %+v", before)
	}
}
