package webhooks

import (
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/dependency"
)

func named(configuration, name string, mutating bool) Named {
	return Named{Webhook: &dependency.Webhook{Configuration: configuration, Mutating: mutating, ValidatingWebhook: admissionregistrationv1.ValidatingWebhook{Name: name}}}
}

func TestMatches(t *testing.T) {
	validating, mutating := named("guard", "pods.guard.example", false), named("guard", "pods.guard.example", true)
	served := named("policy", "images.example", false)
	served.Backend = &dependency.Backend{Namespace: "shop", Name: "hooks"}
	for _, tt := range []struct {
		pattern string
		of      Named
		want    bool
	}{
		{"pods.guard.example", validating, true},
		{"guard", validating, true},
		{"guard/pods.guard.example", validating, true},
		{"*", validating, true},
		{"pods.*", validating, true},
		{"*/pods.*", validating, true},
		{"gua", validating, false},
		{"pods.guard.example (validating)", validating, true},
		{"pods.guard.example (mutating)", validating, false},
		{"guard (mutating)", mutating, true},
		{"guard (validating)", mutating, false},
		{"svc/shop/hooks", served, true},
		{"service/shop/*", served, true},
		{"svc/shop/other", served, false},
		{"svc/shop/hooks", validating, false}, // its service is unknown
		{"[", validating, false},              // not a pattern
	} {
		if got := tt.of.Matches(tt.pattern); got != tt.want {
			t.Errorf("%s (mutating: %v).Matches(%q) = %v, want %v", tt.of, tt.of.Mutating, tt.pattern, got, tt.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	one, other := named("guard", "pods.guard.example", false), named("policy", "images.example", false)
	for _, tt := range []struct {
		pattern string
		of      []Named
		want    string // hint
	}{
		{"pods.gard.example", []Named{one, other}, `did you mean "pods.guard.example"?`},
		{"nothing", []Named{one}, "there is pods.guard.example"},
		{"nothing", []Named{one, other}, "there are pods.guard.example, images.example"},
		{"nothing", nil, "no webhook is configured: give the file of its configuration with -C"},
	} {
		hinted, ok := Unknown(tt.pattern, tt.of).(interface{ Hint() string })
		if !ok {
			t.Fatalf("Unknown(%q) has no hint", tt.pattern)
		}
		if got := hinted.Hint(); got != tt.want {
			t.Errorf("the hint of Unknown(%q) is %q, want %q", tt.pattern, got, tt.want)
		}
	}
}
