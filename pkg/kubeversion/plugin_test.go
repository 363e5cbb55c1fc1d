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
		t.Errorf("MutatingAdmissionPolicy is never called on DELETE (W-003) (-want +got):\n%s", diff)
	}
	if got, ok := Default().Plugin("LimitRange"); ok {
		t.Errorf("Plugin(LimitRange) = %v, want none", got)
	}
}

// Namespaces are created before they are needed (NAP-06), and needed before any webhook is called (W-007); policies
// come before webhooks, and quotas after both (W-004). testdata shows what is on in each release.
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
			reason:  "one plugin switched off",
			disable: []string{"NamespaceLifecycle", "AlwaysDeny"},
			want:    strings.TrimPrefix(byDefault, "NamespaceLifecycle "),
		},
		{reason: "unknown", enable: []string{"LimitRange"}, fails: `enable-admission-plugins plugin "LimitRange" is unknown; did you mean "LimitRanger"?`},
		{reason: "unknown", disable: []string{"X"}, fails: `disable-admission-plugins plugin "X" is unknown; admsim plugins --kubernetes-version 1.36 lists them`},
		{reason: "in both", enable: []string{"AlwaysDeny"}, disable: []string{"AlwaysDeny"}, fails: "AlwaysDeny in enable-admission-plugins and disable-admission-plugins overlapped"},
	} {
		chain, err := release136().Chain(test.enable, test.disable)
		if test.fails != "" {
			if err == nil || errorText(err) != test.fails {
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

// With its gate off a plugin does nothing, even if it is enabled.
func TestGatedPlugin(t *testing.T) {
	const security, validating, mutating = "PodSecurity", "ValidatingAdmissionPolicy", "MutatingAdmissionPolicy" // the gates have the same names
	on, off := []bool{true}, []bool{false}
	for _, test := range []struct {
		reason, release, plugin string
		gate                    []bool // empty: the default
		enable                  bool
		runs                    bool
	}{
		{"an alpha", "1.22", security, nil, false, false},
		{"switched on", "1.22", security, on, false, true},
		{"the flag of plugins is not enough", "1.22", security, nil, true, false},
		{"a beta", "1.23", security, nil, false, true},
		{"switched off", "1.23", security, off, false, false},
		{"for the last time", "1.24", security, off, false, false},
		{"for good", "1.25", security, nil, false, true},
		{"an alpha", "1.26", validating, nil, false, false},
		{"switched on", "1.26", validating, on, false, true},
		{"a beta that is off", "1.29", validating, nil, true, false},
		{"switched on", "1.29", validating, on, false, true},
		{"for good", "1.30", validating, nil, false, true},
		{"without a gate", "1.37", validating, nil, false, true},
		{"an alpha", "1.32", mutating, nil, false, false},
		{"a beta that is off", "1.34", mutating, nil, true, false},
		{"switched on", "1.35", mutating, on, false, true},
		{"on by default", "1.36", mutating, nil, false, true},
		{"and still to be switched off", "1.37", mutating, off, true, false},
	} {
		known, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		gates := map[string]bool{}
		for _, on := range test.gate {
			gates[test.plugin] = on
		}
		before, _ := known.Plugin(test.plugin)
		r, err := known.With(Flags{FeatureGates: gates, RuntimeConfig: map[string]bool{"api/all": true}})
		if err != nil {
			t.Fatal(err)
		}
		var enable []string
		if test.enable {
			enable = []string{test.plugin}
		}
		chain, err := r.Chain(enable, nil)
		if err != nil {
			t.Fatal(err)
		}
		if runs := slices.ContainsFunc(chain, func(p Plugin) bool { return p.Name == test.plugin }); runs != test.runs {
			t.Errorf("%s, %s: %s runs: %v, want %v", test.release, test.reason, test.plugin, runs, test.runs)
		}
		if p, _ := known.Plugin(test.plugin); p.Default != before.Default {
			t.Errorf("With changed the plugins of %s", test.release)
		}
	}
	for release, gate := range map[string]string{"1.25": security, "1.30": validating} {
		last, _ := Parse(release)
		if _, err := last.With(Flags{FeatureGates: map[string]bool{gate: false}}); err == nil {
			t.Errorf("%s switches the gate %s off, which is always on", release, gate)
		}
	}
}

// A plugin for policies that are not served in the version that it needs prevents the server from starting (W-301).
func TestUnservedPolicies(t *testing.T) {
	const mutating, validating = "MutatingAdmissionPolicy", "ValidatingAdmissionPolicy"
	for _, test := range []struct {
		release, gate, config string // what is switched on, or with a minus off
		disable               string
		awaits                string // empty: it starts
	}{
		{"1.35", "", "", "", ""},
		{"1.35", mutating, "", "", "admissionregistration.k8s.io/v1beta1"},
		{"1.35", mutating, "", mutating, ""},
		{"1.35", mutating, "admissionregistration.k8s.io/v1beta1", "", ""},
		{"1.35", mutating, "admissionregistration.k8s.io/v1alpha1", "", "admissionregistration.k8s.io/v1beta1"},
		{"1.32", mutating, "", "", "admissionregistration.k8s.io/v1alpha1"},
		{"1.29", validating, "", "", "admissionregistration.k8s.io/v1beta1"},
		{"1.27", validating, "", "", "admissionregistration.k8s.io/v1alpha1"},
		{"1.37", "", "-admissionregistration.k8s.io/v1/mutatingadmissionpolicies", "", "admissionregistration.k8s.io/v1"},
		{"1.37", "-" + mutating, "-admissionregistration.k8s.io/v1/mutatingadmissionpolicies", "", ""},
	} {
		switched := func(name string) map[string]bool {
			name, off := strings.CutPrefix(name, "-")
			if name == "" {
				return nil
			}
			return map[string]bool{name: !off}
		}
		known, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		r, err := known.With(Flags{FeatureGates: switched(test.gate), RuntimeConfig: switched(test.config)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Chain(nil, strings.Fields(test.disable))
		want, got := "", ""
		if test.awaits != "" {
			plugin := mutating
			if test.gate == validating {
				plugin = validating
			}
			want = "Kubernetes " + test.release + ": the server does not start: " + plugin + " waits for " + test.awaits + ", which is not served"
		}
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%+v: Chain fails with %q, want %q", test, got, want)
		}
	}
}

// In releases before 1.10, --admission-control is a list with its own order (CH-01).
func TestListed(t *testing.T) {
	r, err := Parse("1.15")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ reason, names, fails string }{
		{"the list that 1.9 recommended", "NamespaceLifecycle LimitRanger ServiceAccount DefaultStorageClass DefaultTolerationSeconds MutatingAdmissionWebhook ValidatingAdmissionWebhook ResourceQuota", ""},
		{"another order", "ResourceQuota ValidatingAdmissionWebhook LimitRanger AlwaysAdmit", ""},
		{"unknown", "LimitRange", `admission-control plugin "LimitRange" is unknown; did you mean "LimitRanger"?`},
		{"twice", "LimitRanger LimitRanger", "admission-control has LimitRanger twice"},
	} {
		chain, err := r.Listed(strings.Fields(test.names))
		if test.fails != "" {
			if err == nil || errorText(err) != test.fails {
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
