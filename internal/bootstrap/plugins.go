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
