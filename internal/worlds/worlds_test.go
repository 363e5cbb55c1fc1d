package worlds_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

func webhook(configuration string) string {
	return `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: ` + configuration + `}
webhooks:
- name: hooks.shop.example
  clientConfig: {url: "https://` + configuration + `.example/"}
  rules: [{operations: [CREATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]
  sideEffects: None
  admissionReviewVersions: [v1]
`
}

const loadedText = `
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: default}
data: {from: loaded}
---
apiVersion: admsim.dev/v1alpha1
kind: Backends
backends:
- {webhook: guard/hooks.shop.example, mock: [{deny: {message: loaded}}]}
`

const suiteText = `
apiVersion: admsim.dev/v1alpha1
kind: Suite
world:
  kubernetesVersion: "1.34"
  load: [webhook.yaml, settings.yaml]
backends:
- {webhook: guard/hooks.shop.example, mock: [{deny: {message: suite}}]}
- {webhook: own/hooks.shop.example, mock: [{deny: {message: suite}}]}
cases:
- {name: plain, request: {object: {apiVersion: v1, kind: Pod, metadata: {name: a}}}, expect: {}}
- name: override
  override:
    kubernetesVersion: "1.30"
    backends: [{webhook: guard/hooks.shop.example, mock: [{deny: {message: case}}]}]
  request: {object: {apiVersion: v1, kind: Pod, metadata: {name: a}}}
  expect: {}
`

var files = fstest.MapFS{
	"loaded.yaml":   {Data: []byte(loadedText + "---\n" + webhook("guard"))},
	"webhook.yaml":  {Data: []byte(webhook("own"))},
	"settings.yaml": {Data: []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: default}\ndata: {from: suite}\n---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: own, namespace: default}\ndata: {from: suite}\n")},
	"admsim.yaml":   {Data: []byte(suiteText)},
}

func load(t *testing.T, name string) scenario.Bag {
	t.Helper()
	o := scenario.Options{FS: files}
	found, err := scenario.Load([]string{name}, o)
	if err != nil {
		t.Fatal(err)
	}
	bag, err := scenario.Sort(found, o)
	if err != nil {
		t.Fatal(err)
	}
	return bag
}

// key returns the key of a case of the suite; without a name, that of the loaded world, which is nil.
func key(t *testing.T, suites []scenario.Suite, name string) *world.CaseKey {
	t.Helper()
	if name == "" {
		return nil
	}
	for i := range suites[0].Cases {
		if c := &suites[0].Cases[i]; c.Name == name {
			return &world.CaseKey{Suite: &suites[0], Case: c}
		}
	}
	t.Fatalf("there is no case %s", name)
	return nil
}

// A case finds the world of its suite, over which the loaded world takes precedence.
func TestFactory(t *testing.T) {
	suites, err := scenario.LoadSuites("admsim.yaml", scenario.Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	bag := load(t, "loaded.yaml")
	newest, unmatched := kubeversion.Default().Version, &dispatch.Mock{}
	for _, tt := range []struct {
		reason   string
		of       string // case
		options  worlds.FactoryOptions
		release  string
		settings string   // where the ConfigMap is from
		webhooks []string // configurations
		guard    string   // what the backend of guard says
		own      bool     // a backend is declared for the webhook of configuration own
	}{
		{"the loaded world", "", worlds.FactoryOptions{Named: bag.Objects}, newest, "loaded", []string{"guard"}, "loaded", false},
		{"a case, for a question about webhooks", "plain", worlds.FactoryOptions{Named: bag.Objects}, "1.34", "loaded", []string{"guard"}, "loaded", true},
		{"a case, for a question about other things", "plain", worlds.FactoryOptions{}, "1.34", "loaded", []string{"guard", "own"}, "loaded", true},
		{"a case that overrides", "override", worlds.FactoryOptions{Named: bag.Objects}, "1.30", "loaded", []string{"guard"}, "case", true},
		{"a case, when the user sets the release", "override", worlds.FactoryOptions{Named: bag.Objects, Pinned: true}, newest, "loaded", []string{"guard"}, "case", true},
	} {
		loaded, _, err := worlds.NewLoaded(context.Background(), bag, worlds.Options{Backends: backends.Options{Unmatched: unmatched}})
		if err != nil {
			t.Fatal(err)
		}
		tt.options.Backends.Unmatched = unmatched
		factory := worlds.NewFactory(context.Background(), loaded, tt.options)
		on := key(t, suites, tt.of)
		w, err := factory.Make(on, nil)
		if err != nil {
			t.Fatalf("%s: %v", tt.reason, err)
		}
		state := w.Simulator().State()
		var configurations []string
		for o := range objects.WebhookConfigurations(state) {
			configurations = append(configurations, cluster.KeyOf(o.Object).Name)
		}
		slices.Sort(configurations)
		settings, _ := state.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: "default", Name: "settings"})
		_, suiteOwn := state.Find(cluster.Key{GroupKind: schema.GroupKind{Kind: "ConfigMap"}, Namespace: "default", Name: "own"})
		if got := w.Simulator().Release().Version; got != tt.release {
			t.Errorf("%s: the release is %s, want %s", tt.reason, got, tt.release)
		}
		if got := settings.Object.(*corev1.ConfigMap).Data["from"]; got != tt.settings || suiteOwn != (tt.of != "") {
			t.Errorf("%s: settings are from %s, want %s; what only the suite has is there: %v", tt.reason, got, tt.settings, suiteOwn)
		}
		if !slices.Equal(configurations, tt.webhooks) {
			t.Errorf("%s: the webhooks are those of %v, want %v", tt.reason, configurations, tt.webhooks)
		}
		if got, want := denial(t, w), `admission webhook "hooks.shop.example" denied the request: `+tt.guard; got != want {
			t.Errorf("%s: the denial is %q, want %q", tt.reason, got, want)
		}
		silent, err := factory.Make(on, func(world.Resolver) world.Resolver {
			return func(_, _ string) dispatch.Backend { return &dispatch.Mock{} }
		})
		if err != nil || denial(t, silent) != "" {
			t.Errorf("%s: with other backends, the denial is %q, error %v; want none", tt.reason, denial(t, silent), err)
		}
		declared := factory.Declared(on)
		if !declared("guard", "hooks.shop.example") || declared("own", "hooks.shop.example") != tt.own || declared("other", "hooks.shop.example") {
			t.Errorf("%s: declared are guard %v, own %v, other %v; want true, %v, false", tt.reason, declared("guard", "hooks.shop.example"), declared("own", "hooks.shop.example"), declared("other", "hooks.shop.example"), tt.own)
		}
		again, err := factory.Make(on, nil)
		if err != nil || again.Simulator().State() != state {
			t.Errorf("%s: made again, the world has another state, or there is an error: %v", tt.reason, err)
		}
		factory.Close()
		loaded.Backends.Close()
	}
}

// denial returns the message with which the first webhook denies a ConfigMap.
func denial(t *testing.T, w *world.World) string {
	t.Helper()
	asked := world.Asked{Simulator: w.Simulator(), API: rest.Request{
		Verb: rest.Create, Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), Namespace: "default",
		Body: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"new"}}`),
	}}
	answer, err := asked.Answer(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if answer.Status() == nil {
		return ""
	}
	return answer.Status().Message
}

// All errors are reported at once. If only backends are invalid, there is a world.
func TestNewLoadedWrong(t *testing.T) {
	const (
		wrongPod     = "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: web}\n---\n"
		undefined    = "apiVersion: shop.example/v1\nkind: Widget\nmetadata: {name: w}\n---\n"
		wrongBackend = "apiVersion: admsim.dev/v1alpha1\nkind: Backends\nbackends:\n- {webhook: a, mock: [{when: \"object.\", allowed: true}]}\n"
	)
	for _, tt := range []struct {
		text  string
		want  []string
		world bool
	}{
		{wrongPod, []string{"spec.containers: a string instead of a list"}, false},
		{undefined, []string{"Widget"}, false},
		{wrongBackend, []string{"backends[0].mock[0].when: "}, true},
		{undefined + wrongBackend, []string{"backends[0].mock[0].when: "}, true}, // the definition may be in the unread part
		{wrongPod + wrongBackend, []string{"spec.containers: a string instead of a list", "backends[0].mock[0].when: "}, false},
	} {
		o := scenario.Options{FS: fstest.MapFS{"w.yaml": {Data: []byte(tt.text)}}}
		found, err := scenario.Load([]string{"w.yaml"}, o)
		if err != nil {
			t.Fatal(err)
		}
		bag, err := scenario.Sort(found, o)
		if err != nil {
			t.Fatal(err)
		}
		w, _, err := worlds.NewLoaded(context.Background(), bag, worlds.Options{})
		if err == nil || w == nil || (w.World != nil) != tt.world {
			t.Errorf("NewLoaded of\n%s has the error %v, and the world %+v", tt.text, err, w)
			continue
		}
		for _, part := range tt.want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("the error of\n%s is without %s: %v", tt.text, part, err)
			}
		}
	}
}

func TestCredentials(t *testing.T) {
	const config = "apiVersion: apiserver.config.k8s.io/v1\nkind: WebhookAdmissionConfiguration\nkubeConfigFile: "
	for _, tt := range []struct {
		reason        string
		configuration map[string][]byte
		want          string // in the error; empty: none
	}{
		{"none", nil, ""},
		{"an invalid configuration names its plugin", map[string][]byte{"ValidatingAdmissionWebhook": []byte("kind: [")}, "configuration of ValidatingAdmissionWebhook: "},
		{"so does a missing file", map[string][]byte{"MutatingAdmissionWebhook": []byte(config + "/nowhere/kubeconfig\n")}, "configuration of MutatingAdmissionWebhook: "},
		{"configuration of other plugins is ignored", map[string][]byte{"PodSecurity": []byte("kind: [")}, ""},
	} {
		got, err := worlds.Credentials(simulator.Plugins{Configuration: tt.configuration})
		switch {
		case tt.want == "" && (err != nil || len(got) != 2):
			t.Errorf("%s: %d credentials, %v; want those of both phases", tt.reason, len(got), err)
		case tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)):
			t.Errorf("%s: error %v, want %s…", tt.reason, err, tt.want)
		}
	}
}
