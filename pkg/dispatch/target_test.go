package dispatch

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/pkg/trace"
)

// certificate is only there to be parsed.
const certificate = `-----BEGIN CERTIFICATE-----
MIIBLTCB1KADAgECAgEBMAoGCCqGSM49BAMCMA0xCzAJBgNVBAMTAmNhMB4XDTI2
-----END CERTIFICATE-----
`

func TestTarget(t *testing.T) {
	type service = admissionregistrationv1.ServiceReference
	url := func(u string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: &u}
	}
	for _, tt := range []struct {
		rule   string
		client admissionregistrationv1.WebhookClientConfig
		want   string
	}{
		{"W-143", admissionregistrationv1.WebhookClientConfig{Service: &service{Namespace: "ns", Name: "svc"}}, "https://svc.ns.svc:443/?timeout=10s"},
		{"W-143", admissionregistrationv1.WebhookClientConfig{Service: &service{Namespace: "ns", Name: "svc", Port: new(int32(0))}}, "https://svc.ns.svc:443/?timeout=10s"},
		{"W-143", admissionregistrationv1.WebhookClientConfig{Service: &service{Namespace: "ns", Name: "svc", Port: new(int32(8443)), Path: new("/x/")}}, "https://svc.ns.svc:8443/x?timeout=10s"},
		{"W-146", url("https://h.example/a/b/"), "https://h.example/a/b?timeout=10s"},
		{"W-145", url("https://h.example:9443"), "https://h.example:9443/?timeout=10s"},
		{"W-146", url("https://h.example/a//b/../c/./%7Ed%20e"), "https://h.example/a/c/~d%20e?timeout=10s"},
		{"W-146", url("https://h.example"), "https://h.example/?timeout=10s"},
	} {
		h := mutatingHook(says(`"allowed":true`))
		h.Client = tt.client
		if got := callPod(t, h).Hook.Calls[0].URL; got != tt.want {
			t.Errorf("%s: called %s, want %s", tt.rule, got, tt.want)
		}
	}
}

func TestNoClient(t *testing.T) {
	url := func(u, bundle string) admissionregistrationv1.WebhookClientConfig {
		return admissionregistrationv1.WebhookClientConfig{URL: &u, CABundle: []byte(bundle)}
	}
	for _, tt := range []struct {
		rule   string
		client admissionregistrationv1.WebhookClientConfig
		want   string
	}{
		{"W-155", url("https://h.example", "nope"), "unable to load root certificates: unable to parse bytes as PEM block"},
		{"W-155", url("https://h.example", "-----BEGIN KEY-----\n-----END KEY-----\n"), "unable to load root certificates: no valid certificate authority data seen"},
		{"W-155", url("https://h.example", certificate), "unable to load root certificates: failed to parse certificate: x509: malformed certificate"},
		{"W-155", url("https://h.example:port", ""), `failed calling webhook "h.example.com": Unparsable URL: parse "https://h.example:port": invalid port ":port" after host`},
		{"W-155", admissionregistrationv1.WebhookClientConfig{}, `failed calling webhook "h.example.com": webhook configuration must have either service or URL`},
	} {
		h := mutatingHook(says(`"allowed":true`))
		h.Client = tt.client
		d := New(counter())
		for range 2 { // the second time from the cache
			o, err := d.Call(t.Context(), h, reviewOf(podRequest()))
			if err != nil {
				t.Fatal(err)
			}
			want := internalError(h.Name, "could not get REST client: "+tt.want)
			if o.Hook.Called || o.Hook.Outcome != trace.Failed || o.Hook.Denial.Message != want.Message {
				t.Errorf("%s: called %t, %s: %v; want %s", tt.rule, o.Hook.Called, o.Hook.Outcome, o.Hook.Denial, want.Message)
			}
		}
	}
}
