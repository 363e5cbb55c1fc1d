package store

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/pkg/simulator"
)

// Stored returns a simulator of the cluster as a server has it that stored all objects at a given time:
// [bootstrap.Stored].
func Stored(sim *simulator.Simulator, at time.Time) (*simulator.Simulator, error) {
	return sim.With(bootstrap.Stored(sim.State(), sim.Release(), metav1.NewTime(at.Truncate(time.Second))))
}
