//go:build go1.21

package recorder

import (
	"reflect"
	"strings"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/featuregate"
	_ "k8s.io/kubernetes/pkg/features" // so that its gates are known before any test switches them
)

// defaults holds the gates before any test runs.
var defaults = func() map[featuregate.Feature]bool {
	on := map[featuregate.Feature]bool{}
	for _, name := range knownGates() {
		on[name] = utilfeature.DefaultFeatureGate.Enabled(name)
	}
	return on
}()

// gatesOf returns the gates that differ from the defaults, globally or in a field of the plugin, which counts more. used lists
// the gates that the plugin reads, as field=Gate if a field of the plugin has the value.
func gatesOf(receiver interface{}, used string) map[string]bool {
	differ := map[string]bool{}
	for name, on := range defaults {
		if now := utilfeature.DefaultFeatureGate.Enabled(name); now != on {
			differ[string(name)] = now
		}
	}
	of, read := map[string]string{}, []string{}
	for _, pair := range strings.Split(used, ",") {
		if field, gate, ok := strings.Cut(pair, "="); ok {
			of[field] = gate
		} else {
			read = append(read, pair)
		}
	}
	eachField(receiver, func(name string, f reflect.Value) {
		if own, ok := f.Interface().(featuregate.FeatureGate); ok && own != utilfeature.DefaultFeatureGate {
			for _, gate := range read {
				try(func() { // it panics if the test did not add the gate
					now := own.Enabled(featuregate.Feature(gate))
					delete(differ, gate)
					if on, known := defaults[featuregate.Feature(gate)]; known && on != now {
						differ[gate] = now
					}
				})
			}
			return
		}
		gate, ok := of[name]
		if !ok || f.Kind() != reflect.Bool {
			return
		}
		delete(differ, gate)
		if on, known := defaults[featuregate.Feature(gate)]; known && on != f.Bool() {
			differ[gate] = f.Bool()
		}
	})
	return differ
}
