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

// In 1.15 the URL of a service has port 443 whatever its port is.
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

// Up to 1.24 nobody recovered from a panic in the call of a validating webhook (W-240).
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

// Up to 1.33 a patch that is no JSON patch refused the request whatever the failure policy (W-189).
func TestUndecodablePatchesOfReleases(t *testing.T) {
	for version, ends := range map[string]bool{"1.16": true, "1.33": true, "1.34": false, "1.36": false} {
		o := callUnder(t, version, ignoring(mutatingHook(says(`"allowed":true,"patch":"e30=","patchType":"JSONPatch"`))))
		if (o.Hook.Denial != nil) != ends {
			t.Errorf("%s ends the request: %v, want %v", version, o.Hook.Denial != nil, ends)
		}
	}
}

// The words of a call that failed are those of the Go that the server of a release was built
// with, and say at which step it failed since 1.22 and 1.23 (W-169).
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

// That a failure was ignored is in the audit log since 1.22, for either phase.
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
