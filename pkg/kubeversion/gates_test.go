package kubeversion

import (
	"strings"
	"testing"
)

// Each gate that something here depends on exists, and is on, as in the sources of the server. This covers gates that
// can still be switched; for the others, it only covers those that are on for good.
func TestGatesAreThoseOfServers(t *testing.T) {
	const older = "AllowInsecureKubeletCertificateSigningRequests" // introduced together with what it switches off
	asked := map[string]bool{}
	for _, known := range releases {
		r := known.release()
		for _, gates := range []map[string]bool{r.gates, r.fieldGates} {
			for name, on := range gates {
				asked[name] = true
				s, ok := knownGate(name, r.Minor)
				if !ok && on && (name == older || len(knownGates()[name].stages) > 0 && knownGates()[name].stages[0].from < r.Minor) {
					continue
				}
				if !ok || s.on != on {
					t.Errorf("%s of %s is %v, want %+v (there: %v)", name, r.Version, on, s, ok)
				}
			}
		}
	}
	// Gates that were introduced before their feature.
	early := map[string]string{"MutatingAdmissionPolicy": "1.32"}
	for name := range asked {
		for _, known := range releases {
			r := known.release()
			s, ok := knownGate(name, r.Minor)
			if _, has := r.Gate(name); ok && !s.locked && !has && known.version >= early[name] {
				t.Errorf("%s lacks %s: %+v", r.Version, name, s)
			}
		}
	}
}

// --feature-gates accepts every gate of the server of that release, and refuses others with the server's messages.
func TestSetGates(t *testing.T) {
	for _, test := range []struct {
		release, gate string
		on            bool
		fails         string
	}{
		{release: "1.23", gate: "IdentifyPodOS", on: true},
		{release: "1.36", gate: "APIServerTracing", on: true}, // nothing here depends on it
		{release: "1.25", gate: "IdentifyPodOS", on: true},    // locked, and on
		{release: "1.25", gate: "IdentifyPodOS", fails: "Kubernetes 1.25: cannot set feature gate IdentifyPodOS to false, feature is locked to true"},
		{release: "1.27", gate: "IdentifyPodOS", on: true, fails: "Kubernetes 1.27: unrecognized feature gate: IdentifyPodOS, which was one from 1.23 to 1.26"},
		{release: "1.22", gate: "IdentifyPodOS", on: true, fails: "unrecognized feature gate: IdentifyPodOS, which was one from 1.23 to 1.26"},
		{release: "1.30", gate: "DRADeviceTaintRules", fails: "which was one from 1.35 on"},
		{release: "1.36", gate: "AppArmor", fails: "which was one up to 1.32"},
		{release: "1.36", gate: "PodSecurty", on: true, fails: "unrecognized feature gate: PodSecurty; PodSecurity was one from 1.22 to 1.27"},
		{release: "1.30", gate: "ValidatingAdmisionPolicy", fails: `unrecognized feature gate: ValidatingAdmisionPolicy; did you mean "ValidatingAdmissionPolicy"?`},
	} {
		known, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		_, err = known.With(Flags{FeatureGates: map[string]bool{test.gate: test.on}})
		if (err == nil) != (test.fails == "") || err != nil && !strings.HasSuffix(errorText(err), test.fails) {
			t.Errorf("%s=%v of %s: %v, want %q", test.gate, test.on, test.release, err, test.fails)
		}
	}
}

// Since 1.31, the name of a gate may begin with the component kube, as a kube-apiserver 1.37.2 has it.
func TestGatesOfComponents(t *testing.T) {
	for _, test := range []struct {
		release string
		set     map[string]bool
		fails   string
	}{
		{release: "1.31", set: map[string]bool{"kube:ClusterTrustBundle": true}},
		{release: "1.37", set: map[string]bool{"kube:WatchList": true, " kube : ClusterTrustBundle": true}},
		{release: "1.37", set: map[string]bool{":WatchList": true, "ClusterTrustBundle": true}},
		{release: "1.37", set: map[string]bool{"kube:WatchList": true, "ClusterTrustBundle": true}, fails: "Kubernetes 1.37: set kube feature gates with default empty prefix or kube: prefix consistently, do not mix use"},
		{release: "1.37", set: map[string]bool{"wardle:WatchList": true}, fails: "Kubernetes 1.37: component not registered: wardle"},
		{release: "1.30", set: map[string]bool{"kube:WatchList": true}, fails: `Kubernetes 1.30: unrecognized feature gate: kube:WatchList; did you mean "WatchList"?`},
	} {
		known, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		r, err := known.With(Flags{FeatureGates: test.set})
		if (err == nil) != (test.fails == "") || err != nil && !strings.HasPrefix(errorText(err), test.fails) {
			t.Errorf("%v of %s: %v, want %q", test.set, test.release, err, test.fails)
		}
		if err == nil && !r.GateOn("ClusterTrustBundle") {
			t.Errorf("%v of %s: ClusterTrustBundle is off", test.set, test.release)
		}
	}
}

// AllAlpha and AllBeta set all gates of that stage that are not set by name.
func TestSetAllGates(t *testing.T) {
	for _, test := range []struct {
		set  map[string]bool
		want map[string]bool
	}{
		{map[string]bool{"AllAlpha": true, "WorkloadWithJob": false}, map[string]bool{
			"GenericWorkload":         true,  // an alpha
			"WorkloadWithJob":         false, // set by name
			"MutatingAdmissionPolicy": true,  // neither
		}},
		{map[string]bool{"AllBeta": false, "PodLevelResources": true}, map[string]bool{
			"PodTopologyLabelsAdmission": false, // a beta
			"PodLevelResources":          true,  // set by name
			"MutatingAdmissionPolicy":    true,  // neither
		}},
	} {
		r, err := release136().With(Flags{FeatureGates: test.set})
		if err != nil {
			t.Fatal(err)
		}
		for gate, want := range test.want {
			if s, _ := knownGate(gate, r.Minor); r.Enabled(gate) != want {
				t.Errorf("with %v %s (%+v) is on: %v, want %v", test.set, gate, s, r.Enabled(gate), want)
			}
		}
	}
}

// From 1.35 on a gate is refused if its dependencies are off, whether they are switched off by name, by stage or by
// default.
func TestGateNeeds(t *testing.T) {
	needs := func(release, gate string, off ...string) string {
		return (&GateNeedsError{release, gate, off}).Error()
	}
	for _, test := range []struct {
		reason, release string
		set             map[string]bool
		fails           string
	}{
		{"by default", "1.36", map[string]bool{"WorkloadWithJob": true}, needs("1.36", "WorkloadWithJob", "GenericWorkload")},
		{"in the server's words", "1.36", map[string]bool{"PodTopologyLabelsAdmission": true, "DRAWorkloadResourceClaims": true},
			"Kubernetes 1.36: DRAWorkloadResourceClaims is enabled, but depends on features that are disabled: [GenericWorkload]"},
		{"two of them", "1.36", map[string]bool{"DRAWorkloadResourceClaims": true, "DynamicResourceAllocation": true, "GenericWorkload": false, "UserNamespacesHostNetworkSupport": true, "NodeDeclaredFeatures": true},
			needs("1.36", "DRAWorkloadResourceClaims", "GenericWorkload")},
		{"with all dependencies", "1.36", map[string]bool{"WorkloadWithJob": true, "GenericWorkload": true}, ""},
		{"a dependency has dependencies", "1.36", map[string]bool{"WorkloadAwarePreemption": true, "GangScheduling": true}, needs("1.36", "GangScheduling", "GenericWorkload")},
		{"off itself, in 1.35", "1.35", map[string]bool{"InPlacePodVerticalScaling": true, "PodLevelResources": false}, ""},
		{"its stage is on, a dependency is off", "1.36", map[string]bool{"AllAlpha": true, "PodLevelResources": false},
			needs("1.36", "InPlacePodLevelResourcesVerticalScaling", "PodLevelResources") + "\n" + needs("1.36", "PodLevelResourceManagers", "PodLevelResources")},
		{"both stages", "1.36", map[string]bool{"AllAlpha": true, "AllBeta": true}, ""},
		{"less in an earlier release", "1.35", map[string]bool{"UserNamespacesHostNetworkSupport": true}, ""},
		{"more in a later", "1.36", map[string]bool{"UserNamespacesHostNetworkSupport": true, "NodeDeclaredFeatures": true}, ""},
		{"not yet", "1.34", map[string]bool{"DynamicResourceAllocation": false, "DRAAdminAccess": true}, ""},
	} {
		known, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if _, err := known.With(Flags{FeatureGates: test.set}); err != nil {
			got = err.Error()
		}
		if got != test.fails {
			t.Errorf("%s: %v of %s:\n%s\nwant\n%s", test.reason, test.set, test.release, got, test.fails)
		}
	}
}

// By default no gate is on without what it needs, which the server itself checks as well.
func TestGateNeedsByDefault(t *testing.T) {
	for _, known := range releases {
		r := known.release().copied()
		r.flags.FeatureGates = map[string]bool{"AllAlpha": false}
		if err := r.checkNeeds(); err != nil {
			t.Error(err)
		}
		for name, g := range knownGates() {
			for _, n := range g.needs {
				for _, needed := range n.gates {
					if _, ok := knownGate(needed, n.from); !ok {
						t.Errorf("%s needs %s, which 1.%d does not have", name, needed, n.from)
					}
				}
			}
		}
	}
}
