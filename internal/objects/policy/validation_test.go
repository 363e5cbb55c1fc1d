package policy

import (
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/internal/objects/rules"
)

func TestCountOrShare(t *testing.T) {
	for v, wrong := range map[string]bool{"50%": false, "100%": false, "0100%": false, "101%": true, "x": true} {
		p := intstr.FromString(v)
		if got := len(countOrShare(&p, rules.SpecPath)) > 0; got != wrong {
			t.Errorf("%s is refused: %t, want %t", v, got, wrong)
		}
	}
}
