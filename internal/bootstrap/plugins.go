package bootstrap

import (
	"errors"
	"fmt"
	"slices"

	"github.com/admsim/admsim/internal/didyoumean"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Plugins returns the plugins that a server of the release runs with these flags, in order: --enable-admission-plugins
// and --disable-admission-plugins, or --admission-control, which is nil if it is not set.
func Plugins(r *kubeversion.Release, enable, disable, only []string) ([]kubeversion.Plugin, error) {
	chain, err := chainOf(r, enable, disable, only)
	unknown := didyoumean.In(err)
	if unknown == nil {
		return chain, err
	}
	for _, name := range slices.Concat(enable, disable, only) {
		if has(r, name) {
			continue
		}
		if in := kubeversion.ReleasesWith(name); in != "" {
			return nil, fmt.Errorf("%s in Kubernetes %s; it is known in %s", unknown.Problem, r.Version, in)
		}
		break // the error is about the first unknown name
	}
	return nil, unknown
}

// Started returns a release as a server has it that was started with these flags of [Plugins]. Initializers switches the
// gate on that it needs, whatever the flags say (IN-06).
func Started(r *kubeversion.Release, enable, disable, only []string) (*kubeversion.Release, error) {
	run, err := Plugins(r, enable, disable, only)
	if err != nil {
		return nil, err
	}
	const initializers = "Initializers" // the plugin and the gate
	runs := slices.ContainsFunc(run, func(p kubeversion.Plugin) bool { return p.Name == initializers })
	if !runs || r.Enabled(initializers) {
		return r, nil
	}
	return r.With(kubeversion.Flags{FeatureGates: map[string]bool{initializers: true}})
}

func chainOf(r *kubeversion.Release, enable, disable, only []string) ([]kubeversion.Plugin, error) {
	switch {
	case only == nil:
		return r.Chain(enable, disable)
	case len(enable) > 0 || len(disable) > 0:
		return nil, errors.New("admission-control and enable-admission-plugins/disable-admission-plugins flags are mutually exclusive")
	}
	return r.Listed(only)
}

func has(r *kubeversion.Release, plugin string) bool {
	_, ok := r.Plugin(plugin)
	return ok
}
