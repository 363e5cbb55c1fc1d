package apiserver_test

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/envtest/apiserver"
	"github.com/admsim/admsim/internal/envtest/credentials"
	"github.com/admsim/admsim/internal/envtest/etcd"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// started runs a program until the returned function is called, which waits until the program has ended.
func started(t *testing.T, run func(ctx context.Context) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- run(ctx) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// free returns a port on which nothing listens.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

func startEtcd(t *testing.T, address, folder string) (stop func()) {
	t.Helper()
	server, err := etcd.Parse([]string{"--unsafe-no-fsync=true", "--listen-peer-urls=http://localhost:0", "--data-dir=" + folder, "--listen-client-urls=http://" + address})
	if err != nil {
		t.Fatal(err)
	}
	stop = started(t, func(ctx context.Context) error { return server.Run(ctx, t.Logf) })
	await(t, http.DefaultClient, "http://"+address+"/health")
	return stop
}

func await(t *testing.T, c *http.Client, url string) {
	t.Helper()
	for range 500 {
		if answer, err := c.Get(url); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatalf("%s never became ready", url)
}

// A plane is a kube-apiserver, started as envtest starts it, with the client of an administrator.
type plane struct {
	*testing.T
	url    string
	client *http.Client
	stop   func()
}

func apiServer(t *testing.T, keptBy string, more ...string) *plane {
	t.Helper()
	folder, now := t.TempDir(), time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		t.Fatal(err)
	}
	admin, err := authority.IssueClient(now, "admin", "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	bundle := filepath.Join(folder, "client-cert-auth-ca.crt")
	if err := os.WriteFile(bundle, authority.Bundle(), 0o600); err != nil {
		t.Fatal(err)
	}
	crt, key := filepath.Join(folder, "sa-signer.crt"), filepath.Join(folder, "sa-signer.key")
	if err := errors.Join(os.WriteFile(crt, admin.Certificate, 0o600), os.WriteFile(key, admin.Key, 0o600)); err != nil {
		t.Fatal(err)
	}
	address := free(t)
	host, port, _ := net.SplitHostPort(address)
	server, err := apiserver.Parse(append([]string{
		"--allow-privileged=true", "--authorization-mode=RBAC", "--bind-address=" + host, "--secure-port=" + port, "--cert-dir=" + folder, "--client-ca-file=" + bundle,
		"--disable-admission-plugins=ServiceAccount", "--etcd-servers=http://" + keptBy, "--service-account-issuer=https://" + address + "/",
		"--service-account-key-file=" + crt, "--service-account-signing-key-file=" + key, "--service-cluster-ip-range=10.0.0.0/24",
	}, more...), kubeversion.Default())
	if err != nil {
		t.Fatal(err)
	}
	stop := started(t, func(ctx context.Context) error {
		return server.Run(ctx, apiserver.Surroundings{
			Consent: consent.New(consent.Options{}), Say: t.Logf,
			Start: func(sim *simulator.Simulator, c credentials.Clients) (apiserver.Cluster, error) {
				return serving.Start(sim, serving.Options{Controllers: apiserver.Controllers(), Tokens: c.Tokens, NoAnonymous: c.NoAnonymous, Issuer: c.Issuer})
			},
		})
	})
	anybody := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}} // as envtest checks
	await(t, anybody, "https://"+address+"/healthz")
	pair, err := tls.X509KeyPair(admin.Certificate, admin.Key)
	if err != nil {
		t.Fatal(err)
	}
	served, err := os.ReadFile(filepath.Join(folder, "apiserver.crt"))
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(served)
	return &plane{t, "https://" + address, &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{Certificates: []tls.Certificate{pair}, RootCAs: roots}}}, stop}
}

type object struct {
	Code     int `json:"-"`
	Message  string
	Metadata struct{ Name, UID, ResourceVersion, DeletionTimestamp string }
	Spec     map[string]any
	Data     map[string]string
	Items    []object
	Status   struct {
		Token         string
		Authenticated bool
	}
}

func (p *plane) do(method, path, body string) (o object) {
	p.Helper()
	r, err := http.NewRequest(method, p.url+path, strings.NewReader(body))
	if err != nil {
		p.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := p.client.Do(r)
	if err != nil {
		p.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		p.Fatal(err)
	}
	_ = json.Unmarshal(text, &o) // without fields if the answer is not an object
	o.Code = answer.StatusCode
	return o
}

func (p *plane) must(method, path, body string) object {
	p.Helper()
	o := p.do(method, path, body)
	if o.Code >= 300 {
		p.Fatalf("%s %s: %d %s", method, path, o.Code, o.Message)
	}
	return o
}

const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.example.com"},"spec":{"group":"example.com","scope":"Namespaced",
	"names":{"plural":"widgets","kind":"Widget"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{"size":{"type":"integer"}}}}}}}]}}`

const (
	maps    = "/api/v1/namespaces/default/configmaps"
	widgets = "/apis/example.com/v1/namespaces/default/widgets"
)

// What clients wrote is still there after a restart of kube-apiserver and of etcd.
func TestRestart(t *testing.T) {
	address, folder := free(t), t.TempDir()
	stopEtcd := startEtcd(t, address, folder)
	p := apiServer(t, address)
	p.must("POST", maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"},"data":{"k":"1"}}`)
	kept := p.must("PUT", maps+"/kept", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"kept"},"data":{"k":"2"}}`)
	p.must("POST", maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"gone"}}`)
	p.must("DELETE", maps+"/gone", "")
	p.must("DELETE", "/apis/rbac.authorization.k8s.io/v1/clusterroles/view", "") // created by the server itself
	p.must("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)
	widget := p.must("POST", widgets, `{"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"size":3}}`)
	check := func(p *plane, when string) {
		t.Helper()
		if o := p.do("GET", maps+"/kept", ""); o.Metadata != kept.Metadata || o.Data["k"] != "2" {
			t.Errorf("%s: %+v, want %+v", when, o, kept)
		}
		if o := p.do("GET", widgets+"/w", ""); o.Metadata != widget.Metadata || o.Spec["size"] != 3.0 {
			t.Errorf("%s: %+v, want %+v", when, o, widget)
		}
		for _, path := range []string{maps + "/gone", "/apis/rbac.authorization.k8s.io/v1/clusterroles/view"} {
			if o := p.do("GET", path, ""); o.Code != http.StatusNotFound {
				t.Errorf("%s: %s: %d", when, path, o.Code)
			}
		}
	}
	check(p, "at first")
	p.stop()
	p = apiServer(t, address)
	check(p, "after a restart of kube-apiserver")
	if o := p.must("POST", maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"later"}}`); len(o.Metadata.ResourceVersion) < len(widget.Metadata.ResourceVersion) || o.Metadata.ResourceVersion <= widget.Metadata.ResourceVersion {
		t.Errorf("version %s comes after %s", o.Metadata.ResourceVersion, widget.Metadata.ResourceVersion)
	}
	p.stop()
	stopEtcd()
	startEtcd(t, address, folder)
	p = apiServer(t, address)
	check(p, "after a restart of etcd")
	p.must("GET", maps+"/later", "")
}

// An etcd that restarts while kube-apiserver runs gets the whole state.
func TestEtcdRestart(t *testing.T) {
	address := free(t)
	stopEtcd := startEtcd(t, address, t.TempDir())
	p := apiServer(t, address)
	p.must("POST", maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"before"}}`)
	time.Sleep(50 * time.Millisecond) // it is sent
	stopEtcd()
	p.must("POST", maps, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"between"}}`)
	time.Sleep(50 * time.Millisecond) // it cannot be sent
	startEtcd(t, address, t.TempDir())
	p.stop()
	p = apiServer(t, address)
	p.must("GET", maps+"/before", "")
	p.must("GET", maps+"/between", "")
}

// The cluster is as a lone kube-apiserver leaves it: there are no controllers, and no service accounts.
func TestAlone(t *testing.T) {
	address := free(t)
	startEtcd(t, address, t.TempDir())
	p := apiServer(t, address)
	p.must("POST", "/api/v1/namespaces", `{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}`)
	for _, path := range []string{"/api/v1/namespaces/shop/serviceaccounts", "/api/v1/namespaces/shop/configmaps"} {
		if o := p.must("GET", path, ""); len(o.Items) != 0 {
			t.Errorf("%s: %v", path, o.Items)
		}
	}
	p.must("POST", "/api/v1/namespaces/shop/pods", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i"}]}}`) // without an account
	if o := p.must("DELETE", "/api/v1/namespaces/shop", ""); o.Metadata.DeletionTimestamp == "" {
		t.Error("a namespace was deleted at once")
	}
	p.must("GET", "/api/v1/namespaces/shop", "")
	service := p.must("GET", "/api/v1/namespaces/default/services/kubernetes", "")
	if service.Spec["clusterIP"] != "10.0.0.1" {
		t.Errorf("service kubernetes: %v", service.Spec)
	}
	p.client.Transport.(*http.Transport).TLSClientConfig.Certificates = nil
	p.client.CloseIdleConnections()
	if o := p.do("GET", maps, ""); o.Code != http.StatusForbidden {
		t.Errorf("anonymous: %d", o.Code)
	}
}

// Every answer has the directives of --strict-transport-security-directives.
func TestStrictTransport(t *testing.T) {
	address := free(t)
	startEtcd(t, address, t.TempDir())
	p := apiServer(t, address, "--strict-transport-security-directives=max-age=31536000,includeSubDomains")
	for _, path := range []string{"/healthz", maps, "/nothing"} {
		answer, err := p.client.Get(p.url + path)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
		if got := answer.Header.Get("Strict-Transport-Security"); got != "max-age=31536000; includeSubDomains" {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// Tokens in a file authenticate their users.
func TestTokens(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tokens.csv")
	if err := os.WriteFile(file, []byte("secret,alice,1,\"system:masters,dev\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	address := free(t)
	startEtcd(t, address, t.TempDir())
	p := apiServer(t, address, "--token-auth-file="+file, "--anonymous-auth=true")
	r, _ := http.NewRequest("POST", p.url+"/apis/authentication.k8s.io/v1/selfsubjectreviews", strings.NewReader(`{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`))
	r.Header.Set("Authorization", "Bearer secret")
	r.Header.Set("Content-Type", "application/json")
	p.client.Transport.(*http.Transport).TLSClientConfig.Certificates = nil
	answer, err := p.client.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	if !bytes.Contains(text, []byte(`"username":"alice","uid":"1","groups":["system:masters","dev","system:authenticated"]`)) {
		t.Errorf("%s", text)
	}
}

// The tokens of service accounts have the issuer in the flags, and can be verified with the published keys.
func TestTokensOfAccounts(t *testing.T) {
	address := free(t)
	startEtcd(t, address, t.TempDir())
	p := apiServer(t, address)
	p.must("POST", "/api/v1/namespaces/default/serviceaccounts", `{"apiVersion":"v1","kind":"ServiceAccount","metadata":{"name":"a"}}`)
	token := p.must("POST", "/api/v1/namespaces/default/serviceaccounts/a/token", `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenRequest"}`).Status.Token
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("token %q", token)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || !bytes.Contains(text, []byte(`"aud":["`+p.url+`/"]`)) || !bytes.Contains(text, []byte(`"iss":"`+p.url+`/"`)) {
		t.Errorf("claims %s, %v", text, err)
	}
	read := func(path string, into any) {
		t.Helper()
		answer, err := p.client.Get(p.url + path)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		if err := json.NewDecoder(answer.Body).Decode(into); err != nil {
			t.Fatalf("%s: %s %v", path, answer.Status, err)
		}
	}
	var configuration struct {
		Issuer  string
		JWKSURI string `json:"jwks_uri"`
	}
	read("/.well-known/openid-configuration", &configuration)
	if configuration.Issuer != p.url+"/" || configuration.JWKSURI != p.url+"/openid/v1/jwks" {
		t.Errorf("configuration %+v", configuration)
	}
	var set struct {
		Keys []struct{ Kid, Kty, X, Y string }
	}
	read("/openid/v1/jwks", &set)
	if len(set.Keys) != 1 || set.Keys[0].Kty != "EC" {
		t.Fatalf("keys %+v", set)
	}
	number := func(text string) []byte {
		n, err := base64.RawURLEncoding.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	public, err := ecdsa.ParseUncompressedPublicKey(elliptic.P256(), slices.Concat([]byte{4}, number(set.Keys[0].X), number(set.Keys[0].Y)))
	if err != nil {
		t.Fatal(err)
	}
	digest, signature := sha256.Sum256([]byte(parts[0]+"."+parts[1])), number(parts[2])
	if !ecdsa.Verify(public, digest[:], new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:])) {
		t.Error("the key of the server does not verify its token")
	}
	review := p.do("POST", "/apis/authentication.k8s.io/v1/tokenreviews", `{"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":"`+token+`"}}`)
	if !review.Status.Authenticated {
		t.Errorf("the server does not know its token: %+v", review)
	}
}

// A flag that would make a test wrong if it were ignored is an error with a reason. Other flags are accepted.
func TestFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"--oidc-issuer-url=https://example.com", "--oidc-issuer-url=https://example.com is not simulated: OpenID Connect"},
		{"--oidc-issuer-url=", ""},
		{"--enable-bootstrap-token-auth", "--enable-bootstrap-token-auth=true is not simulated"},
		{"--enable-bootstrap-token-auth=false", ""},
		{"--insecure-port=0", ""},
		{"--insecure-port=8080", "--insecure-port=8080 is not simulated: there is no port without encryption"},
		{"--allow-privileged=false", "--allow-privileged=false is not simulated"},
		{"--secure-prot=1", `kube-apiserver has no flag --secure-prot`},
		{"--feature-gates=kube:WatchList=false -v=4 --audit-log-maxage 3", ""},
		{"--audit-policy-file=p --audit-log-path=l --audit-log-mode=batch --audit-log-format=json", ""},
		{"--audit-log-format=legacy", "--audit-log-format=legacy is not simulated: the events are written as JSON"},
		{"--audit-log-version=audit.k8s.io/v1beta1", "is not simulated: events are of audit.k8s.io/v1"},
		{"--audit-webhook-config-file=w", "--audit-webhook-config-file=w is not simulated"},
		{"--feature-gates=Nonsense=true", "Nonsense"},
		{"--runtime-config=batch/v1,apps/v1=1,api/all=true", ""},
		{"--runtime-config=api/all", `--runtime-config: "api/all": want api/all=true or api/all=false`},
		{"--emulated-version=kube=1.36", ""},
		{"--emulated-version=1.2", "1.2"},
		{"--enable-admission-plugins=AlwaysPullImages --disable-admission-plugins=ServiceAccount", ""},
		{"--service-node-port-range=30000-32767 --default-not-ready-toleration-seconds=300", ""},
		{"--service-node-port-range=20000-30000", "--service-node-port-range=20000-30000 is not simulated"},
		{"--service-account-signing-key-file=missing.key", "--service-account-signing-key-file: open missing.key"},
		{"--strict-transport-security-directives=max-age=1,includeSubDomains,preload", ""},
		{"--strict-transport-security-directives=max-age", "--strict-transport-security-directives invalid, allowed values: max-age=expireTime"},
		{"serve", "takes no arguments"},
	} {
		_, err := apiserver.Parse(strings.Fields(tt.args), kubeversion.Default())
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.Contains(err.Error(), tt.want)) {
			t.Errorf("%s: %v, want %q", tt.args, err, tt.want)
		}
	}
	if _, err := apiserver.Parse([]string{"--help"}, kubeversion.Default()); !errors.Is(err, pflag.ErrHelp) {
		t.Errorf("--help: %v", err)
	}
	help := apiserver.Help()
	for _, want := range []string{"\n      --etcd-servers strings ", "\n  -v, --v Level ", "not simulated: OpenID Connect"} {
		if !strings.Contains(help, want) {
			t.Errorf("--help has no %q", want)
		}
	}
	if strings.Contains(help, "insecure-port") { // envtest would set it
		t.Error("--help has insecure-port")
	}
	if !strings.Contains(etcd.Help(), "\n      --unsafe-no-fsync ") {
		t.Error("--help of etcd has no --unsafe-no-fsync, which envtest looks for")
	}
}

// Static manifests are read again from the folder that the configuration names.
func TestReread(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const policy = `{"apiVersion":"admissionregistration.k8s.io/v1","kind":"ValidatingAdmissionPolicy","metadata":{"name":"NAME.static.k8s.io"},"spec":{"validations":[{"expression":"true"}]}}`
	write("manifests/a.json", strings.ReplaceAll(policy, "NAME", "a"))
	write("config.json", fmt.Sprintf(`{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AdmissionConfiguration","plugins":[{"name":"ValidatingAdmissionPolicy",
		"configuration":{"apiVersion":"apiserver.config.k8s.io/v1","kind":"ValidatingAdmissionPolicyConfiguration","staticManifestsDir":%q}}]}`, filepath.Join(folder, "manifests")))
	server, err := apiserver.Parse([]string{"--admission-control-config-file=" + filepath.Join(folder, "config.json"), "--feature-gates=ManifestBasedAdmissionControlConfig=true"}, kubeversion.Default())
	if err != nil {
		t.Fatal(err)
	}
	if n := len(server.Manifests()["ValidatingAdmissionPolicy"]); n != 1 {
		t.Fatalf("the server begins with %d manifests, want 1", n)
	}
	write("manifests/b.json", strings.ReplaceAll(policy, "NAME", "b"))
	all, err := server.Reread("ValidatingAdmissionPolicy")
	if err != nil || len(all) != 2 || !strings.Contains(string(all[1].JSON), "b.static.k8s.io") {
		t.Errorf("read again: %d manifests, %v; want 2", len(all), err)
	}
}
