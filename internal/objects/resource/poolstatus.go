// kubernetes/kubernetes:pkg/apis/resource/validation/validation_resourcepoolstatusrequest.go
// kubernetes/kubernetes:pkg/registry/resource/resourcepoolstatusrequest/strategy.go

package resource

import (
	resourcev1alpha3 "k8s.io/api/resource/v1alpha3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// resourcePoolStatusRequest requests the state of a pool. It is answered once, in its status.
var resourcePoolStatusRequest = rules.Of[*resourcev1alpha3.ResourcePoolStatusRequest]{
	Name:        rules.DNSSubdomain,
	Declared:    true,
	Status:      func(p *resourcev1alpha3.ResourcePoolStatusRequest) any { return &p.Status },
	StatusAlone: true,
	Defaults: func(p *resourcev1alpha3.ResourcePoolStatusRequest) {
		rules.SetDefault(&p.Spec.Limit, resourcev1alpha3.ResourcePoolStatusRequestLimitDefault)
	},
	OnUpdate: rules.CheckChange,
	ValidateUpdate: func(p, old *resourcev1alpha3.ResourcePoolStatusRequest, r rules.Request) field.ErrorList {
		at := field.NewPath("status")
		switch {
		case r.Subresource != "status" || p.Status == nil && old.Status == nil:
			return nil
		case old.Status != nil:
			return rules.ImmutableInternal(p.Status, old.Status, at)
		}
		return rules.Conditions(r.Release, p.Status.Conditions, at.Child("conditions"))
	},
}
