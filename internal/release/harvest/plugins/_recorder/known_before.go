//go:build go1.21

package recorder

import (
	"reflect"
	"sync/atomic"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

// knownGates returns all feature gates.
func knownGates() (all []featuregate.Feature) {
	eachField(utilfeature.DefaultMutableFeatureGate, func(name string, f reflect.Value) {
		if known, ok := f.Interface().(*atomic.Value); ok && name == "known" {
			for name := range known.Load().(map[featuregate.Feature]featuregate.FeatureSpec) {
				all = append(all, name)
			}
		}
	})
	return all
}
