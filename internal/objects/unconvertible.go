package objects

import (
	"encoding/json"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A rollingStrategy is what all versions of Deployments and DaemonSets say about rolling updates.
type rollingStrategy struct {
	Type          string
	RollingUpdate *struct{ MaxUnavailable, MaxSurge *intstr.IntOrString }
}

// ConvertFault returns the answer to a body that can be read, but that the release cannot convert to its internal version,
// or nil. Without the feature RollingUpdatesConverted, the limits of a rolling update must be set
// (kubernetes/kubernetes@v1.16.15:pkg/apis/apps/v1/conversion.go). They have defaults if the strategy is a rolling update,
// and in any case in a Deployment of extensions.
func (t *Types) ConvertFault(data []byte, gvk schema.GroupVersionKind) error {
	if t.Release().Has(kubeversion.RollingUpdatesConverted) || !slices.Contains([]string{"apps", "extensions"}, gvk.Group) {
		return nil
	}
	var body struct {
		Spec struct{ Strategy, UpdateStrategy rollingStrategy }
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return nil // other kinds have other strategies
	}
	var s rollingStrategy
	missing := func() bool { return s.RollingUpdate.MaxUnavailable == nil }
	switch {
	case gvk.Kind == "DaemonSet":
		if s = body.Spec.UpdateStrategy; s.Type == "" && gvk.Group == "extensions" {
			s.Type = string(appsv1.OnDeleteDaemonSetStrategyType)
		}
	case gvk.Kind == "Deployment" && gvk.Group == "apps":
		s = body.Spec.Strategy
		missing = func() bool { return s.RollingUpdate.MaxUnavailable == nil || s.RollingUpdate.MaxSurge == nil }
	}
	if s.RollingUpdate == nil || s.Type == "" || s.Type == string(appsv1.RollingUpdateDeploymentStrategyType) || !missing() {
		return nil
	}
	return rules.DecodeError(errors.New("expected pointer, but got nil"), gvk.Kind, gvk, data)
}
