package simulator_test

import (
	"context"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// Plugins are named as in the flags of kube-apiserver, and refused with its messages (W-005).
func TestPluginFlags(t *testing.T) {
	tests := []struct {
		reason  string
		plugins simulator.Plugins
		want    string
	}{
		{"unknown plugins cannot be switched on", simulator.Plugins{Enable: []string{"AlwaysPullImage"}},
			`enable-admission-plugins plugin "AlwaysPullImage" is unknown; did you mean "AlwaysPullImages"?`},
		{"nor switched off", simulator.Plugins{Disable: []string{"LimitRange"}},
			`disable-admission-plugins plugin "LimitRange" is unknown; did you mean "LimitRanger"?`},
		{"a configuration is read when the simulator is created", simulator.Plugins{Enable: []string{"EventRateLimit"}},
			"EventRateLimit: limits: Invalid value: null: must not be empty"},
		{"plugins of other releases are known, but not available", simulator.Plugins{Enable: []string{"PodSecurityPolicy"}},
			`enable-admission-plugins plugin "PodSecurityPolicy" is unknown in Kubernetes ` + kubeversion.Default().Version + `; it is known in 1.10 to 1.24`},
		{"the configuration of disabled plugins is ignored", simulator.Plugins{Configuration: map[string][]byte{"EventRateLimit": []byte("{")}}, ""},
	}
	for _, test := range tests {
		_, err := simulator.New(simulator.Options{Plugins: test.plugins})
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s: New: %q, want %q", test.reason, got, test.want)
		}
	}
}

// The plugin Initializers switches its gate on, so that what it adds to an object is saved (IN-06).
func TestInitializersAreSaved(t *testing.T) {
	release, err := kubeversion.Parse("1.13")
	if err != nil {
		t.Fatal(err)
	}
	const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"default","initializers":{"pending":[{"name":"a.b.c"}]}}}`
	for _, test := range []struct {
		enable []string
		saved  bool
	}{{nil, false}, {[]string{"Initializers"}, true}} {
		sim, err := simulator.New(simulator.Options{
			Release: release, State: simulator.BootstrapOf(release), Plugins: simulator.Plugins{Enable: test.enable},
			Authorization: []string{"AlwaysAllow"},
		})
		if err != nil {
			t.Fatal(err)
		}
		stored := do(t, sim, "configmaps", "default", object)
		text, err := json.Marshal(stored.Object)
		if err != nil {
			t.Fatal(err)
		}
		if saved := strings.Contains(string(text), "a.b.c"); saved != test.saved {
			t.Errorf("with the plugins %v, initializers are saved: %v, want %v: %s", test.enable, saved, test.saved, text)
		}
	}
}

func do(t *testing.T, sim *simulator.Simulator, resource, namespace, body string) *simulator.Result {
	t.Helper()
	result, err := sim.Do(context.Background(), rest.Request{
		Verb:      rest.Create,
		Resource:  corev1.SchemeGroupVersion.WithResource(resource),
		Namespace: namespace,
		Body:      []byte(body),
		User:      authenticationv1.UserInfo{Username: "ann", Groups: []string{"system:authenticated"}},
		Query:     url.Values{"includeUninitialized": {"1"}}, // up to 1.13, a create would wait otherwise (IN-10)
	})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

const event = `{"apiVersion":"v1","kind":"Event","metadata":{"generateName":"e-","namespace":"default"},"involvedObject":{"namespace":"default"}}`

// What a plugin remembers belongs to the cluster after a request: later requests share it, others do not. Time comes
// from the clock of the simulator.
func TestPluginsRemember(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	sim, err := simulator.New(simulator.Options{
		State: simulator.Bootstrap(),
		Now:   func() time.Time { return now },
		Plugins: simulator.Plugins{
			Enable: []string{"EventRateLimit"},
			Configuration: map[string][]byte{"EventRateLimit": []byte(
				`{"apiVersion":"eventratelimit.admission.k8s.io/v1alpha1","kind":"Configuration","limits":[{"type":"User","qps":1,"burst":1}]}`)},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	first := do(t, sim, "events", "default", event)
	steps := []struct {
		reason string
		sim    *simulator.Simulator
		wait   time.Duration
		want   int
	}{
		{"the bucket is full at first", sim, 0, 201},
		{"it is still full for the original cluster", sim, 0, 201},
		{"the previous request took the token", first.Next, 0, 429},
		{"the token returns with time", first.Next, time.Second, 201},
	}
	for _, s := range steps {
		now = now.Add(s.wait)
		if got := do(t, s.sim, "events", "default", event).Code; got != s.want {
			t.Errorf("%s: code %d, want %d", s.reason, got, s.want)
		}
	}
}

// A body of more than 3 MiB is refused before it is read. What is left of a smaller one without its spaces can be stored.
func TestBodyLimit(t *testing.T) {
	sim, err := simulator.New(simulator.Options{State: simulator.Bootstrap()})
	if err != nil {
		t.Fatal(err)
	}
	body := `{"apiVersion":"v1","kind":"Event","metadata":{"name":"e","namespace":"default"},"involvedObject":{"namespace":"default"}`
	for size, want := range map[int]int{3 << 20: 201, 3<<20 + 1: 413} {
		filled := body + strings.Repeat(" ", size-len(body)-1) + `}`
		result := do(t, sim, "events", "default", filled)
		if result.Code != want {
			t.Errorf("%d bytes: code %d, want %d", size, result.Code, want)
		}
		const message = "Request entity too large: limit is 3145728"
		if status, ok := result.Object.(*metav1.Status); want == 413 && (!ok || status.Message != message) {
			t.Errorf("%d bytes: %+v, want %s", size, result.Object, message)
		}
	}
}

// A namespace that NamespaceAutoProvision creates goes through the chain, and stays even if the request that needed it
// is refused.
func TestAutoProvisionedNamespace(t *testing.T) {
	sim, err := simulator.New(simulator.Options{
		State:   simulator.Bootstrap(),
		Plugins: simulator.Plugins{Enable: []string{"NamespaceAutoProvision"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	refused := do(t, sim, "pods", "shop", `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"nginx"}]}}`)
	if refused.Code != 403 {
		t.Errorf("a pod without a service account: code %d, want 403", refused.Code)
	}
	if created := do(t, refused.Next, "configmaps", "shop", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`); created.Code != 201 {
		t.Errorf("a config map in the new namespace: code %d, want 201", created.Code)
	}
	closed, err := simulator.New(simulator.Options{
		State:   simulator.Bootstrap(),
		Plugins: simulator.Plugins{Enable: []string{"NamespaceAutoProvision", "AlwaysDeny"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = `namespaces "shop" is forbidden: admission control is denying all modifications`
	if got := do(t, closed, "configmaps", "shop", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c"}}`).Status().Message; got != want {
		t.Errorf("in a terminating namespace: %q, want %q", got, want)
	}
}
