package process

import (
	"strings"
	"testing"
)

// Placeholders are replaced by their values, and nothing else in a text has a meaning.
func TestExpand(t *testing.T) {
	v := variablesOf(8443, 9090, "/tmp/certs", Options{Server: "https://127.0.0.1:6443", Account: "/tmp/account"})
	for _, tt := range []struct{ reason, text, want string }{
		{"nothing to expand", "--verbose={a} $HOME %s }}", "--verbose={a} $HOME %s }}"},
		{"one", "--port={{.Port}}", "--port=8443"},
		{"several", "{{.Address}},{{.CertDir}},{{.CertFile}},{{.KeyFile}},{{.CAFile}}", "127.0.0.1:8443,/tmp/certs,/tmp/certs/tls.crt,/tmp/certs/tls.key,/tmp/certs/ca.crt"},
		{"the health port", "--health-addr=127.0.0.1:{{.HealthPort}}", "--health-addr=127.0.0.1:9090"},
		{"with spaces", "{{ .Port }}", "8443"},
		{"the cluster", "{{.Kubeconfig}} {{.ServiceAccountDir}}", "/tmp/account/kubeconfig /tmp/account"},
		{"other braces", `--format={{"{{"}}.Port}}`, "--format={{.Port}}"},
	} {
		if got, err := v.expand(tt.text); got != tt.want || err != nil {
			t.Errorf("%s: expand(%s) = %q, %v, want %q", tt.reason, tt.text, got, err, tt.want)
		}
	}
}

// Errors have a position and, if possible, a suggestion.
func TestExpandFails(t *testing.T) {
	v := variablesOf(8443, 9090, "/tmp/certs", Options{Server: "https://127.0.0.1:6443", Account: "/tmp/account"})
	for _, tt := range []struct{ reason, text, want, hint string }{
		{"a typo", "--port={{.Prot}}", `"--port={{.Prot}}", column 8: there is no {{.Prot}}`, "did you mean {{.Port}}?"},
		{"no dot", "{{.Port}}{{certdir}}", `"{{.Port}}{{certdir}}", column 10: there is no {{certdir}}`, "did you mean {{.CertDir}}?"},
		{"not closed", "{{.Port}", `"{{.Port}", column 1: {{ is not closed by }}`, "these can stand there: {{.Port}}, {{.HealthPort}}, {{.Address}}, "},
		{"a template of Go", `{{printf "%d" .Port}}`, `column 1: there is no {{printf "%d" .Port}}`, `{{"{{"}} stands for {{ itself`},
	} {
		_, err := v.expand(tt.text)
		if err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: expand(%s): %v, want %s", tt.reason, tt.text, err, tt.want)
		}
		if hint := Hint(err, []string{"hook"}, Options{}); !strings.Contains(hint, tt.hint) {
			t.Errorf("%s: the hint is %q, want %q", tt.reason, hint, tt.hint)
		}
	}
}
