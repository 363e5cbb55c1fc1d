package dispatch

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/trace"
)

// Package differential compares the choice of the user with the server's own choice. This test is about the location of
// the files.
func TestCredentialFiles(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	server := webhooktest.Serve(t, authority.Certificate(aWhile, serviceName), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		who := "nobody"
		if certs := r.TLS.PeerCertificates; len(certs) > 0 {
			who = certs[0].Subject.CommonName
		}
		http.Error(w, who+" "+r.Header.Get("Authorization"), http.StatusForbidden)
	}))
	dir := t.TempDir()
	cert, key := authority.Sign(aWhile, "apiserver")
	for name, text := range map[string][]byte{"tls.crt": cert, "tls.key": key, "token": []byte("from a file")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	kubeconfig := `{"users": [{"name": "*", "user": {"client-certificate": "tls.crt", "client-key": "tls.key", "tokenFile": "token"}}],
		"clusters": [{"name": "c", "cluster": {"server": "https://unused", "certificate-authority": "unused.crt"}}]}`
	configuration, err := json.Marshal(map[string]any{
		"apiVersion": "apiserver.config.k8s.io/v1", "kind": "WebhookAdmissionConfiguration",
		"kubeConfigFile": filepath.Join(dir, "kubeconfig"), "kubeConfig": json.RawMessage(kubeconfig),
	})
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := ParseWebhookAdmission(configuration)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, ClientOptions{Services: serviceAt(server.Address), Credentials: map[trace.Phase]*Credentials{trace.Mutating: credentials}})
	h := atService(c, authority.Bundle)
	want := internalError(h.Name, "failed to call webhook: apiserver Bearer from a file")
	if diff := cmp.Diff(want, callPod(t, h).Hook.Denial); diff != "" {
		t.Errorf("W-153: (-want +got):\n%s", diff)
	}
	h.Phase = trace.Validating // this plugin is configured separately
	want = internalError(h.Name, "failed to call webhook: nobody")
	if diff := cmp.Diff(want, callPod(t, h).Hook.Denial); diff != "" {
		t.Errorf("W-153: (-want +got):\n%s", diff)
	}
}

func TestExecIsRefused(t *testing.T) {
	credentials, err := ParseKubeconfig([]byte(`{"users": [{"name": "*.svc", "user": {"exec": {"command": "aws", "apiVersion": "client.authentication.k8s.io/v1", "interactiveMode": "Never"}}}]}`), "kubeconfig")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, ClientOptions{Services: serviceAt("127.0.0.1:1"), Credentials: map[trace.Phase]*Credentials{trace.Mutating: credentials}})
	_, err = New(counter()).Call(t.Context(), atService(c, nil), reviewOf(podRequest()))
	want := `no answer for webhook cfg/h.example.com: user "*.svc" of the kubeconfig gets its credentials from the program aws, which admsim does not run: give it a token or a client certificate`
	if text(err) != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestBadConfigurations(t *testing.T) {
	for name, tt := range map[string]struct{ configuration, want string }{
		"not JSON":         {`{`, "unexpected end of JSON input"},
		"file not read":    {`{"kind":"WebhookAdmissionConfiguration","kubeConfigFile":"/a"}`, `kubeConfigFile: Not found: "/a"`},
		"no kubeconfig":    {`{"kind":"WebhookAdmissionConfiguration","kubeConfigFile":"/a","kubeConfig":{"kind":"Pod"}}`, "kubeconfig /a: "},
		"no configuration": {"", ""},
		"nothing in it":    {`{"kind":"WebhookAdmissionConfiguration"}`, ""},
	} {
		credentials, err := ParseWebhookAdmission([]byte(tt.configuration))
		if credentials != nil || !strings.HasPrefix(fmt.Sprint(text(err)), tt.want) || tt.want == "" && err != nil {
			t.Errorf("%s: %v, error %v; want %q", name, credentials, err, tt.want)
		}
	}
}
