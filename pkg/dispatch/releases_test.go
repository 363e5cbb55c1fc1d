package dispatch

import (
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
