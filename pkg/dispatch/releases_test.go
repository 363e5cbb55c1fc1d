package dispatch

import (
	"errors"
	"strings"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
)

func callUnder(t *testing.T, version string, h Hook) Outcome {
	t.Helper()
	release, err := kubeversion.Parse(version)
	if err != nil {
		t.Fatal(err)
	}
	r := reviewOf(podRequest())
	r.Release = release
	o, err := New(counter()).Call(t.Context(), h, r)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// In 1.15 the URL of a service always has port 443.
func TestPortsOfReleases(t *testing.T) {
	for version, want := range map[string]string{"1.15": "https://hook.ops.svc:443/", "1.16": "https://hook.ops.svc:8443/", "1.36": "https://hook.ops.svc:8443/"} {
		h := validatingHook(says(`"allowed":true`))
		h.ReviewVersions = []string{"v1beta1"}
		h.Client = admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "ops", Name: "hook", Port: new(int32(8443))}}
		o := callUnder(t, version, h)
		if len(o.Hook.Calls) != 1 || !strings.HasPrefix(o.Hook.Calls[0].URL, want) {
			t.Errorf("%s calls %v, want %s", version, o.Hook.Calls, want)
		}
	}
}

// Up to 1.24 a panic in the call of a validating webhook was not recovered (W-240).
func TestPanicsOfReleases(t *testing.T) {
	panics := backendFunc(func(Call) Reply { return Reply{Panic: "ouch"} })
	for version, ends := range map[string]bool{"1.15": true, "1.24": true, "1.25": false} {
		h := ignoring(validatingHook(panics))
		h.ReviewVersions = []string{"v1beta1"}
		if o := callUnder(t, version, h); (o.Hook.Denial != nil) != ends {
			t.Errorf("%s ends the request: %v, want %v", version, o.Hook.Denial != nil, ends)
		}
	}
}

// Up to 1.33 a patch that is not a JSON patch refused the request whatever the failure policy (W-189).
func TestUndecodablePatchesOfReleases(t *testing.T) {
	for version, ends := range map[string]bool{"1.16": true, "1.33": true, "1.34": false, "1.36": false} {
		o := callUnder(t, version, ignoring(mutatingHook(says(`"allowed":true,"patch":"e30=","patchType":"JSONPatch"`))))
		if (o.Hook.Denial != nil) != ends {
			t.Errorf("%s ends the request: %v, want %v", version, o.Hook.Denial != nil, ends)
		}
	}
}

// The message of a failed call depends on the Go version that the release was built with; since 1.22 and 1.23 it also
// says at which step the call failed (W-169).
func TestFailuresOfReleases(t *testing.T) {
	const stranger = "tls: failed to verify certificate: x509: certificate relies on legacy Common Name field, use SANs instead"
	fails := backendFunc(func(Call) Reply { return Reply{Err: errors.New(stranger)} })
	for version, want := range map[string]string{
		"1.15": `failed calling webhook "h.example.com": Post https://hook.ops.svc:443/?timeout=10s: x509: certificate relies on legacy Common Name field, use SANs or temporarily enable Common Name matching with GODEBUG=x509ignoreCN=0`,
		"1.19": `failed calling webhook "h.example.com": Post "https://hook.ops.svc:443/?timeout=10s": x509: certificate relies on legacy Common Name field, use SANs or temporarily enable Common Name matching with GODEBUG=x509ignoreCN=0`,
		"1.22": `failed calling webhook "h.example.com": Post "https://hook.ops.svc:443/?timeout=10s": x509: certificate relies on legacy Common Name field, use SANs or temporarily enable Common Name matching with GODEBUG=x509ignoreCN=0`,
		"1.23": `failed calling webhook "h.example.com": failed to call webhook: Post "https://hook.ops.svc:443/?timeout=10s": x509: certificate relies on legacy Common Name field, use SANs instead`,
		"1.27": `failed calling webhook "h.example.com": failed to call webhook: Post "https://hook.ops.svc:443/?timeout=10s": ` + stranger,
	} {
		h := validatingHook(fails)
		h.ReviewVersions = []string{"v1beta1"}
		h.Client = admissionregistrationv1.WebhookClientConfig{Service: &admissionregistrationv1.ServiceReference{Namespace: "ops", Name: "hook", Port: new(int32(443))}}
		o := callUnder(t, version, h)
		if got := o.Hook.Denial.Message; !strings.HasSuffix(got, want) {
			t.Errorf("%s says\n%s, want\n%s", version, got, want)
		}
	}
}

// Since 1.19 the message about an expired certificate says when it expired (W-169).
func TestExpiryOfReleases(t *testing.T) {
	const expired = "x509: certificate has expired or is not yet valid"
	for _, when := range []string{": current time 2026-01-02T00:00:00Z is after 2026-01-01T00:00:00Z", ": current time 2026-01-02T00:00:00+01:00 is before 2026-01-03T00:00:00Z"} {
		h := validatingHook(backendFunc(func(Call) Reply {
			return Reply{Err: errors.New("tls: failed to verify certificate: " + expired + when)}
		}))
		h.ReviewVersions = []string{"v1beta1"}
		for version, want := range map[string]string{"1.18": expired, "1.19": expired + when} {
			if got := callUnder(t, version, h).Hook.Denial.Message; !strings.HasSuffix(got, ": "+want) {
				t.Errorf("%s says\n%s, want\n%s", version, got, want)
			}
		}
	}
}

// Since 1.22 ignored failures are recorded in the audit log, for either phase.
func TestFailOpenOfReleases(t *testing.T) {
	fails := backendFunc(func(Call) Reply { return Reply{Err: errors.New("no")} })
	for version, want := range map[string]int{"1.21": 0, "1.22": 1} {
		h := ignoring(validatingHook(fails))
		h.ReviewVersions = []string{"v1beta1"}
		if o := callUnder(t, version, h); len(o.Hook.Annotations) != want {
			t.Errorf("%s notes %v, want %d", version, o.Hook.Annotations, want)
		}
	}
}

// Up to 1.14 a refusal by a mutating webhook was always an internal error, and the status of a validating webhook was
// not corrected (W-335, W-336).
func TestRefusalsOfReleases(t *testing.T) {
	refuses := `"allowed":false,"status":{"code":403,"message":"no"}`
	for _, test := range []struct {
		version  string
		mutating bool
		answer   string
		code     int32
		message  string
	}{
		{"1.14", true, refuses, 500, `Internal error occurred: admission webhook "h.example.com" denied the request: no`},
		{"1.15", true, refuses, 403, `admission webhook "h.example.com" denied the request: no`},
		{"1.14", false, refuses, 403, `admission webhook "h.example.com" denied the request: no`},
		{"1.14", false, `"allowed":false`, 500, `admission webhook "h.example.com" denied the request without explanation`},
		{"1.15", false, `"allowed":false`, 400, `admission webhook "h.example.com" denied the request without explanation`},
		{"1.14", false, `"allowed":false,"status":{"status":"Success","reason":"why"}`, 200, `admission webhook "h.example.com" denied the request: why`},
		{"1.15", false, `"allowed":false,"status":{"status":"Success","reason":"why"}`, 400, `admission webhook "h.example.com" denied the request: why`},
		{"1.14", true, `"allowed":true,"patch":"e30="`, 500, "Internal error occurred: Internal error occurred: json: cannot unmarshal object into Go value of type jsonpatch.Patch"},
		{"1.15", true, `"allowed":true,"patch":"e30="`, 500, "Internal error occurred: json: cannot unmarshal object into Go value of type jsonpatch.Patch"},
	} {
		h := validatingHook(says(test.answer))
		if test.mutating {
			h = mutatingHook(says(test.answer))
		}
		h.ReviewVersions = []string{"v1beta1"}
		o := callUnder(t, test.version, h)
		if d := o.Hook.Denial; d == nil || d.Code != test.code || d.Message != test.message {
			t.Errorf("%s of %s, mutating %v: %+v, want %d %s", test.answer, test.version, test.mutating, d, test.code, test.message)
		}
	}
}

// A review has the fields that its release includes (W-338).
func TestReviewsOfReleases(t *testing.T) {
	for version, want := range map[string][3]bool{"1.11": {}, "1.12": {true}, "1.14": {true}, "1.15": {true, true, true}} {
		h := validatingHook(says(`"allowed":true`))
		h.ReviewVersions = []string{"v1beta1"}
		text := string(callUnder(t, version, h).Hook.Calls[0].Review.Bytes())
		got := [3]bool{strings.Contains(text, `"dryRun":`), strings.Contains(text, `"options":`), strings.Contains(text, `"requestKind":`) && strings.Contains(text, `"requestResource":`)}
		if got != want {
			t.Errorf("%s: dryRun, options and the original kind are present: %v, want %v", version, got, want)
		}
	}
}

// Up to 1.13 webhooks had 30 seconds, and no list of versions, since there was only one version (W-333).
func TestTimeoutsOfReleases(t *testing.T) {
	for version, want := range map[string]string{"1.13": "?timeout=30s", "1.14": "?timeout=10s"} {
		h := validatingHook(says(`"allowed":true`))
		h.ReviewVersions = []string{"v1beta1"}
		if version == "1.13" {
			h.ReviewVersions, h.TimeoutSeconds = nil, nil // fields that the release does not know
		}
		if o := callUnder(t, version, h); len(o.Hook.Calls) != 1 || !strings.HasSuffix(o.Hook.Calls[0].URL, want) {
			t.Errorf("%s calls %v, want %s", version, o.Hook.Calls, want)
		}
	}
}

// Up to 1.12 the message of a failed call names an admission webhook; and in 1.10 a mutating webhook that left out its
// response made the server panic (W-339).
func TestOldFailuresOfReleases(t *testing.T) {
	for _, test := range []struct{ version, want string }{
		{"1.10", "This request caused apiserver to panic. Look in the logs for details."},
		{"1.11", `Internal error occurred: failed calling admission webhook "h.example.com": Webhook response was absent`},
		{"1.12", `Internal error occurred: failed calling admission webhook "h.example.com": Webhook response was absent`},
		{"1.13", `Internal error occurred: failed calling webhook "h.example.com": Webhook response was absent`},
		{"1.15", `Internal error occurred: failed calling webhook "h.example.com": Webhook response was absent`},
		{"1.16", `Internal error occurred: failed calling webhook "h.example.com": webhook response was absent`},
	} {
		h := mutatingHook(backendFunc(func(Call) Reply {
			return Reply{Body: []byte(`{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1beta1"}`)}
		}))
		h.ReviewVersions = []string{"v1beta1"}
		if o := callUnder(t, test.version, h); o.Hook.Denial == nil || o.Hook.Denial.Message != test.want {
			t.Errorf("%s says %+v, want %s", test.version, o.Hook.Denial, test.want)
		}
	}
}

// Audit annotations of webhooks count since 1.12 (W-339).
func TestAuditAnnotationsOfReleases(t *testing.T) {
	for version, want := range map[string]int{"1.11": 0, "1.12": 1} {
		h := validatingHook(says(`"allowed":true,"auditAnnotations":{"who":"me"}`))
		h.ReviewVersions = []string{"v1beta1"}
		if o := callUnder(t, version, h); len(o.Hook.Annotations) != want {
			t.Errorf("%s notes %v, want %d", version, o.Hook.Annotations, want)
		}
	}
}

// Up to 1.15 all webhooks were offered HTTP/2, from 1.16 to 1.29 none, and since 1.30 those on the server's own host
// (W-149). The error about a closed connection shows it.
func TestProtocolsOfReleases(t *testing.T) {
	own, other := "https://127.0.0.1:9443/", "https://hook.example:9443/"
	const ended, endedByPeer = ": stream error: stream ID 1; INTERNAL_ERROR", "; received from peer"
	for _, tt := range []struct{ version, url, want string }{
		{"1.15", own, ended},
		{"1.15", other, ended},
		{"1.16", own, ": EOF"},
		{"1.29", own, ": EOF"},
		{"1.29", other, ": EOF"},
		{"1.30", own, ended + endedByPeer},
		{"1.30", other, ": EOF"},
	} {
		h := validatingHook(backendFunc(func(c Call) Reply { return Reply{Err: c.closed()} }))
		h.ReviewVersions = []string{"v1beta1", "v1"}
		h.Client = admissionregistrationv1.WebhookClientConfig{URL: &tt.url}
		if o := callUnder(t, tt.version, h); o.Hook.Denial == nil || !strings.HasSuffix(o.Hook.Denial.Message, tt.want) {
			t.Errorf("%s, %s: %v, want %q", tt.version, tt.url, o.Hook.Denial, tt.want)
		}
	}
}
