package simulator_test

import (
	"testing"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

func TestHookConfiguration(t *testing.T) {
	const (
		policies = "ValidatingAdmissionPolicy"
		webhooks = "MutatingAdmissionWebhook"

		forbidden = "staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled"
		relative  = `staticManifestsDir: Invalid value: "p": must be an absolute file path`
		missing   = `staticManifestsDir: Invalid value: "/p": unable to read: stat /p: no such file or directory`
	)
	is := func(kind, rest string) string {
		return `{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "` + kind + `Configuration"` + rest + `}`
	}
	release, err := kubeversion.Parse("1.36") // the gate exists, but is off
	if err != nil {
		t.Fatal(err)
	}
	withGate, err := release.With(kubeversion.Flags{FeatureGates: map[string]bool{"ManifestBasedAdmissionControlConfig": true}})
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := kubeversion.Parse("1.35")
	if err != nil {
		t.Fatal(err)
	}
	oldest, err := kubeversion.Parse("1.16")
	if err != nil {
		t.Fatal(err)
	}
	const alpha = `{"apiVersion": "apiserver.config.k8s.io/v1alpha1", "kind": "WebhookAdmission", "kubeConfigFile": "/k"}`
	for _, tt := range []struct {
		plugin, data string
		release      *kubeversion.Release
		want         string
		reason       string
	}{
		{policies, "", release, "", "no configuration"},
		{policies, is(policies, ""), release, "", "no folder"},
		{policies, is(policies, `, "staticManifestsDir": "/p"`), release, forbidden, "W-046"},
		{policies, is(policies, `, "staticManifestsDir": "p"`), withGate, relative, "W-046"},
		{policies, is(policies, `, "staticManifestsDir": "/p"`), withGate, missing, "W-046"},
		{policies, is(policies, `, "manifests": "/p"`), release, `strict decoding error: unknown field "manifests"`, "decoding is strict"},
		{policies, is("MutatingAdmissionPolicy", ""), release,
			`the configuration is of kind "MutatingAdmissionPolicyConfiguration", version "apiserver.config.k8s.io/v1"; want apiserver.config.k8s.io/v1 ValidatingAdmissionPolicyConfiguration`,
			"configuration of another plugin"},
		{webhooks, is("WebhookAdmission", ""), release, "", "no folder"},
		{webhooks, is("WebhookAdmission", `, "kubeConfigFile": "/k", "kubeConfig": {}`), release, "", "credentials are checked elsewhere"},
		{webhooks, is("WebhookAdmission", `, "staticManifestsDir": "/p"`), release, forbidden, "W-046"},
		{webhooks, is("WebhookAdmission", `, "staticManifestsDir": "p"`), withGate, relative, "W-046"},
		{webhooks, is("WebhookAdmission", `, "staticManifestsDir": "/p"`), withGate, missing, "W-046"},
		{webhooks, is("WebhookAdmission", `, "manifests": "/p"`), release, `strict decoding error: unknown field "manifests"`, "decoding is strict"},
		{webhooks, is(webhooks, ""), release,
			`the configuration is of kind "MutatingAdmissionWebhookConfiguration", version "apiserver.config.k8s.io/v1"; want apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration`,
			"both plugins that call webhooks have the same kind"},
		{webhooks, is("WebhookAdmission", `, "kubeConfigFile": "/k", "staticManifestsDir": "/p"`), earlier, "", "not a field yet"},
		{webhooks, is("WebhookAdmission", `, "kubeConfigFile": "/k", "manifests": "/p"`), earlier, "", "decoding is not strict yet"},
		{webhooks, is("WebhookAdmission", ""), earlier, `kubeConfigFile: Invalid value: "": must be an absolute file path`, "W-046"},
		{webhooks, is("WebhookAdmission", `, "kubeconfigfile": "/k"`), earlier, `kubeConfigFile: Invalid value: "": must be an absolute file path`, "case matters"},
		{webhooks, is(webhooks, `, "kubeConfigFile": "/k"`), earlier,
			`the configuration is of kind "MutatingAdmissionWebhookConfiguration", version "apiserver.config.k8s.io/v1"; want one of apiserver.config.k8s.io/v1 WebhookAdmissionConfiguration, apiserver.config.k8s.io/v1alpha1 WebhookAdmission`,
			"the kind was always checked"},
		{webhooks, alpha, earlier, "", "the alpha version is not gone yet"},
		{webhooks, alpha, oldest, "", "it was the only one up to 1.16"},
		{webhooks, is("WebhookAdmission", `, "kubeConfigFile": "/k"`), oldest,
			`the configuration is of kind "WebhookAdmissionConfiguration", version "apiserver.config.k8s.io/v1"; want apiserver.config.k8s.io/v1alpha1 WebhookAdmission`,
			"v1 came with 1.17"},
		{policies, is(policies, `, "manifests": "/p"`), earlier, "", "policies have no configuration yet"},
	} {
		want := tt.want
		if want != "" {
			want = "configuration of " + tt.plugin + ": " + want
		}
		got := ""
		_, err := simulator.New(simulator.Options{
			State:   simulator.Bootstrap(),
			Release: tt.release,
			Plugins: simulator.Plugins{Configuration: map[string][]byte{tt.plugin: []byte(tt.data)}},
		})
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s with %s: %s, want %s: %s", tt.plugin, tt.data, got, want, tt.reason)
		}
	}
}
