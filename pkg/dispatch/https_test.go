package dispatch

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	imagepolicyv1alpha1 "k8s.io/api/imagepolicy/v1alpha1"

	"github.com/admsim/admsim/internal/webhooktest"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

const (
	serviceName = "hook.shop.svc"
	aWhile      = time.Hour
)

// allows is a webhook that allows everything.
var allows = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
	var review admissionv1.AdmissionReview
	if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_, _ = fmt.Fprintf(w, `{"apiVersion":%q,"kind":"AdmissionReview","response":{"uid":%q,"allowed":true}}`, review.APIVersion, review.Request.UID)
})

// noHurry is a timeout in seconds that even slow machines can meet.
const noHurry = 30

// atService returns a webhook at a service that the client finds at address.
func atService(c *Client, bundle []byte) Hook {
	h := mutatingHook(c)
	h.TimeoutSeconds = new(int32(noHurry))
	h.Client = admissionregistrationv1.WebhookClientConfig{
		Service:  &admissionregistrationv1.ServiceReference{Namespace: "shop", Name: "hook", Path: new("/mutate")},
		CABundle: bundle,
	}
	return h
}

// limits returns the timeouts for calls of a webhook, tried one after the other until the fault shows: a webhook that
// hangs in the middle of its answer has to begin the answer in time, for which a busy machine may be too slow.
func limits(fault string) []int32 {
	switch {
	case fault == "slow body" || fault == "endless body" || fault == "a hang in the middle":
		return []int32{1, 10}
	case webhooktest.LastsToTheDeadline(fault):
		return []int32{1}
	default:
		return []int32{noHurry}
	}
}

func newClient(t *testing.T, o ClientOptions) *Client {
	t.Helper()
	c := NewClient(AllowNetwork(), o)
	t.Cleanup(c.Close)
	return c
}

func serviceAt(address string) map[string]string {
	return map[string]string{"shop/hook:443": address}
}

// Ports, times and limits differ from run to run.
var (
	ports   = regexp.MustCompile(`127\.0\.0\.1:\d+`)
	moments = regexp.MustCompile(`\d{4}-\d\d-\d\dT\S+Z`)
	limited = regexp.MustCompile(`timeout=\d+s`)
)

func withoutNumbers(message string) string {
	message = ports.ReplaceAllString(message, "127.0.0.1:port")
	message = moments.ReplaceAllString(message, "T")
	return limited.ReplaceAllString(message, "timeout=Ns")
}

func TestFaultsOverSockets(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	valid := authority.Certificate(aWhile, serviceName, "127.0.0.1")
	faults := webhooktest.Faults(allows)

	const post = `failed to call webhook: Post "https://hook.shop.svc:443/mutate?timeout=Ns": `
	const broken = "failed to call webhook: unexpected error when reading response body. Please retry. Original error: "
	for name, tt := range map[string]struct {
		handler http.Handler // nil: the fault of that name
		address string       // empty: that of a server
		bundle  []byte       // nil: that of the authority
		names   string       // of the certificate: see below
		want    string
	}{
		"refused":         {address: webhooktest.Nobody(t), want: post + "dial tcp 127.0.0.1:port: connect: connection refused"},
		"close":           {want: post + "EOF"},
		"reset":           {want: post + "read tcp 127.0.0.1:port->127.0.0.1:port: read: connection reset by peer"},
		"hang":            {want: post + "context deadline exceeded"},
		"slow headers":    {want: post + "context deadline exceeded"},
		"slow body":       {want: broken + "context deadline exceeded"},
		"endless body":    {want: broken + "context deadline exceeded"},
		"body cut short":  {want: broken + "unexpected EOF"},
		"half a JSON":     {want: "failed to call webhook: couldn't get version/kind; json parse error: unexpected end of JSON input"},
		"no type":         {want: "failed to call webhook: Internal error occurred: mime: invalid media parameter"},
		"empty":           {want: "failed to call webhook: 0-length response with status code: 200 and content type: application/json"},
		"no content":      {want: "failed to call webhook: 0-length response with status code: 204 and content type: application/json"},
		"panic":           {want: post + "EOF"},
		"bad header":      {want: post + `net/http: HTTP/1.x transport connection broken: malformed HTTP status code "mail.example"`},
		"bad certificate": {handler: allows, bundle: webhooktest.NewAuthority(t).Bundle, want: post + `tls: failed to verify certificate: x509: certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "webhooktest")`},
		"expired":         {handler: allows, names: "expired", want: post + "tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time T is after T"},
		"name mismatch":   {handler: allows, names: "mismatch", want: post + "tls: failed to verify certificate: x509: certificate is valid for other.shop.svc, not hook.shop.svc"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cert := valid
			switch tt.names {
			case "expired":
				cert = authority.Certificate(-time.Minute, serviceName)
			case "mismatch":
				cert = authority.Certificate(aWhile, "other.shop.svc")
			}
			handler := tt.handler
			if handler == nil {
				handler = faults[name]
			}
			address := tt.address
			if address == "" {
				address = webhooktest.Serve(t, cert, handler).Address
			}
			bundle := authority.Bundle
			if tt.bundle != nil {
				bundle = tt.bundle
			}
			c := newClient(t, ClientOptions{Services: serviceAt(address), MaxAnswer: 1 << 20})
			h := atService(c, bundle)
			var o Outcome
			diff := ""
			for _, seconds := range limits(name) {
				h.TimeoutSeconds = &seconds
				o = callPod(t, h)
				if o.Hook.Denial == nil {
					t.Fatalf("outcome %s: %s", o.Hook.Outcome, o.Hook.Because)
				}
				if diff = cmp.Diff(internalError(h.Name, tt.want).Message, withoutNumbers(o.Hook.Denial.Message)); diff == "" {
					break
				}
			}
			if diff != "" {
				t.Errorf("under Fail (-want +got):\n%s", diff)
			}
			limit := time.Duration(*h.TimeoutSeconds) * time.Second
			if late := webhooktest.LastsToTheDeadline(name); late != (o.Hook.Duration == limit) {
				t.Errorf("took %v of %v", o.Hook.Duration, limit)
			}
			if o = callPod(t, ignoring(h)); o.Hook.Outcome != trace.FailedOpen || o.Hook.Denial != nil {
				t.Errorf("under Ignore: outcome %s, denial %v", o.Hook.Outcome, o.Hook.Denial)
			}
		})
	}
}

// Up to 1.18, a certificate without alternative names was accepted by its common name; everything else is verified as
// for other certificates (W-148).
func TestCommonNames(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	const cannot = `failed calling webhook "h.example.com": Post https://hook.shop.svc:443/mutate?timeout=30s: x509: `
	for name, tt := range map[string]struct {
		version string
		cert    tls.Certificate
		bundle  []byte
		want    string // empty: allowed
	}{
		"taken":         {"1.18", authority.CommonName(aWhile, serviceName), authority.Bundle, ""},
		"of any host":   {"1.18", authority.CommonName(aWhile, "*.shop.svc"), authority.Bundle, ""},
		"refused":       {"1.19", authority.CommonName(aWhile, serviceName), authority.Bundle, `failed calling webhook "h.example.com": Post "https://hook.shop.svc:443/mutate?timeout=30s": x509: certificate relies on legacy Common Name field, use SANs or temporarily enable Common Name matching with GODEBUG=x509ignoreCN=0`},
		"of another":    {"1.18", authority.CommonName(aWhile, "other.shop.svc"), authority.Bundle, cannot + "certificate is valid for other.shop.svc, not hook.shop.svc"},
		"of no host":    {"1.18", authority.CommonName(aWhile, "the hook"), authority.Bundle, cannot + "certificate is not valid for any names, but wanted to match hook.shop.svc"},
		"beside names":  {"1.18", authority.Certificate(aWhile, "other.shop.svc"), authority.Bundle, cannot + "certificate is valid for other.shop.svc, not hook.shop.svc"},
		"with names":    {"1.18", authority.Certificate(aWhile, serviceName), authority.Bundle, ""},
		"expired":       {"1.18", authority.CommonName(-time.Minute, serviceName), authority.Bundle, cannot + "certificate has expired or is not yet valid"},
		"of a stranger": {"1.18", authority.CommonName(aWhile, serviceName), webhooktest.NewAuthority(t).Bundle, cannot + `certificate signed by unknown authority (possibly because of "x509: ECDSA verification failure" while trying to verify candidate authority certificate "webhooktest")`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClient(t, ClientOptions{Services: serviceAt(webhooktest.Serve(t, tt.cert, allows).Address)})
			h := atService(c, tt.bundle)
			h.ReviewVersions = []string{"v1beta1"}
			got := ""
			if o := callUnder(t, tt.version, h); o.Hook.Denial != nil {
				got = strings.TrimPrefix(moments.ReplaceAllString(o.Hook.Denial.Message, "T"), "Internal error occurred: ")
			}
			if got != tt.want {
				t.Errorf("%s says\n%s, want\n%s", tt.version, got, tt.want)
			}
		})
	}
}

// The same holds for the other services that a server calls: those in the cluster, which convert objects, and those of
// a kubeconfig, which authorize requests or review images (W-148).
func TestCommonNamesOfCallbacks(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	reviews := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"apiVersion":"imagepolicy.k8s.io/v1alpha1","kind":"ImageReview","status":{"allowed":true}}`)
	})
	kubeconfig, err := json.Marshal(map[string]any{
		"clusters":        []any{map[string]any{"name": "c", "cluster": map[string]any{"server": "https://" + serviceName, "certificate-authority-data": authority.Bundle}}},
		"contexts":        []any{map[string]any{"name": "x", "context": map[string]any{"cluster": "c"}}},
		"current-context": "x",
	})
	if err != nil {
		t.Fatal(err)
	}
	credentials, err := ParseKubeconfig(kubeconfig, "kubeconfig")
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, ClientOptions{Address: webhooktest.Serve(t, authority.CommonName(aWhile, serviceName), reviews).Address})
	for name, callback := range map[string]Callback{
		"of a service":    {Client: admissionregistrationv1.WebhookClientConfig{CABundle: authority.Bundle, Service: &admissionregistrationv1.ServiceReference{Namespace: "shop", Name: "hook"}}},
		"of a kubeconfig": {URL: "https://" + serviceName, Credentials: credentials},
	} {
		for version, want := range map[string]string{"1.18": "", "1.19": "x509: certificate relies on legacy Common Name field, use SANs or temporarily enable Common Name matching with GODEBUG=x509ignoreCN=0"} {
			release, err := kubeversion.Parse(version)
			if err != nil {
				t.Fatal(err)
			}
			callback.Backend, callback.Codec, callback.Release = c, imageCodec(t), release
			x, err := callback.Ask(t.Context(), admission.Request{}, &imagepolicyv1alpha1.ImageReview{}, &imagepolicyv1alpha1.ImageReview{})
			if err != nil {
				t.Fatal(err)
			}
			if got := text(x.Failed); !strings.HasSuffix(got, want) || (got == "") != (want == "") {
				t.Errorf("%s, %s says %q, want %q", name, version, got, want)
			}
		}
	}
}

// Whatever a webhook does, nothing is left of the call after the client is closed.
func TestNothingIsLeftBehind(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	authority := webhooktest.NewAuthority(t)
	cert := authority.Certificate(aWhile, serviceName, "127.0.0.1")
	faults := webhooktest.Faults(allows)
	faults["none"] = allows
	for name, handler := range faults {
		for _, proto := range []string{"HTTP/1.1", "HTTP/2"} {
			server := webhooktest.Serve(t, cert, handler)
			before := runtime.NumGoroutine()
			c := NewClient(AllowNetwork(), ClientOptions{Services: serviceAt(server.Address), MaxAnswer: 1 << 20})
			h := atService(c, authority.Bundle)
			if proto == "HTTP/2" {
				h.Client.Service, h.Client.URL = nil, new("https://"+server.Address+"/mutate")
			}
			for range 3 {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				_ = c.Call(ctx, Call{URL: targetOf(h.Client).url, Client: h.Client, Timeout: time.Second, body: fixed([]byte("{}"))})
				cancel()
			}
			c.Close()
			eventually(t, name+" over "+proto+": connections", func() int64 { return server.Open() }, 0)
			eventually(t, name+" over "+proto+": goroutines", func() int64 { return int64(max(runtime.NumGoroutine()-before, 0)) }, 0)
		}
	}
}

func eventually(t *testing.T, what string, is func() int64, want int64) {
	t.Helper()
	for range 3000 { // half a minute, for busy machines
		if is() == want {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	stacks := make([]byte, 64<<10)
	t.Errorf("%s: %d, want %d\n%s", what, is(), want, stacks[:runtime.Stack(stacks, true)])
}

// One connection is enough for consecutive calls (W-152), and a pause that the webhook asks for is kept (W-162).
func TestConnectionIsKept(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	calls := 0
	server := webhooktest.Serve(t, authority.Certificate(aWhile, serviceName), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 2 {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "later", http.StatusServiceUnavailable)
			return
		}
		allows(w, r)
	}))
	c := newClient(t, ClientOptions{Services: serviceAt(server.Address), Now: time.Now})
	h := atService(c, authority.Bundle)
	start := time.Now()
	for range 3 {
		if o := callPod(t, h); o.Hook.Outcome != trace.Allowed {
			t.Fatal(o.Hook.Because)
		}
	}
	if took := time.Since(start); took < time.Second {
		t.Errorf("took %v, want the requested second", took)
	}
	if calls != 4 || server.Accepted() != 1 {
		t.Errorf("%d calls over %d connections, want 4 over 1", calls, server.Accepted())
	}
}

// The clock is only read if one is given, and an answer never takes longer than it may.
func TestTiming(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	server := webhooktest.Serve(t, authority.Certificate(aWhile, serviceName), allows)
	for name, tt := range map[string]struct {
		step time.Duration
		want time.Duration
	}{
		"no clock":     {0, 0},
		"a clock":      {3 * time.Millisecond, 3 * time.Millisecond},
		"a wild clock": {time.Hour, noHurry * time.Second},
	} {
		o := ClientOptions{Services: serviceAt(server.Address)}
		if tt.step > 0 {
			at := time.Time{}
			o.Now = func() time.Time { at = at.Add(tt.step); return at }
		}
		if got := callPod(t, atService(newClient(t, o), authority.Bundle)).Hook; got.Duration != tt.want || got.Outcome != trace.Allowed {
			t.Errorf("%s: took %v (%s), want %v", name, got.Duration, got.Because, tt.want)
		}
	}
}

// Options override the address, the certificates and the proxy in the configuration.
func TestClientOptions(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	server := webhooktest.Serve(t, authority.Certificate(aWhile, serviceName), allows)
	stranger := webhooktest.NewAuthority(t).Bundle
	for name, tt := range map[string]struct {
		options ClientOptions
		want    string // in the reason
	}{
		"address":        {ClientOptions{Address: server.Address, CABundle: authority.Bundle}, "answered allowed"},
		"insecure":       {ClientOptions{Address: server.Address, Insecure: true}, "answered allowed"},
		"other bundle":   {ClientOptions{Address: server.Address}, "certificate signed by unknown authority"},
		"unknown place":  {ClientOptions{}, "no answer for webhook cfg/h.example.com: the address of service shop/hook:443 is not known"},
		"limit of bytes": {ClientOptions{Address: server.Address, Insecure: true, MaxAnswer: 10}, "no answer for webhook cfg/h.example.com: the answer is longer than the 10 bytes that admsim reads"},
	} {
		o, err := New(counter()).Call(t.Context(), atService(newClient(t, tt.options), stranger), reviewOf(podRequest()))
		got := o.Hook.Because
		if err != nil {
			got = err.Error()
		}
		if !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s, want %s", name, got, tt.want)
		}
	}
}

// A call ends when its context ends.
func TestCancelled(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	left := make(chan struct{})
	server := webhooktest.Serve(t, authority.Certificate(aWhile, serviceName), http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		cancel()
		<-r.Context().Done()
		close(left)
	}))
	c := newClient(t, ClientOptions{Services: serviceAt(server.Address)})
	if _, err := New(counter()).Call(ctx, atService(c, authority.Bundle), reviewOf(podRequest())); err == nil {
		t.Error("no error, although the context was cancelled")
	}
	select {
	case <-left:
	case <-time.After(noHurry * time.Second):
		t.Error("the webhook did not notice, or was never called")
	}
}

// A proxy gets the name of the service; how it resolves the name is up to the proxy (W-150).
func TestProxy(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	server := webhooktest.Serve(t, authority.Certificate(aWhile, serviceName), allows)
	asked := make(chan string, 1)
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Method + " " + r.Host
		through, err := net.Dial("tcp", server.Address)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(through, conn); _ = through.Close() }()
		go func() { _, _ = io.Copy(conn, through); _ = conn.Close() }()
	}))
	defer proxy.Close()
	through, err := url.Parse(proxy.URL)
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, ClientOptions{Proxy: http.ProxyURL(through)})
	if o := callPod(t, atService(c, authority.Bundle)); o.Hook.Outcome != trace.Allowed {
		t.Error(o.Hook.Because)
	}
	select {
	case got := <-asked:
		if got != "CONNECT hook.shop.svc:443" {
			t.Errorf("the proxy received %s", got)
		}
	default:
		t.Error("the proxy was not used")
	}
}

// Concurrent calls share a client.
func TestClientIsShared(t *testing.T) {
	authority := webhooktest.NewAuthority(t)
	server := webhooktest.Serve(t, authority.Certificate(aWhile, serviceName, "127.0.0.1"), allows)
	c := newClient(t, ClientOptions{Services: serviceAt(server.Address), Now: time.Now})
	hooks, reviews := make([]Hook, 40), make([]*Review, 40)
	r := reviewOf(podRequest())
	for i := range hooks {
		hooks[i], reviews[i] = atService(c, authority.Bundle), r
		if i%2 == 0 {
			hooks[i].Client.Service, hooks[i].Client.URL = nil, new("https://"+server.Address+"/mutate")
		}
	}
	outcomes, err := New(counter()).CallAll(t.Context(), hooks, reviews)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Hook.Outcome != trace.Allowed {
			t.Error(o.Hook.Because)
		}
	}
}
