package simulator_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/pkg/simulator"
)

// Objects that the server creates at startup have all system fields, each with a uid of its own.
func TestBootstrapped(t *testing.T) {
	seen := map[types.UID]string{}
	for o := range simulator.Bootstrap().All() {
		m, err := meta.Accessor(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		made := m.GetCreationTimestamp()
		if m.GetUID() == "" || made.IsZero() || m.GetResourceVersion() == "" {
			t.Errorf("%s: uid %q, created %v, version %q", m.GetName(), m.GetUID(), made, m.GetResourceVersion())
		}
		if other, ok := seen[m.GetUID()]; ok {
			t.Errorf("%s has the uid of %s", m.GetName(), other)
		}
		seen[m.GetUID()] = m.GetName()
	}
}
