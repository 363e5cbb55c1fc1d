package limits

import (
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// A quotaConfiguration names resources that can only be used if a quota covers them.
type quotaConfiguration struct {
	metav1.TypeMeta  `json:",inline"`
	LimitedResources []limitedResource `json:"limitedResources"`
}

type limitedResource struct {
	APIGroup      string                                     `json:"apiGroup"`
	Resource      string                                     `json:"resource"`
	MatchContains []string                                   `json:"matchContains"`
	MatchScopes   []corev1.ScopedResourceSelectorRequirement `json:"matchScopes"`
}

func NewResourceQuota(r *kubeversion.Release, types *objects.Types, configuration []byte, now func() time.Time, send plugin.Send) (ResourceQuota, error) {
	p := ResourceQuota{
		send: send, count: newCounting(r, types, now), byScope: r.Has(kubeversion.QuotaChargesScopeChanges),
		lookUp: !r.Has(kubeversion.QuotasTrusted), newToo: !r.Has(kubeversion.NewNamespacesUncounted),
	}
	if configuration == nil {
		return p, nil
	}
	var c quotaConfiguration
	err := plugin.Configured(configuration, &c,
		"apiserver.config.k8s.io/v1 ResourceQuotaConfiguration",
		"resourcequota.admission.k8s.io/v1beta1 Configuration",
		"resourcequota.admission.k8s.io/v1alpha1 Configuration")
	if err != nil {
		return ResourceQuota{}, err
	}
	var errs field.ErrorList
	for i, l := range c.LimitedResources {
		if l.Resource == "" {
			errs = append(errs, field.Required(field.NewPath("limitedResources").Index(i).Child("resource"), ""))
		}
	}
	p.limited = c.LimitedResources
	return p, errs.ToAggregate()
}

// limitedNames returns the names in usage that need a quota to cover them (RQ-11).
func (p ResourceQuota) limitedNames(r schema.GroupResource, usage corev1.ResourceList) []corev1.ResourceName {
	var names []corev1.ResourceName
	for _, l := range p.limited {
		if l.APIGroup != r.Group || l.Resource != r.Resource {
			continue
		}
		for name, q := range usage {
			if q.Sign() > 0 && containsAny(string(name), l.MatchContains) {
				names = append(names, name)
			}
		}
	}
	return names
}

func containsAny(s string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(s, part) {
			return true
		}
	}
	return false
}
