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
		if slices.Contains(known, key) {
			continue
		}
		problem := fmt.Sprintf("Kubernetes %s has no API %q to switch on or off", r.Version, key)
		if others := inWords(func(other *Release) bool { return slices.Contains(other.configurable(), key) }); others != "" {
			return nil, &UnknownError{Problem: problem, Else: fmt.Sprintf("it is an API of Kubernetes %s: see --kubernetes-version", others)}
		}
		return nil, unknown(problem, key, known)
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
	// The server knows imagepolicy as the version of the reviews of ImagePolicyWebhook, but it switches nothing on or
	// off (kubernetes/kubernetes:pkg/apis/imagepolicy/install/install.go). The version of EventRateLimit's
	// configuration is not known.
	keys := []string{"api/all", "imagepolicy.k8s.io/v1alpha1"}
	if r.Has(runtimeConfigByMaturity) {
		keys = append(keys, "api/ga", "api/beta", "api/alpha")
	}
	for _, resource := range r.offered {
		gv := resource.GroupVersion().String()
		if !slices.Contains(keys, gv) {
			keys = append(keys, gv)
		}
		// The server does not check which resources exist: a singular name selects none.
		keys = append(keys, gv+"/"+resource.Resource, gv+"/"+resource.Singular)
	}
	return keys
}

// runtimeConfig returns what --runtime-config says about a resource; ok is false if it says nothing. More specific keys
// win: kubernetes/apiserver:pkg/server/resourceconfig.
func (r *Release) runtimeConfig(of Resource) (on, ok bool) {
	gv := of.GroupVersion().String()
	for i, key := range []string{gv + "/" + of.Resource, gv, "api/" + maturity(of.Version), "api/all"} {
		if i == 0 && !r.configures(of) {
			continue
		}
		if on, ok = r.flags.RuntimeConfig[key]; ok && !(on && i > 0 && of.byNameOnly) {
			return on, true
		}
	}
	return false, false
}

// configures reports whether --runtime-config can name a resource, and not only its version. Otherwise the server
// ignores entries for the resource.
func (r *Release) configures(of Resource) bool {
	return r.Has(runtimeConfigByResource) || r.Has(runtimeConfigOfExtensions) && of.Group == "extensions"
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
