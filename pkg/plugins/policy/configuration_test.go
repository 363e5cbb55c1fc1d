package policy

import (
	"testing"

	"github.com/admsim/admsim/pkg/kubeversion"
)

func TestCheckConfiguration(t *testing.T) {
	const kind = "ValidatingAdmissionPolicyConfiguration"
	is := func(rest string) string {
		return `{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "` + kind + `"` + rest + `}`
	}
	release := kubeversion.Default()
	withGate, err := release.With(kubeversion.Flags{FeatureGates: map[string]bool{manifestsGate: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		data    string
		release *kubeversion.Release
		want    string
		reason  string
	}{
		{"", release, "", "nothing is said"},
		{is(""), release, "", "nothing is said of a folder"},
		{is(`, "staticManifestsDir": "/p"`), release, "staticManifestsDir: Forbidden: staticManifestsDir requires the ManifestBasedAdmissionControlConfig feature gate to be enabled", "W-046"},
		{is(`, "staticManifestsDir": "p"`), withGate, `staticManifestsDir: Invalid value: "p": must be an absolute file path`, "W-046"},
		{is(`, "staticManifestsDir": "/p"`), withGate, "staticManifestsDir: policies of a folder are not simulated; put them into the cluster instead", "better no answer than a wrong one"},
		{is(`, "manifests": "/p"`), release, `strict decoding error: unknown field "manifests"`, "it is read strictly"},
		{`{"apiVersion": "apiserver.config.k8s.io/v1", "kind": "MutatingAdmissionPolicyConfiguration"}`, release,
			`the configuration is of kind "MutatingAdmissionPolicyConfiguration", version "apiserver.config.k8s.io/v1"; want ` + kind + ` of apiserver.config.k8s.io/v1`, "it is the other plugin's"},
	} {
		got := ""
		if err := CheckConfiguration([]byte(tt.data), kind, tt.release); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("CheckConfiguration(%s) = %s, want %s: %s", tt.data, got, tt.want, tt.reason)
		}
	}
}
