package kubeversion

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

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

// A release says of the places of moved fields in other releases when they came or went.
func TestAbsentPlace(t *testing.T) {
	for _, tt := range []struct {
		release string
		kind    schema.GroupKind
		path    string
		want    string
	}{
		{"1.37", schema.GroupKind{Kind: "Pod"}, "spec.resourceClaims[].source", "was removed in Kubernetes 1.31"},
		{"1.37", schema.GroupKind{Kind: "Pod"}, "spec.resourceClaims[0].source.resourceClaimName", "was removed in Kubernetes 1.31"},
		{"1.30", schema.GroupKind{Kind: "Pod"}, "spec.resourceClaims[].source", ""},
		{"1.25", schema.GroupKind{Kind: "Pod"}, "spec.resourceClaims[].source", "came with Kubernetes 1.26"},
		{"1.37", schema.GroupKind{Group: "apps", Kind: "Deployment"}, "spec.template.spec.resourceClaims[].source", "was removed in Kubernetes 1.31"},
		{"1.37", schema.GroupKind{Group: "apps", Kind: "Deployment"}, "spec.resourceClaims[].source", ""},
		{"1.37", schema.GroupKind{Kind: "Pod"}, "status.nodeAllocatableResourceClaimStatuses[].resources", "was removed in Kubernetes 1.37"},
		{"1.37", schema.GroupKind{Kind: "Pod"}, "status.nodeAllocatableResourceClaimStatuses[].resource", ""},
		{"1.37", schema.GroupKind{Kind: "Pod"}, "spec.resourceClaims[].sources", ""},
		{"1.37", schema.GroupKind{Kind: "Pod"}, "spec.resourceClaims[]", ""},
		{"1.37", schema.GroupKind{Kind: "Pod"}, "spec.", ""},
		{"1.37", schema.GroupKind{Kind: "Pod"}, "spec", ""},
		{"1.37", schema.GroupKind{Kind: "Pod"}, "spec.workloadRef", "was removed in Kubernetes 1.36"},
		{"1.35", schema.GroupKind{Kind: "Pod"}, "spec.workloadRef", ""},
		{"1.37", schema.GroupKind{Group: "apps", Kind: "Deployment"}, "spec.template.spec.workloadRef", "was removed in Kubernetes 1.36"},
		{"1.37", schema.GroupKind{Group: "networking.k8s.io", Kind: "NetworkPolicy"}, "status", "was removed in Kubernetes 1.28"},
	} {
		r, err := Parse(tt.release)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.AbsentPlace(tt.kind, tt.path); got != tt.want {
			t.Errorf("%s: AbsentPlace(%s, %s) = %q, want %q", tt.release, tt.kind, tt.path, got, tt.want)
		}
	}
}
