package webhook

import (
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/semantic"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/trace"
)

// reinvocationAfter replays the first round. now is the object at the beginning of the second round. The result is nil
// if earlier is nil.
func reinvocationAfter(earlier *trace.Step, now runtime.Object) *chain.Reinvocation {
	if earlier == nil {
		return nil
	}
	r := chain.NewReinvocation()
	for _, h := range earlier.Hooks {
		if h.Outcome != trace.Skipped {
			r.Took(h, h.Outcome == trace.Changed)
		}
	}
	if !semantic.DeepEqual(now, earlier.After) { // other plugins changed it (W-222)
		r.Changed()
	}
	return r
}
