package plugins

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/pluginworld"
	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// ImagePolicyWebhook calls the service in its kubeconfig over HTTPS, with the certificates and the user that the
// kubeconfig names.
func TestImagePolicyOverHTTPS(t *testing.T) {
	const path = "/images"
	authority := webhooktest.NewAuthority(t)
	var asked string
	server := webhooktest.Serve(t, authority.Certificate(time.Hour, "images.example.com"), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = fmt.Sprintf("%s %s, %s, token %q, agent %q", r.Method, r.URL, r.TLS.ServerName, r.Header.Get("Authorization"), r.UserAgent())
		for _, cert := range r.TLS.PeerCertificates {
			asked += ", certificate of " + cert.Subject.CommonName
		}
		_, _ = fmt.Fprint(w, `{"apiVersion":"imagepolicy.k8s.io/v1alpha1","kind":"ImageReview","status":{"allowed":false,"reason":"too old"}}`)
	}))
	dir := t.TempDir()
	cert, key := authority.Sign(time.Hour, "apiserver")
	for name, text := range map[string][]byte{"tls.crt": cert, "tls.key": key, "ca.crt": authority.Bundle, "token": []byte("secret")} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ why, cluster, user, want string }{
		{"a token and a name in the certificate", `{"certificate-authority": "ca.crt", "tls-server-name": "images.example.com"}`, `{"tokenFile": "token"}`,
			`POST /images?timeout=30s, images.example.com, token "Bearer secret", agent "Go-http-client/2.0"`},
		{"a client certificate, and a server whose name is not checked", `{"insecure-skip-tls-verify": true}`, `{"client-certificate": "tls.crt", "client-key": "tls.key"}`,
			`POST /images?timeout=30s, , token "", agent "Go-http-client/2.0", certificate of apiserver`},
		{"the wrong name", `{"certificate-authority": "ca.crt"}`, `{}`, ""},
	} {
		t.Run(c.why, func(t *testing.T) {
			asked = ""
			var cluster, user map[string]any
			if err := json.Unmarshal([]byte(c.cluster), &cluster); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(c.user), &user); err != nil {
				t.Fatal(err)
			}
			cluster["server"] = "https://" + server.Address + path
			configuration, err := json.Marshal(map[string]any{"imagePolicy": map[string]any{
				"kubeConfigFile": filepath.Join(dir, "kubeconfig"),
				"kubeConfig": map[string]any{
					"clusters":        []any{map[string]any{"name": "images", "cluster": cluster}},
					"users":           []any{map[string]any{"name": "me", "user": user}},
					"contexts":        []any{map[string]any{"name": "here", "context": map[string]any{"cluster": "images", "user": "me"}}},
					"current-context": "here",
				},
			}})
			if err != nil {
				t.Fatal(err)
			}
			client := dispatch.NewClient(dispatch.AllowNetwork(), dispatch.ClientOptions{})
			defer client.Close()
			w := pluginworld.New(t, kubeversion.Default(), nil)
			plugin, ok, err := build("ImagePolicyWebhook", Options{
				Release: kubeversion.Default(), Configuration: configuration, Now: time.Now,
				Backends: func(string, string) dispatch.Backend { return client },
			})
			if err != nil || !ok {
				t.Fatal(err, ok)
			}
			req := w.Request(t, "create pods shop/p", []byte("{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: shop}, spec: {containers: [{name: c, image: i}]}}"))
			step, err := plugin.Validator.Validate(t.Context(), w.State, req)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, asked); diff != "" {
				t.Errorf("request to the service (-want +got):\n%s", diff)
			}
			want := `pods "p" is forbidden: image policy webhook backend denied one or more images: too old`
			if c.want == "" {
				want = fmt.Sprintf(`pods "p" is forbidden: Post "https://%s/images?timeout=30s": tls: failed to verify certificate: x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs`, server.Address)
			}
			if diff := cmp.Diff(want, step.Denial.Message); diff != "" {
				t.Errorf("the answer (-want +got):\n%s", diff)
			}
		})
	}
}
