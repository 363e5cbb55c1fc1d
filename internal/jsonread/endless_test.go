package jsonread

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// A quantity that takes forever to read is refused wherever it is, and similar texts are not.
func TestEndlessQuantity(t *testing.T) {
	pod := func(annotation, cpu string) []byte {
		return []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a","annotations":{"a":"` + annotation + `"}},"spec":{"unknown":1,"containers":[{"name":"a","resources":{"limits":{"cpu":` + cpu + `}}}]}}`)
	}
	for _, tt := range []struct {
		annotation, cpu string
		refused         bool
	}{
		{"", `"1"`, false},
		{"", `"1e6"`, false},
		{"", `"2Ei"`, false},
		{"", `"1e99999"`, false},
		{"1e-999999999", `"1"`, false},
		{strings.Repeat("9", 2<<20), `"1"`, false},
		{"1e234567-aaaa", `"100m"`, false},
		{"", `"1e999999999"`, true},
		{"", `"1E-999999999"`, true},
		{"", `1e+999999999`, true},
		{"", `"0.` + strings.Repeat("9", 2<<20) + `"`, true},
	} {
		_, known, _, err := Kind(pod(tt.annotation, tt.cpu), corev1.SchemeGroupVersion.WithKind("Pod"), true)
		refused := err != nil && strings.Contains(err.Error(), "take forever")
		if !known || refused != tt.refused {
			t.Errorf("cpu %.30s with annotation %.30q: %.200v, want it refused: %t", tt.cpu, tt.annotation, err, tt.refused)
		}
	}
}
