package states

import (
	"errors"
	"io"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// An object that is said to be in the state already is the same as the one in the recording.
func TestExactStates(t *testing.T) {
	release, err := kubeversion.Parse("1.36") // the server whose log it is
	if err != nil {
		t.Fatal(err)
	}
	tracker, err := New(simulator.Options{Release: release, State: simulator.Bootstrap()}, false)
	if err != nil {
		t.Fatal(err)
	}
	sources, err := recording.Find([]string{"../testdata/webhooks.log.gz"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	reader, err := recording.NewReader(sources, recording.Options{Store: tracker.Store()})
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	exact := 0
	for {
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if before := tracker.Before(r); r.Runs() && before.exact {
			exact++
			want, err := tracker.sim.Stored(r.Old.Object)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := before.state.Find(cluster.KeyOf(want))
			if diff := cmp.Diff(want, got.Object); diff != "" {
				t.Errorf("%s (-recorded +in the state):\n%s", r.Position, diff)
			}
		}
		tracker.Apply(r)
	}
	if exact < 100 {
		t.Errorf("only %d objects were in the state", exact)
	}
}
