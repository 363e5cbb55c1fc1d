//go:build go1.21

package recorder

import (
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
)

// knownGates returns all feature gates.
func knownGates() (all []featuregate.Feature) {
	for name := range utilfeature.DefaultMutableFeatureGate.GetAll() {
		all = append(all, name)
	}
	return all
}
