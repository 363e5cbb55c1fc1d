package kubeversion

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/admsim/admsim/internal/builtin"
)

func TestParse(t *testing.T) {
	newest := releases[0].version
	unknown := fmt.Sprintf("1.%d", minorOf(newest)+1)
	for _, test := range []struct{ version, want, fails, reason string }{
		{version: "1.36", want: "1.36", reason: "the usual way"},
		{version: "v1.36.3", want: "1.36", reason: "the patch release is no other release"},
		{version: "1.34.2-gke.100", want: "1.34", reason: "a vendor's build"},
		{version: "v1.30.14+k3s1", want: "1.30", reason: "a vendor's build"},
		{version: unknown, fails: fmt.Sprintf("does not know Kubernetes %s, only 1.10 to %s; did you mean %q?", unknown, newest, newest), reason: "not yet known"},
		{version: "1.9", fails: `did you mean "1.10"?`, reason: "too old"},
		{version: "1.3", fails: fmt.Sprintf("did you mean %q?", newest), reason: "a digit is missing"},
		{version: "1.8", fails: `did you mean "1.10"?`, reason: "too old, as a number and not as text"},
		{version: "latest", fails: `"latest" is not a Kubernetes version; write it like ` + newest, reason: "no number"},
		{version: "", fails: "not a Kubernetes version", reason: "nothing"},
	} {
		r, err := Parse(test.version)
		switch {
		case test.fails == "" && err != nil:
			t.Errorf("Parse(%q) fails with %v: %s", test.version, err, test.reason)
		case test.fails == "" && r.Version != test.want:
			t.Errorf("Parse(%q) = %s, want %s: %s", test.version, r.Version, test.want, test.reason)
		case test.fails != "" && (err == nil || !strings.Contains(err.Error(), test.fails)):
			t.Errorf("Parse(%q) fails with %v, want %s: %s", test.version, err, test.fails, test.reason)
		}
	}
	first, _ := Parse(newest)
	if first != Default() {
		t.Error("Parse builds a new release, want the same one each time")
	}
}

// Some features were added to releases that existed: their first patch releases do not have them.
func TestEarlyPatchReleases(t *testing.T) {
	for version, want := range map[string]bool{
		"1.30": false, "1.31.0": false, "v1.31.11": false, "1.31.12": true, "1.31": true, "1.32.7": false, "1.32.8": true,
		"v1.33.3-gke.100": false, "1.33.4": true, "1.33": true, "1.34.0": true,
	} {
		r, err := Parse(version)
		if err != nil {
			t.Fatal(err)
		}
		if again, _ := Parse(version); again != r {
			t.Errorf("Parse(%q) returns another release the second time", version)
		}
		with, err := r.With(Flags{FeatureGates: map[string]bool{"AllAlpha": true}})
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Has(NodeOwnersKept); got != want || with.Has(NodeOwnersKept) != want {
			t.Errorf("%s: nodes keep their owners: %v, with flags: %v, want %v", version, got, with.Has(NodeOwnersKept), want)
		}
	}
}

// Every kind that a release can serve or store has a Go type, and equivalents agree on their hub: the stored version is
// the one whose rules admsim has. It may be newer than the release, just as the server's internal version is not one
// that it serves.
func TestReleasesAreSound(t *testing.T) {
	for _, known := range releases {
		r := known.release()
		t.Run(r.Version, func(t *testing.T) {
			if r.Version != known.version || r.Version != fmt.Sprintf("1.%d", r.Minor) {
				t.Errorf("release %s calls itself %s, minor %d", known.version, r.Version, r.Minor)
			}
			offered := sets.New[schema.GroupVersionKind]()
			hubs := map[string]schema.GroupVersionKind{}
			for _, resource := range r.offered {
				if offered.Has(resource.GroupVersionKind()) {
					t.Errorf("%s is served twice", resource.GroupVersionKind())
				}
				offered.Insert(resource.GroupVersionKind())
				if hub, ok := hubs[resource.StoragePrefix]; ok && hub != resource.Storage {
					t.Errorf("%s is stored as %s, its equivalents as %s", resource.GroupVersionKind(), resource.Storage, hub)
				}
				hubs[resource.StoragePrefix] = resource.Storage
				if _, ok := r.Gate(resource.gate); resource.gate != "" && !ok {
					t.Errorf("%s needs the gate %s, which the release does not have", resource.GroupVersionKind(), resource.gate)
				}
			}
			for _, resource := range r.offered {
				kinds := []schema.GroupVersionKind{resource.GroupVersionKind(), resource.Storage}
				for _, sub := range resource.Subresources {
					kinds = append(kinds, sub.Kind)
				}
				for _, kind := range kinds {
					if !builtin.Has(kind) {
						t.Errorf("%s of %s has no Go type", kind, resource.Resource)
					}
				}
			}
		})
	}
}

// By default no alpha is served, and no beta except the old ones (W-108, SV-01).
func TestServedByDefault(t *testing.T) {
	for _, known := range releases {
		r := known.release()
		var early []string
		for _, resource := range r.Resources {
			if maturity(resource.Version) != "ga" && !slices.Contains(early, resource.GroupVersion().String()) {
				early = append(early, resource.GroupVersion().String())
			}
		}
		if r.Minor < 26 {
			continue // betas were on by default; TestSummaries shows them
		}
		var want []string
		switch {
		case r.Minor == 26:
			want = []string{"storage.k8s.io/v1beta1", "flowcontrol.apiserver.k8s.io/v1beta3", "flowcontrol.apiserver.k8s.io/v1beta2"}
		case r.Minor < 29:
			want = []string{"flowcontrol.apiserver.k8s.io/v1beta3", "flowcontrol.apiserver.k8s.io/v1beta2"}
		case r.Minor < 32:
			want = []string{"flowcontrol.apiserver.k8s.io/v1beta3"}
		}
		if diff := cmp.Diff(want, early); diff != "" {
			t.Errorf("%s serves alphas and betas (-want +got):\n%s", r.Version, diff)
		}
	}
}

func TestAcrossReleases(t *testing.T) {
	for _, test := range []struct{ resource, from, to, reason string }{
		{"admissionregistration.k8s.io/v1/mutatingadmissionpolicies", "1.36", "", "v1 since 1.36 (W-301)"},
		{"admissionregistration.k8s.io/v1/validatingadmissionpolicies", "1.30", "", "v1 since 1.30"},
		{"resource.k8s.io/v1/resourceclaims", "1.34", "", "v1 since 1.34"},
		{"storage.k8s.io/v1/volumeattributesclasses", "1.34", "", "v1 since 1.34"},
		{"networking.k8s.io/v1/servicecidrs", "1.33", "", "v1 since 1.33"},
		{"flowcontrol.apiserver.k8s.io/v1beta3/flowschemas", "1.26", "1.31", "the last beta on by default"},
		{"v1/pods", "1.10", "", "always there"},
		{"batch/v1beta1/cronjobs", "1.10", "1.24", "gone since 1.25"},
		{"coordination.k8s.io/v1beta1/leases", "1.12", "1.21", "brought by 1.12"},
		{"coordination.k8s.io/v1/leases", "1.14", "", "v1 since 1.14"},
		{"node.k8s.io/v1beta1/runtimeclasses", "1.14", "1.24", "custom resources before"},
		{"storage.k8s.io/v1/volumeattachments", "1.13", "", "v1 since 1.13"},
		{"scheduling.k8s.io/v1beta1/priorityclasses", "1.11", "1.21", "brought by 1.11"},
		{"batch/v1/cronjobs", "1.21", "", "v1 since 1.21"},
		{"extensions/v1beta1/deployments", "1.10", "1.15", "gone since 1.16 (SV-02)"},
		{"apps/v1beta1/statefulsets", "1.10", "1.15", "gone since 1.16"},
		{"apps/v1beta2/daemonsets", "1.10", "1.15", "gone since 1.16"},
		{"extensions/v1beta1/ingresses", "1.10", "1.21", "gone since 1.22"},
		{"networking.k8s.io/v1beta1/ingresses", "1.14", "1.21", "gone since 1.22"},
		{"networking.k8s.io/v1/ingresses", "1.19", "", "v1 since 1.19"},
		{"networking.k8s.io/v1beta1/ingressclasses", "1.18", "1.21", "1.18 to 1.21"},
		{"policy/v1beta1/podsecuritypolicies", "1.10", "1.24", "gone since 1.25"},
		{"extensions/v1beta1/podsecuritypolicies", "1.10", "1.15", "gone since 1.16"},
		{"policy/v1/poddisruptionbudgets", "1.21", "", "v1 since 1.21"},
		{"discovery.k8s.io/v1beta1/endpointslices", "1.17", "1.24", "on from 1.17"},
		{"events.k8s.io/v1beta1/events", "1.10", "1.24", "gone since 1.25"},
		{"autoscaling/v2/horizontalpodautoscalers", "1.23", "", "v2 since 1.23"},
		{"admissionregistration.k8s.io/v1beta1/mutatingwebhookconfigurations", "1.10", "1.21", "gone since 1.22 (W-056)"},
		{"admissionregistration.k8s.io/v1/mutatingwebhookconfigurations", "1.16", "", "v1 since 1.16"},
		{"apiextensions.k8s.io/v1/customresourcedefinitions", "1.16", "", "v1 since 1.16"},
		{"apiextensions.k8s.io/v1beta1/customresourcedefinitions", "1.10", "1.21", "gone since 1.22"},
		{"rbac.authorization.k8s.io/v1beta1/roles", "1.10", "1.21", "gone since 1.22"},
		{"storage.k8s.io/v1beta1/csistoragecapacities", "1.21", "1.26", "1.21 to 1.26"},
		{"storage.k8s.io/v1/csinodes", "1.17", "", "v1 since 1.17"},
		{"storage.k8s.io/v1/csidrivers", "1.18", "", "v1 since 1.18"},
		{"node.k8s.io/v1/runtimeclasses", "1.20", "", "v1 since 1.20"},
		{"flowcontrol.apiserver.k8s.io/v1beta1/flowschemas", "1.20", "1.25", "1.20 to 1.25"},
		{"flowcontrol.apiserver.k8s.io/v1beta2/flowschemas", "1.23", "1.28", "1.23 to 1.28"},
		{"certificates.k8s.io/v1beta1/clustertrustbundles", "", "", "off by default"},
		{"autoscaling/v2beta1/horizontalpodautoscalers", "1.10", "1.24", "gone since 1.25"},
		{"autoscaling/v2beta2/horizontalpodautoscalers", "1.12", "1.25", "gone since 1.26"},
		{"batch/v2alpha1/cronjobs", "", "", "off by default"},
		{"node.k8s.io/v1alpha1/runtimeclasses", "", "", "off by default"},
		{"rbac.authorization.k8s.io/v1alpha1/roles", "", "", "off by default"},
		{"apiregistration.k8s.io/v1beta1/apiservices", "1.10", "1.21", "gone since 1.22"},
		{"apiregistration.k8s.io/v1/apiservices", "1.10", "", "always there"},
	} {
		slash := strings.LastIndex(test.resource, "/")
		gvr := mustGroupVersion(test.resource[:slash]).WithResource(test.resource[slash+1:])
		for _, known := range releases {
			_, got := known.release().Resource(gvr)
			want := test.from != "" && known.version >= test.from && (test.to == "" || known.version <= test.to)
			if got != want {
				t.Errorf("%s serves %s: %v, want %v: %s", known.version, test.resource, got, want, test.reason)
			}
		}
	}
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	for _, known := range releases {
		_, got := known.release().KindFor(pods, "resize")
		if want := known.version >= "1.33"; got != want {
			t.Errorf("%s serves pods/resize: %v, want %v", known.version, got, want)
		}
	}
}

func TestGates(t *testing.T) {
	since := map[string]string{
		"CRDValidationRatcheting":               "1.30",
		"ValidatingAdmissionPolicy":             "1.30",
		"RetryGenerateName":                     "1.31",
		"RecoverVolumeExpansionFailure":         "1.32",
		"InPlacePodVerticalScaling":             "1.33",
		"ServiceAccountNodeAudienceRestriction": "1.33",
		"PodLevelResources":                     "1.34",
		"VolumeAttributesClass":                 "1.34",
		"PodTopologyLabelsAdmission":            "1.35",
		"MutatingAdmissionPolicy":               "1.36",
		"NodeDeclaredFeatures":                  "1.36",
	}
	for _, known := range releases {
		for gate, from := range since {
			if got, want := known.release().Enabled(gate), known.version >= from; got != want {
				t.Errorf("%s has %s on: %v, want %v", known.version, gate, got, want)
			}
		}
	}
	if Default().Enabled("NoSuchGate") {
		t.Error("a gate that the release does not have is on")
	}
}

// Alphas that --runtime-config switches on are in their place.
func TestAlphasOfOldReleases(t *testing.T) {
	for _, test := range []struct{ resource, first, last string }{
		{"batch/v2alpha1/cronjobs", "1.10", "1.20"},
		{"rbac.authorization.k8s.io/v1alpha1/clusterrolebindings", "1.10", "1.22"},
		{"node.k8s.io/v1alpha1/runtimeclasses", "1.14", "1.23"},
		{"auditregistration.k8s.io/v1alpha1/auditsinks", "1.13", "1.18"},
	} {
		slash := strings.LastIndex(test.resource, "/")
		gv := mustGroupVersion(test.resource[:slash])
		for _, known := range releases {
			r, err := known.release().With(Flags{RuntimeConfig: map[string]bool{gv.String(): true}})
			if want := test.first <= known.version && known.version <= test.last; (err == nil) != want {
				t.Errorf("%s can serve %s: %v, want %v", known.version, gv, err, want)
				continue
			}
			if err != nil {
				continue
			}
			if _, ok := r.Resource(gv.WithResource(test.resource[slash+1:])); !ok {
				t.Errorf("%s does not serve %s although it is switched on", known.version, test.resource)
			}
		}
	}
}

// In 1.16 and 1.17 workloads of extensions could only be switched on by their own names.
func TestServedByNameAlone(t *testing.T) {
	known, err := Parse("1.16")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]bool{"extensions/v1beta1": false, "api/all": false, "extensions/v1beta1/deployments": true} {
		r, err := known.With(Flags{RuntimeConfig: map[string]bool{key: true}})
		if err != nil {
			t.Fatal(err)
		}
		if _, got := r.Resource(schema.GroupVersionResource{Group: "extensions", Version: "v1beta1", Resource: "deployments"}); got != want {
			t.Errorf("%s=true serves deployments of extensions: %v, want %v", key, got, want)
		}
	}
}

// Subresources behind gates, and the kind of their bodies (SR-02).
func TestGatedSubresources(t *testing.T) {
	pods := schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	for _, test := range []struct{ version, subresource, gate, plain, gated string }{
		{"1.15", "ephemeralcontainers", "", "", ""},
		{"1.16", "ephemeralcontainers", "EphemeralContainers", "", "EphemeralContainers"},
		{"1.21", "ephemeralcontainers", "EphemeralContainers", "", "EphemeralContainers"},
		{"1.22", "ephemeralcontainers", "EphemeralContainers", "", "Pod"},
		{"1.23", "ephemeralcontainers", "", "Pod", ""},
		{"1.31", "resize", "InPlacePodVerticalScaling", "", ""},
		{"1.32", "resize", "InPlacePodVerticalScaling", "", "Pod"},
		{"1.33", "resize", "InPlacePodVerticalScaling", "Pod", "Pod"},
	} {
		r, err := Parse(test.version)
		if err != nil {
			t.Fatal(err)
		}
		if kind, _ := r.KindFor(pods, test.subresource); kind.Kind != test.plain {
			t.Errorf("%s: the body of %s is %q, want %q", test.version, test.subresource, kind.Kind, test.plain)
		}
		if test.gate == "" {
			continue
		}
		if r, err = r.With(Flags{FeatureGates: map[string]bool{test.gate: true}}); err != nil {
			t.Fatal(err)
		}
		if kind, _ := r.KindFor(pods, test.subresource); kind.Kind != test.gated {
			t.Errorf("%s with %s: the body of %s is %q, want %q", test.version, test.gate, test.subresource, kind.Kind, test.gated)
		}
	}
}
