package pages

import (
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/recording"
)

func TestNoteInWords(t *testing.T) {
	const mutation, patch = "mutation.webhook.admission.k8s.io/", "patch.webhook.admission.k8s.io/"
	for _, tt := range []struct{ reason, key, value, want string }{
		{"changed", mutation + "round_0_index_0", `"{\"configuration\":\"sidecar\",\"webhook\":\"inject.sidecar\",\"mutated\":true}"`, "sidecar/inject.sidecar was called in round 1 and changed the object"},
		{"not changed, of many", mutation + "round_*_index_*", `"{\"configuration\":\"sidecar\",\"webhook\":\"inject.sidecar\",\"mutated\":false}"`, "sidecar/inject.sidecar was called and left the object as it was"},
		{"its patch", patch + "round_1_index_0", `"{\"configuration\":\"a\",\"webhook\":\"b\",\"patch\":[{\"op\":\"remove\",\"path\":\"/x\"}],\"patchType\":\"JSONPatch\"}"`, "a/b sent a patch in round 2: [{op: remove, path: /x}]"},
		{"failed open", "failed-open.mutation.webhook.admission.k8s.io/round_0_index_2", `"b.example.com"`, "b.example.com failed open in round 1"},
		{"cut off", mutation + "round_0_index_0", `"{\"configuration\":\"side…`, `"{\"configuration\":\"side…`},
		{"not there", mutation + "round_0_index_0", "", ""},
		{"another annotation", "owner/team", `"{}"`, `"{}"`},
	} {
		if got := noteInWords(tt.key, tt.value); got != tt.want {
			t.Errorf("%s: %s, want %s", tt.reason, got, tt.want)
		}
	}
}

func TestUnknownInWords(t *testing.T) {
	if got := unknown(recording.BodyDecoded, ""); !strings.Contains(got, "as it was sent") || !strings.HasSuffix(got, "(body-decoded)") {
		t.Errorf("it says %q", got)
	}
	if got, want := unknown("new-code", "why"), "not known: new-code: why"; got != want {
		t.Errorf("it says %q, want %q", got, want)
	}
}
