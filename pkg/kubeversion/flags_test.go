package kubeversion

import (
	"path"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/didyoumean"
)

// In this release, trust bundles are behind a gate and off.
func TestWith(t *testing.T) {
	base := release136()
	bundles := schema.GroupVersionResource{Group: "certificates.k8s.io", Version: "v1beta1", Resource: "clustertrustbundles"}
	deployments := schema.GroupVersionResource{Group: "apps", Version: "v1", Resource: "deployments"}
	gate := map[string]bool{"ClusterTrustBundle": true}
	for _, test := range []struct {
		reason   string
		flags    Flags
		resource schema.GroupVersionResource
		served   bool
	}{
		{"neither", Flags{}, bundles, false},
		{"the gate alone does not serve the API", Flags{FeatureGates: gate}, bundles, false},
		{"the API does not work without its gate", Flags{RuntimeConfig: map[string]bool{"certificates.k8s.io/v1beta1": true}}, bundles, false},
		{"both", Flags{FeatureGates: gate, RuntimeConfig: map[string]bool{"certificates.k8s.io/v1beta1": true}}, bundles, true},
		{"one resource of a version", Flags{FeatureGates: gate, RuntimeConfig: map[string]bool{"certificates.k8s.io/v1beta1/clustertrustbundles": true}}, bundles, true},
		{"all betas", Flags{FeatureGates: gate, RuntimeConfig: map[string]bool{"api/beta": true}}, bundles, true},
		{"all alphas do not include it", Flags{FeatureGates: gate, RuntimeConfig: map[string]bool{"api/alpha": true}}, bundles, false},
		{"the more specific wins", Flags{FeatureGates: gate, RuntimeConfig: map[string]bool{"api/all": true, "certificates.k8s.io/v1beta1": false}}, bundles, false},
		{"a version of reviews only", Flags{RuntimeConfig: map[string]bool{"imagepolicy.k8s.io/v1alpha1": true}}, deployments, true},
		{"a stable version switched off", Flags{RuntimeConfig: map[string]bool{"apps/v1": false}}, deployments, false},
		{"all but", Flags{RuntimeConfig: map[string]bool{"api/all": false, "apps/v1": true}}, deployments, true},
	} {
		r, err := base.With(test.flags)
		if err != nil {
			t.Errorf("With(%+v) fails with %v: %s", test.flags, err, test.reason)
			continue
		}
		if _, served := r.Resource(test.resource); served != test.served {
			t.Errorf("With(%+v) serves %s: %v, want %v: %s", test.flags, test.resource.Resource, served, test.served, test.reason)
		}
	}
	if _, served := base.Resource(bundles); served || base.Enabled("ClusterTrustBundle") {
		t.Error("With changed the release it was called on")
	}
}

// Tests which keys of --runtime-config servers support, and which they know. Names of resources that do not exist, such
// as singular names, are no error (SV-03).
func TestRuntimeConfigOfReleases(t *testing.T) {
	const extensions, apps = "extensions/v1beta1/deployments", "apps/v1/deployments"
	for _, test := range []struct {
		reason, release, key string
		resource             string
		served, known        bool
	}{
		{"all stable versions", "1.17", "api/ga", apps, false, true},
		{"not known yet", "1.16", "api/ga", apps, true, false},
		{"not known yet", "1.10", "api/beta", extensions, true, false},
		{"all versions", "1.10", "api/all", apps, false, true},
		{"one resource", "1.24", apps, apps, false, true},
		{"ignored before", "1.23", apps, apps, true, true},
		{"except those of extensions", "1.15", extensions, extensions, false, true},
		{"resources of other groups in that release", "1.15", "apps/v1/deployments", apps, true, true},
		{"not supported at first", "1.13", extensions, extensions, true, true},
		{"singular names select no resource", "1.37", "apps/v1/deployment", apps, true, true},
	} {
		r, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		r, err = r.With(Flags{RuntimeConfig: map[string]bool{test.key: false}})
		if (err == nil) != test.known {
			t.Errorf("%s: With(%s=false) of %s fails with %v", test.reason, test.key, test.release, err)
		}
		if err != nil {
			continue
		}
		gv, resource := path.Split(test.resource)
		of, err := schema.ParseGroupVersion(strings.TrimSuffix(gv, "/"))
		if err != nil {
			t.Fatal(err)
		}
		if _, served := r.Resource(of.WithResource(resource)); served != test.served {
			t.Errorf("%s: with %s=false %s serves %s: %v", test.reason, test.key, test.release, test.resource, served)
		}
	}
}

func TestWithAddsUp(t *testing.T) {
	first, err := release136().With(Flags{FeatureGates: map[string]bool{"ClusterTrustBundle": true}})
	if err != nil {
		t.Fatal(err)
	}
	second, err := first.With(Flags{RuntimeConfig: map[string]bool{"api/beta": true}})
	if err != nil {
		t.Fatal(err)
	}
	if _, served := second.ForKind(gvk("certificates.k8s.io", "v1beta1", "ClusterTrustBundle")); !served {
		t.Error("the second With forgot the gate of the first")
	}
}

func TestWithUnknown(t *testing.T) {
	for _, test := range []struct {
		flags Flags
		want  string
	}{
		{
			Flags{FeatureGates: map[string]bool{"ClusterTrustBundel": true}},
			`Kubernetes 1.36: unrecognized feature gate: ClusterTrustBundel; did you mean "ClusterTrustBundle"?`,
		},
		{
			Flags{RuntimeConfig: map[string]bool{"certificates.k8s.io/v1beta2": true}},
			`Kubernetes 1.36 has no API "certificates.k8s.io/v1beta2" to switch on or off; did you mean "certificates.k8s.io/v1beta1"?`,
		},
	} {
		if _, err := release136().With(test.flags); err == nil || errorText(err) != test.want {
			t.Errorf("With(%+v) fails with %v, want %s", test.flags, err, test.want)
		}
	}
}

// errorText returns the message that people see.
func errorText(err error) string {
	if unknown := didyoumean.In(err); unknown != nil {
		return unknown.Error()
	}
	return err.Error()
}
