package kubeversion

import "testing"

// Fields and their gates agree for each release.
func TestFieldsAndGates(t *testing.T) {
	named := map[string]bool{}
	for _, known := range releases {
		r := known.release()
		for _, kind := range FieldKinds() {
			for _, f := range Fields(kind) {
				on, ok := r.Gate(f.gate)
				named[f.gate] = named[f.gate] || ok
				if ok && r.Knows(f) && on != (r.Minor >= f.on) {
					t.Errorf("%s of %v is on in %s by its gate %s: %v, by itself: %v", f.Path, kind, r.Version, f.gate, on, r.Minor >= f.on)
				}
			}
		}
	}
	for gate, known := range named {
		if gate != "" && !known {
			t.Errorf("no release has a gate %s", gate)
		}
	}
}

// The numbers of a field gate are not repeated in its fields.
func TestFieldsRepeatNoGate(t *testing.T) {
	for _, kind := range FieldKinds() {
		for _, f := range Fields(kind) {
			if f.since == 0 && f.on == 0 {
				t.Errorf("%s of %v has neither a release nor a gate of fields: %q", f.Path, kind, f.gate)
			}
		}
	}
	rows := append(append(append([]Field(nil), laterPodFields...), laterAffinityFields()...), laterContainerFields...)
	for _, more := range laterFields {
		rows = append(rows, more...)
	}
	for _, f := range rows {
		for _, g := range fieldGates {
			if f.gate == g.name && f.since == g.since && f.on == g.on {
				t.Errorf("%s repeats the numbers of its gate %s", f.Path, f.gate)
			}
		}
	}
}
