package kubeversion

import (
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A GateNeedsError means that a feature gate is on while others that it needs are off. The server does not start then.
type GateNeedsError struct {
	Release, Gate string
	Off           []string
}

func (e *GateNeedsError) Error() string {
	return fmt.Sprintf("Kubernetes %s: %s is enabled, but depends on features that are disabled: %v", e.Release, e.Gate, e.Off)
}

// checkNeeds refuses gates that are on without the gates that they need, as servers do from 1.35 on
// (kubernetes/component-base:featuregate/feature_gate.go). By default no gate needs one that is off, so only flags can
// cause this.
func (r *Release) checkNeeds() error {
	if len(r.flags.FeatureGates) == 0 {
		return nil
	}
	var errs []error
	all := knownGates()
	for _, name := range slices.Sorted(maps.Keys(all)) {
		var needs []string
		for _, n := range all[name].needs {
			if n.from <= r.Minor {
				needs = n.gates
			}
		}
		if len(needs) == 0 || !r.isOn(name) {
			continue
		}
		var off []string
		for _, needed := range needs {
			if !r.isOn(needed) {
				off = append(off, needed)
			}
		}
		if off != nil {
			errs = append(errs, &GateNeedsError{r.Version, name, off})
		}
	}
	return errors.Join(errs...)
}

// isOn reports whether a gate is on with the flags, even if nothing here depends on it.
func (r *Release) isOn(name string) bool {
	stage, ok := knownGate(name, r.Minor)
	if !ok {
		return false
	}
	if on, ok := r.flags.FeatureGates[name]; ok {
		return on
	}
	if on, ok := r.flags.FeatureGates[allOf[stage.stage]]; ok {
		return on
	}
	return stage.on
}
