package whatif_test

import (
	"context"
	"testing"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/whatif"
)

// A cluster without webhooks admits all of what it needs to heal: what outage shows as
// failing is the webhooks' doing.
func TestHealing(t *testing.T) {
	w := readWorld(t, mesh)
	for _, release := range []string{"1.26", "1.30", kubeversion.Default().Version} {
		w.release = release
		empty, err := w.make(nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		healing, err := whatif.NewHealing(whatif.Dependencies(empty.Simulator()))
		if err != nil {
			t.Fatal(err)
		}
		got, err := whatif.Outage(context.Background(), w.make, healing.Corpus, nil, whatif.OutageOptions{Healing: healing})
		if err != nil {
			t.Fatal(err)
		}
		if got.Denied.Requests+got.Undecided > 0 || got.Requests < 15 {
			t.Errorf("%s: of %d requests %d are denied, %d undecided: %+v %v", release, got.Requests, got.Denied.Requests, got.Undecided, got.Denied.Samples, got.Errors)
		}
	}
}
