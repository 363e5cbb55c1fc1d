package compare

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Annotations about a webhook are compared with the other side's annotations about the same webhook, whatever its
// position.
func TestAligned(t *testing.T) {
	const mutation, patch, open = "mutation.webhook.admission.k8s.io/round_", "patch.webhook.admission.k8s.io/round_", "failed-open.mutating.webhook.admission.k8s.io/round_"
	says := func(webhook string) string { return `{"configuration":"c","webhook":"` + webhook + `","mutated":true}` }
	for _, tt := range []struct {
		reason              string
		others, all, wanted map[string]string
	}{
		{"one is new in front",
			map[string]string{mutation + "0_index_0": says("a"), patch + "0_index_0": says("a"), mutation + "0_index_1": says("b")},
			map[string]string{mutation + "0_index_0": says("new"), mutation + "0_index_1": says("a"), patch + "0_index_1": says("a"), mutation + "0_index_2": says("b")},
			map[string]string{mutation + "0_index_2": says("new"), mutation + "0_index_0": says("a"), patch + "0_index_0": says("a"), mutation + "0_index_1": says("b")},
		},
		{"the first is gone",
			map[string]string{mutation + "0_index_0": says("gone"), mutation + "0_index_1": says("b")},
			map[string]string{mutation + "0_index_0": says("b")},
			map[string]string{mutation + "0_index_1": says("b")},
		},
		{"rounds and what is told stay apart",
			map[string]string{mutation + "0_index_3": says("a"), open + "0_index_4": "b"},
			map[string]string{mutation + "1_index_0": says("a"), open + "0_index_1": "b"},
			map[string]string{mutation + "1_index_0": says("a"), open + "0_index_4": "b"},
		},
		{"another webhook at the same position stays there",
			map[string]string{mutation + "0_index_0": says("a")},
			map[string]string{mutation + "0_index_0": says("b"), "pod-security.kubernetes.io/exempt": "user"},
			map[string]string{mutation + "0_index_0": says("b"), "pod-security.kubernetes.io/exempt": "user"},
		},
	} {
		if diff := cmp.Diff(tt.wanted, aligned(tt.all, tt.others)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}
