package kubeversion

import (
	"strings"
	"testing"
)

// Each gate that something here depends on is there, and on, as the sources of the server say:
// those that can still be switched, and those of others only where they are on for good.
func TestGatesAreThoseOfServers(t *testing.T) {
	const older = "AllowInsecureKubeletCertificateSigningRequests" // what it switches off came with it
	asked := map[string]bool{}
	for _, known := range releases {
		r := known.release()
		for _, gates := range []map[string]bool{r.gates, r.fieldGates} {
			for name, on := range gates {
				asked[name] = true
				s, ok := knownGate(name, r.Minor)
				if !ok && on && (name == older || len(knownGates()[name]) > 0 && knownGates()[name][0].from < r.Minor) {
					continue
				}
				if !ok || s.on != on {
					t.Errorf("%s of %s is %v, want %+v (there: %v)", name, r.Version, on, s, ok)
				}
			}
		}
	}
	// Gates that came before what they are for.
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

// What --feature-gates takes: every gate that the server of that release has, in the words of
// which it refuses others.
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
		{release: "1.36", gate: "NodeLease", fails: "which was one up to 1.22"},
		{release: "1.36", gate: "PodSecurty", on: true, fails: "unrecognized feature gate: PodSecurty; PodSecurity was one from 1.22 to 1.27"},
		{release: "1.30", gate: "ValidatingAdmisionPolicy", fails: `unrecognized feature gate: ValidatingAdmisionPolicy; did you mean "ValidatingAdmissionPolicy"?`},
	} {
		known, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		_, err = known.With(Flags{FeatureGates: map[string]bool{test.gate: test.on}})
		if (err == nil) != (test.fails == "") || err != nil && !strings.HasSuffix(err.Error(), test.fails) {
			t.Errorf("%s=%v of %s: %v, want %q", test.gate, test.on, test.release, err, test.fails)
		}
	}
}

// AllAlpha and AllBeta set all gates of that stage that are not set by name.
func TestSetAllGates(t *testing.T) {
	r, err := Default().With(Flags{FeatureGates: map[string]bool{"AllAlpha": true, "AllBeta": false, "GenericWorkload": false}})
	if err != nil {
		t.Fatal(err)
	}
	for gate, want := range map[string]bool{
		"WorkloadWithJob":            true,  // an alpha
		"GenericWorkload":            false, // one that is named
		"PodTopologyLabelsAdmission": false, // a beta
		"MutatingAdmissionPolicy":    true,  // neither
	} {
		if s, _ := knownGate(gate, r.Minor); r.Enabled(gate) != want {
			t.Errorf("%s (%+v) is on: %v, want %v", gate, s, r.Enabled(gate), want)
		}
	}
}
