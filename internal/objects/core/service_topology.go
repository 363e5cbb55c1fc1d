// kubernetes/kubernetes@v1.20.15:pkg/apis/core/validation/validation.go

package core

import (
	corev1 "k8s.io/api/core/v1"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

const (
	mostTopologyKeys = 16
	anyTopologyKey   = "*"
)

// topologyKeys checks the keys of topologies that clients of a service prefer, in the releases that have them (1.17 to
// 1.21).
func topologyKeys(s *corev1.Service) field.ErrorList {
	keys, path := rules.Former[[]string](s.Annotations, "spec.topologyKeys"), rules.SpecPath.Child("topologyKeys")
	if len(keys) == 0 {
		return nil
	}
	var errs rules.Errors
	if s.Spec.ExternalTrafficPolicy == corev1.ServiceExternalTrafficPolicyLocal {
		errs.Forbidden(path, "may not be specified when `externalTrafficPolicy=Local`")
	}
	if len(keys) > mostTopologyKeys {
		errs.TooMany(path, len(keys), mostTopologyKeys)
	}
	seen := map[string]bool{}
	for i, key := range keys {
		at := path.Index(i)
		if seen[key] {
			errs.Duplicate(at, key)
		}
		seen[key] = true
		switch {
		case key != anyTopologyKey:
			errs.Add(rules.Faults(at, keys, utilvalidation.IsQualifiedName(key)))
		case i != len(keys)-1:
			errs.Invalid(at, key, `"*" must be the last value specified`)
		}
	}
	return errs.List()
}
