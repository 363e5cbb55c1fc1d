package kubeversion

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Flags are the flags of kube-apiserver that change what a release serves and does.
type Flags struct {
	FeatureGates map[string]bool // --feature-gates

	// RuntimeConfig is --runtime-config: by group and version, by resource (apps/v1/deployments), or by api/all,
	// api/ga, api/beta, api/alpha.
	RuntimeConfig map[string]bool
}

// With returns the release with these flags, in addition to those that it has.
func (r *Release) With(f Flags) (*Release, error) {
	next := r.copied()
	if err := next.setGates(f.FeatureGates); err != nil {
		return nil, err
	}
	known := next.configurable()
	for _, key := range slices.Sorted(maps.Keys(f.RuntimeConfig)) {
		if !slices.Contains(known, key) {
			return nil, unknown(fmt.Sprintf("Kubernetes %s has no API %q to switch on or off", r.Version, key), key, known)
		}
	}
	next.flags.RuntimeConfig = maps.Clone(next.flags.RuntimeConfig)
	if next.flags.RuntimeConfig == nil {
		next.flags.RuntimeConfig = map[string]bool{}
	}
	maps.Copy(next.flags.RuntimeConfig, f.RuntimeConfig)
	return next.serve(), nil
}

// configurable lists the keys that --runtime-config may have.
func (r *Release) configurable() []string {
	// The last one is known to the server, as the version of the reviews of ImagePolicyWebhook, and switches nothing on
	// or off (kubernetes/kubernetes:pkg/apis/imagepolicy/install/install.go). That of EventRateLimit's configuration is not.
	keys := []string{"api/all", "api/ga", "api/beta", "api/alpha", "imagepolicy.k8s.io/v1alpha1"}
	for _, resource := range r.offered {
		gv := resource.GroupVersion().String()
		if !slices.Contains(keys, gv) {
			keys = append(keys, gv)
		}
		keys = append(keys, gv+"/"+resource.Resource)
	}
	return keys
}

// runtimeConfig returns what --runtime-config says about a resource; ok is false if it says
// nothing. What is more specific wins: kubernetes/apiserver:pkg/server/resourceconfig.
func (f Flags) runtimeConfig(r Resource) (on, ok bool) {
	gv := r.GroupVersion().String()
	for i, key := range []string{gv + "/" + r.Resource, gv, "api/" + maturity(r.Version), "api/all"} {
		if on, ok = f.RuntimeConfig[key]; ok && !(on && i > 0 && r.alone) {
			return on, true
		}
	}
	return false, false
}

func maturity(version string) string {
	switch {
	case strings.Contains(version, "alpha"):
		return "alpha"
	case strings.Contains(version, "beta"):
		return "beta"
	}
	return "ga"
}
