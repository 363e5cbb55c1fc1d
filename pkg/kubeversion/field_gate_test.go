package kubeversion

import "testing"

// A field gate exists as long as it can be switched: first off, then on, then gone for good.
func TestFieldGates(t *testing.T) {
	for _, test := range []struct {
		release, gate string
		on, ok        bool
	}{
		{"1.22", "IdentifyPodOS", false, false},
		{"1.23", "IdentifyPodOS", false, true},
		{"1.24", "IdentifyPodOS", true, true},
		{"1.25", "IdentifyPodOS", true, true},                // gone for good
		{"1.24", "ProbeTerminationGracePeriod", false, true}, // a beta that was off
		{"1.25", "ProbeTerminationGracePeriod", true, true},
	} {
		r, err := Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		if on, ok := r.Gate(test.gate); on != test.on || ok != test.ok {
			t.Errorf("%s of %s is %v, exists %v; want %v, %v", test.gate, test.release, on, ok, test.on, test.ok)
		}
	}
	for _, g := range fieldGates {
		if g.since > g.on || g.on > g.forGood || g.since == g.forGood { // a gate that was removed while it was off is on in the same release
			t.Errorf("%s: %+v is out of order", g.name, g)
		}
		if _, ok := Default().gates[g.name]; ok {
			t.Errorf("%s is also among the other gates", g.name)
		}
	}
}

func TestWithFieldGate(t *testing.T) {
	known, err := Parse("1.23")
	if err != nil {
		t.Fatal(err)
	}
	r, err := known.With(Flags{FeatureGates: map[string]bool{"IdentifyPodOS": true}})
	if err != nil || !r.Enabled("IdentifyPodOS") {
		t.Errorf("the gate is not on: %v", err)
	}
	if known.Enabled("IdentifyPodOS") {
		t.Error("With changed the release it was called on")
	}
}
