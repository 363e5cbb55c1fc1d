package kubeversion

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/kubernetes/scheme"
)

func TestParse(t *testing.T) {
	for _, test := range []struct{ version, want, fails, reason string }{
		{version: "1.36", want: "1.36", reason: "the usual way"},
		{version: "v1.36.3", want: "1.36", reason: "the patch version changes nothing"},
		{version: "1.34.2-gke.100", want: "1.34", reason: "a vendor's build"},
		{version: "v1.30.14+k3s1", want: "1.30", reason: "a vendor's build"},
		{version: "1.37", fails: `does not know Kubernetes 1.37, only 1.36, 1.35, 1.34, 1.33, 1.32, 1.31, 1.30; did you mean "1.36"?`, reason: "not yet known"},
		{version: "latest", fails: `"latest" is no Kubernetes version: write it like 1.36`, reason: "no number"},
		{version: "", fails: "no Kubernetes version", reason: "nothing"},
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
	first, _ := Parse("1.36")
	if first != Default() {
		t.Error("Parse builds a release anew, want the same one each time")
	}
}

// Every kind that a release can serve has a Go type, every hub is a version that the
// release offers, and equivalents agree on their hub.
func TestReleasesAreSound(t *testing.T) {
	types := runtime.NewScheme()
	if err := scheme.AddToScheme(types); err != nil {
		t.Fatal(err)
	}
	if err := apiextensionsv1.AddToScheme(types); err != nil {
		t.Fatal(err)
	}
	for _, known := range releases {
		r := known.release()
		t.Run(r.Version, func(t *testing.T) {
			if r.Version != known.version || r.Version != fmt.Sprintf("1.%d", r.Minor) || !r.AtLeast(r.Minor) || r.AtLeast(r.Minor+1) {
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
				if _, ok := r.gates[resource.gate]; resource.gate != "" && !ok {
					t.Errorf("%s needs the gate %s, which the release does not have", resource.GroupVersionKind(), resource.gate)
				}
			}
			for _, resource := range r.offered {
				if !offered.Has(resource.Storage) {
					t.Errorf("%s is stored as %s, which the release does not offer", resource.GroupVersionKind(), resource.Storage)
				}
				kinds := []schema.GroupVersionKind{resource.GroupVersionKind()}
				for _, sub := range resource.Subresources {
					kinds = append(kinds, sub.Kind)
				}
				for _, kind := range kinds {
					// The types of API services are in kube-aggregator, which admsim
					// does not need otherwise.
					if !types.Recognizes(kind) && kind.Group != "apiregistration.k8s.io" {
						t.Errorf("%s of %s has no Go type", kind, resource.Resource)
					}
				}
			}
		})
	}
}

// By default no alpha is served, and no beta but those of old (W-108, plugins.md 3.2).
func TestServedByDefault(t *testing.T) {
	for _, known := range releases {
		r := known.release()
		var early []string
		for _, resource := range r.Resources {
			if maturity(resource.Version) != "ga" && !slices.Contains(early, resource.GroupVersion().String()) {
				early = append(early, resource.GroupVersion().String())
			}
		}
		var want []string
		if !r.AtLeast(32) {
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
		{"flowcontrol.apiserver.k8s.io/v1beta3/flowschemas", "1.30", "1.31", "the last beta on by default"},
		{"v1/pods", "1.30", "", "always there"},
		{"batch/v1beta1/cronjobs", "", "", "gone since 1.25"},
		{"certificates.k8s.io/v1beta1/clustertrustbundles", "", "", "off by default"},
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
		"ValidatingAdmissionPolicy":             "1.30",
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
