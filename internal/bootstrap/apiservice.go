package bootstrap

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/builtin"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// AutoManaged is the label of the APIServices that a server creates for itself. Its value is onStart, or Always for those of
// custom resources, which it creates again: kubernetes/kube-aggregator:pkg/controllers/autoregister/autoregister_controller.go.
const (
	AutoManaged = "kube-aggregator.kubernetes.io/automanaged"
	Always      = "true"
	onStart     = "onstart"
)

// The priorities of custom resources:
// kubernetes/kubernetes:pkg/controlplane/controller/crdregistration/crdregistration_controller.go.
const customGroupPriority, customVersionPriority = 1000, 100

// apiServices returns the APIServices of what a server itself serves.
func (at Address) apiServices(r *kubeversion.Release) (all []*builtin.APIService) {
	seen := map[schema.GroupVersion]bool{}
	for _, resource := range r.Resources {
		gv := schema.GroupVersion{Group: resource.Group, Version: resource.Version}
		if group, version, ok := r.Priority(gv); ok && !seen[gv] {
			seen[gv] = true
			all = append(all, at.keep(apiService(gv, onStart, group, version)))
		}
	}
	return all
}

func apiService(gv schema.GroupVersion, managed string, group, version int32) *builtin.APIService {
	return &builtin.APIService{
		TypeMeta:   metav1.TypeMeta{APIVersion: "apiregistration.k8s.io/v1", Kind: "APIService"},
		ObjectMeta: metav1.ObjectMeta{Name: gv.Version + "." + gv.Group, Labels: map[string]string{AutoManaged: managed}},
		Spec:       builtin.APIServiceSpec{Group: gv.Group, Version: gv.Version, GroupPriorityMinimum: group, VersionPriority: version},
	}
}

// keep gives an APIService the metadata of one that the server has.
func (at Address) keep(s *builtin.APIService) *builtin.APIService {
	s.ObjectMeta = at.made("", s.Name, s.Labels)
	return s
}

// CustomAPIService returns the APIService that a server creates for a version of custom resources.
func CustomAPIService(gv schema.GroupVersion) *builtin.APIService {
	return apiService(gv, Always, customGroupPriority, customVersionPriority)
}

// Registered returns the APIService of a version of custom resources with the metadata of one that the server created at a
// time.
func Registered(gv schema.GroupVersion, r *kubeversion.Release, at time.Time) runtime.Object {
	kept := Address{Now: at}.keep(CustomAPIService(gv))
	if r.Has(kubeversion.ManagedFields) {
		return owned(kept, metav1.NewTime(at))
	}
	return kept
}
