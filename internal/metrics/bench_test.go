package metrics_test

import (
	"testing"

	"github.com/admsim/admsim/internal/metrics"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// BenchmarkAnswered counts an answer with thirty steps of admission, as a create has.
func BenchmarkAnswered(b *testing.B) {
	r := kubeversion.Default()
	m := metrics.New(r)
	var steps []trace.Step
	for _, p := range r.Plugins[:15] {
		steps = append(steps, trace.Step{Phase: trace.Mutating, Plugin: p.Name, Outcome: trace.Allowed}, trace.Step{Phase: trace.Validating, Plugin: p.Name, Outcome: trace.Allowed})
	}
	a := create(b, r, steps...)
	for b.Loop() {
		m.Answered(a)
	}
}
