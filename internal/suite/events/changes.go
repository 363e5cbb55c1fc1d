package events

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
	"github.com/admsim/admsim/pkg/trace"
)

// Changes returns what plugins, policies and webhooks changed in the object, in order.
func Changes(answer *simulator.Result) (all []patch.Operation) {
	types := answer.Next.View().Types()
	between := func(before, after runtime.Object) {
		if before == nil || after == nil || before == after {
			return
		}
		from, err := types.Encode(before)
		if err != nil {
			panic(fmt.Sprintf("an object in a trace does not encode: %v", err))
		}
		to, err := types.Encode(after)
		if err != nil {
			panic(fmt.Sprintf("an object in a trace does not encode: %v", err))
		}
		operations, err := patch.Diff(from, to)
		if err != nil {
			panic(fmt.Sprintf("objects in a trace have no difference: %v", err))
		}
		all = append(all, operations...)
	}
	for _, a := range answer.Admissions {
		for _, s := range a.Steps {
			if s.Phase != trace.Mutating {
				continue
			}
			byHooks := false
			for _, h := range s.Hooks {
				if h.Outcome == trace.Changed {
					byHooks = true
					between(h.Before, h.After)
				}
			}
			if !byHooks {
				between(s.Before, s.After)
			}
		}
	}
	return all
}
