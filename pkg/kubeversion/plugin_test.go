package kubeversion

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	admissionv1 "k8s.io/api/admission/v1"
)

func TestPlugin(t *testing.T) {
	got, _ := Default().Plugin("MutatingAdmissionPolicy")
	want := Plugin{
		Name: "MutatingAdmissionPolicy", Default: true, Mutates: true,
		Operations: []admissionv1.Operation{admissionv1.Create, admissionv1.Update, admissionv1.Connect},
	}
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Plugin{})); diff != "" {
		t.Errorf("MutatingAdmissionPolicy is never asked on DELETE (W-003) (-want +got):\n%s", diff)
	}
	if got, ok := Default().Plugin("LimitRange"); ok {
		t.Errorf("Plugin(LimitRange) = %v, want none", got)
	}
}

// Namespaces are made before they are asked for (NAP-06), and asked for before any webhook is called (W-007); policies
// come before webhooks, and quotas after both (W-004). What is on in each release is in testdata.
func TestChain(t *testing.T) {
	const byDefault = "NamespaceLifecycle LimitRanger ServiceAccount TaintNodesByCondition PodSecurity Priority " +
		"DefaultTolerationSeconds DefaultStorageClass StorageObjectInUseProtection PodGroupProtection " +
		"PersistentVolumeClaimResize RuntimeClass CertificateApproval CertificateSigning ClusterTrustBundleAttest " +
		"CertificateSubjectRestriction DefaultIngressClass PodTopologyLabels PodGroupWorkloadExists " +
		"NodeDeclaredFeatureValidator JobValidation PodResizeValidator MutatingAdmissionPolicy " +
		"MutatingAdmissionWebhook ValidatingAdmissionPolicy ValidatingAdmissionWebhook ResourceQuota"
	for _, test := range []struct {
		reason          string
		enable, disable []string
		want, fails     string
	}{
		{reason: "no flags (W-003)", want: byDefault},
		{
			reason: "in list order, whatever the order of the flags (W-005)",
			enable: []string{"AlwaysDeny", "ResourceQuota", "AlwaysAdmit"},
			want:   "AlwaysAdmit " + byDefault + " AlwaysDeny",
		},
		{
			reason:  "one switched off",
			disable: []string{"NamespaceLifecycle", "AlwaysDeny"},
			want:    strings.TrimPrefix(byDefault, "NamespaceLifecycle "),
		},
		{reason: "unknown", enable: []string{"LimitRange"}, fails: `enable-admission-plugins plugin "LimitRange" is unknown; did you mean "LimitRanger"?`},
		{reason: "unknown", disable: []string{"X"}, fails: `disable-admission-plugins plugin "X" is unknown`},
		{reason: "in both", enable: []string{"AlwaysDeny"}, disable: []string{"AlwaysDeny"}, fails: "AlwaysDeny in enable-admission-plugins and disable-admission-plugins overlapped"},
	} {
		chain, err := release136().Chain(test.enable, test.disable)
		if test.fails != "" {
			if err == nil || said(err) != test.fails {
				t.Errorf("%s: Chain fails with %v, want %s", test.reason, err, test.fails)
			}
			continue
		}
		var got []string
		for _, p := range chain {
			got = append(got, p.Name)
		}
		if diff := cmp.Diff(strings.Fields(test.want), got); err != nil || diff != "" {
			t.Errorf("%s: Chain fails with %v or differs (-want +got):\n%s", test.reason, err, diff)
		}
	}
}

func TestPluginsAcrossReleases(t *testing.T) {
	for _, test := range []struct{ plugin, from, to string }{
		{"PodResizeValidator", "1.36", ""},
		{"PodGroupProtection", "1.36", ""},
		{"NodeDeclaredFeatureValidator", "1.35", ""},
		{"PodTopologyLabels", "1.33", ""},
		{"MutatingAdmissionPolicy", "1.32", ""},
		{"PersistentVolumeLabel", "1.10", "1.30"},
		{"ResourceQuota", "1.10", ""},
		{"SecurityContextDeny", "1.10", "1.29"},
		{"ClusterTrustBundleAttest", "1.27", ""},
		{"ValidatingAdmissionPolicy", "1.26", ""},
		{"PodSecurityPolicy", "1.10", "1.24"},
		{"PodSecurity", "1.22", ""},
		{"DenyServiceExternalIPs", "1.21", ""},
		{"DenyEscalatingExec", "1.10", "1.20"},
		{"PodPreset", "1.10", "1.19"},
		{"DefaultIngressClass", "1.18", ""},
		{"RuntimeClass", "1.16", ""},
		{"TaintNodesByCondition", "1.12", ""},
		{"InitialResources", "1.10", "1.10"},
		{"Initializers", "1.10", "1.13"},
	} {
		for _, known := range releases {
			r := known.release()
			_, got := r.Plugin(test.plugin)
			if want := known.version >= test.from && (test.to == "" || known.version <= test.to); got != want {
				t.Errorf("%s has %s: %v, want %v", known.version, test.plugin, got, want)
			}
		}
	}
	r, _ := Parse("1.30")
	names := r.pluginNames()
	if i := slices.Index(names, "PersistentVolumeLabel"); names[i+1] != "DefaultStorageClass" {
		t.Errorf("PersistentVolumeLabel is followed by %s, want DefaultStorageClass", names[i+1])
	}
}

// Pod Security was behind a gate from 1.22 to 1.24: with the gate off it does nothing, whoever
// asks for it.
func TestGatedPlugin(t *testing.T) {
	on, off := map[string]bool{"PodSecurity": true}, map[string]bool{"PodSecurity": false}
	for _, test := range []struct {
		reason, release string
		gates           map[string]bool
		enable          []string
		runs            bool
	}{
		{"an alpha", "1.22", nil, nil, false},
		{"switched on", "1.22", on, nil, true},
		{"the flag of plugins is not enough", "1.22", nil, []string{"PodSecurity"}, false},
		{"a beta", "1.23", nil, nil, true},
		{"switched off", "1.23", off, nil, false},
		{"for the last time", "1.24", off, nil, false},
		{"for good", "1.25", nil, nil, true},
	} {
		known, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		r, err := known.With(Flags{FeatureGates: test.gates})
		if err != nil {
			t.Fatal(err)
		}
		chain, err := r.Chain(test.enable, nil)
		if err != nil {
			t.Fatal(err)
		}
		if runs := slices.ContainsFunc(chain, func(p Plugin) bool { return p.Name == "PodSecurity" }); runs != test.runs {
			t.Errorf("%s, %s: PodSecurity runs: %v, want %v", test.release, test.reason, runs, test.runs)
		}
		if p, _ := known.Plugin("PodSecurity"); p.Default != (test.release != "1.22") {
			t.Errorf("With changed the plugins of %s", test.release)
		}
	}
	last, _ := Parse("1.25")
	if _, err := last.With(Flags{FeatureGates: off}); err == nil {
		t.Error("1.25 switches the gate PodSecurity off, which is for good")
	}
}

// --admission-control of releases before 1.10 is a list with its own order (CH-01).
func TestListed(t *testing.T) {
	r, err := Parse("1.15")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ reason, names, fails string }{
		{"what 1.9 recommended", "NamespaceLifecycle LimitRanger ServiceAccount DefaultStorageClass DefaultTolerationSeconds MutatingAdmissionWebhook ValidatingAdmissionWebhook ResourceQuota", ""},
		{"another order", "ResourceQuota ValidatingAdmissionWebhook LimitRanger AlwaysAdmit", ""},
		{"unknown", "LimitRange", `admission-control plugin "LimitRange" is unknown; did you mean "LimitRanger"?`},
		{"twice", "LimitRanger LimitRanger", "admission-control has LimitRanger twice"},
	} {
		chain, err := r.Listed(strings.Fields(test.names))
		if test.fails != "" {
			if err == nil || said(err) != test.fails {
				t.Errorf("%s: Listed fails with %v, want %s", test.reason, err, test.fails)
			}
			continue
		}
		var got []string
		for _, p := range chain {
			got = append(got, p.Name)
		}
		if diff := cmp.Diff(strings.Fields(test.names), got); err != nil || diff != "" {
			t.Errorf("%s: Listed fails with %v or differs (-want +got):\n%s", test.reason, err, diff)
		}
	}
}
