package limits

import (
	"slices"
	"strings"
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// counted is what quotas count for the object of a request (RQ-03).
type counted interface {
	handles() bool                        // may the request change what is counted? (RQ-04)
	counts(name corev1.ResourceName) bool // does a name in a quota apply to objects of this kind?
	usage(object runtime.Object, s *cluster.State) corev1.ResourceList
	inScope(scope corev1.ScopedResourceSelectorRequirement, object runtime.Object) bool
	// missing describes what the object has to set to be counted by these names.
	missing(names map[corev1.ResourceName]bool, object runtime.Object) string
}

// counting creates the counted for a request.
type counting struct {
	release *kubeversion.Release
	types   *objects.Types
	now     func() time.Time
}

func newCounting(r *kubeversion.Release, types *objects.Types, now func() time.Time) counting {
	return counting{release: r, types: types, now: now}
}

func (c counting) of(req admission.Request) (counted, error) {
	switch req.Resource.GroupResource() {
	case schema.GroupResource{Resource: "pods"}:
		return podCount{req: req, release: c.release, now: c.now()}, nil
	case schema.GroupResource{Resource: "services"}:
		return serviceCount{objectCount{req}}, nil
	case schema.GroupResource{Resource: "persistentvolumeclaims"}:
		return claimCount{
			objectCount: objectCount{req}, scopes: c.release.Enabled("VolumeAttributesClass"), initializes: c.release.Enabled("Initializers"),
		}, nil
	case schema.GroupResource{Group: resourcev1.GroupName, Resource: "resourceclaims"}:
		if c.release.Has(kubeversion.QuotaCountsDevices) {
			return c.devices(req)
		}
	}
	return objectCount{req}, nil
}

// isUncounted reports whether quotas ignore a resource (RQ-02).
func isUncounted(r schema.GroupResource) bool {
	switch r.Group {
	case "":
		return slices.Contains([]string{"bindings", "componentstatuses", "events"}, r.Resource)
	case "events.k8s.io":
		return r.Resource == "events"
	case "authentication.k8s.io":
		return slices.Contains([]string{"tokenreviews", "selfsubjectreviews"}, r.Resource)
	case "authorization.k8s.io":
		return slices.Contains([]string{"subjectaccessreviews", "selfsubjectaccessreviews", "localsubjectaccessreviews", "selfsubjectrulesreviews"}, r.Resource)
	}
	return false
}

// objectCount counts objects of any kind (RQ-45).
type objectCount struct{ req admission.Request }

func (c objectCount) handles() bool {
	return c.req.Operation == admissionv1.Create && c.req.Subresource == ""
}

// name returns a quota's name for the number of objects.
func (c objectCount) name() corev1.ResourceName {
	return corev1.ResourceName("count/" + c.req.Resource.GroupResource().String())
}

// alias returns the older name that some kinds have.
func (c objectCount) alias() corev1.ResourceName {
	if r := c.req.Resource; r.Group == "" && slices.Contains([]string{"configmaps", "resourcequotas", "replicationcontrollers", "secrets"}, r.Resource) {
		return corev1.ResourceName(r.Resource)
	}
	return ""
}

func (c objectCount) counts(name corev1.ResourceName) bool {
	return name == c.name() || name == c.alias() && name != ""
}

func (c objectCount) usage(runtime.Object, *cluster.State) corev1.ResourceList {
	used := corev1.ResourceList{c.name(): units(1)}
	if alias := c.alias(); alias != "" {
		used[alias] = units(1)
	}
	return used
}

func (objectCount) inScope(corev1.ScopedResourceSelectorRequirement, runtime.Object) bool {
	return false
}

func (objectCount) missing(map[corev1.ResourceName]bool, runtime.Object) string { return "" }

// serviceCount counts services, their node ports and load balancers (RQ-40).
type serviceCount struct{ objectCount }

func (c serviceCount) handles() bool { return c.req.Subresource == "" }

func (c serviceCount) counts(name corev1.ResourceName) bool {
	switch name {
	case c.name(), corev1.ResourceServices, corev1.ResourceServicesNodePorts, corev1.ResourceServicesLoadBalancers:
		return true
	}
	return false
}

func (c serviceCount) usage(object runtime.Object, _ *cluster.State) corev1.ResourceList {
	used := corev1.ResourceList{
		c.name():                             units(1),
		corev1.ResourceServices:              units(1),
		corev1.ResourceServicesNodePorts:     units(0),
		corev1.ResourceServicesLoadBalancers: units(0),
	}
	service, ok := object.(*corev1.Service)
	if !ok {
		return used
	}
	switch service.Spec.Type {
	case corev1.ServiceTypeNodePort:
		used[corev1.ResourceServicesNodePorts] = units(len(service.Spec.Ports))
	case corev1.ServiceTypeLoadBalancer:
		used[corev1.ResourceServicesLoadBalancers] = units(1)
		used[corev1.ResourceServicesNodePorts] = units(nodePorts(service))
	}
	return used
}

func nodePorts(service *corev1.Service) int {
	if allocate := service.Spec.AllocateLoadBalancerNodePorts; allocate == nil || *allocate {
		return len(service.Spec.Ports)
	}
	given := 0
	for _, port := range service.Spec.Ports {
		if port.NodePort != 0 {
			given++
		}
	}
	return given
}

// claimCount counts claims and the storage that they request, also by class (RQ-41 to RQ-43).
type claimCount struct {
	objectCount
	scopes      bool
	initializes bool // claims may have to be initialized before their storage counts
}

// storageClassSuffix follows the name of a class in a quota's names for the claims of the class and their storage.
const storageClassSuffix = ".storageclass.storage.k8s.io/"

// handles reports true for all updates of the status: the server means to look only at those that change what is
// allocated, but compares pointers.
func (c claimCount) handles() bool {
	return c.req.Subresource == "" || c.req.Subresource == "status" && c.req.Operation == admissionv1.Update
}

func (c claimCount) counts(name corev1.ResourceName) bool {
	for _, own := range []corev1.ResourceName{corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage} {
		if name == own || strings.HasSuffix(string(name), storageClassSuffix+string(own)) {
			return true
		}
	}
	return name == c.name()
}

func (c claimCount) usage(object runtime.Object, _ *cluster.State) corev1.ResourceList {
	used := corev1.ResourceList{c.name(): units(1), corev1.ResourcePersistentVolumeClaims: units(1)}
	claim, ok := object.(*corev1.PersistentVolumeClaim)
	if !ok || c.initializes && rules.IsUninitialized(claim) { // IN-12
		return used
	}
	if storage, ok := claim.Spec.Resources.Requests[corev1.ResourceStorage]; ok {
		if allocated, ok := claim.Status.AllocatedResources[corev1.ResourceStorage]; ok && allocated.Cmp(storage) > 0 {
			storage = allocated
		}
		storage = storage.DeepCopy()
		storage.RoundUp(0)
		used[corev1.ResourceRequestsStorage] = storage
	}
	if class := plugin.StorageClassOf(claim); class != "" {
		for _, name := range []corev1.ResourceName{corev1.ResourcePersistentVolumeClaims, corev1.ResourceRequestsStorage} {
			if q, ok := used[name]; ok {
				used[corev1.ResourceName(class+storageClassSuffix)+name] = q
			}
		}
	}
	return used
}

func (c claimCount) inScope(scope corev1.ScopedResourceSelectorRequirement, object runtime.Object) bool {
	claim, ok := object.(*corev1.PersistentVolumeClaim)
	if !ok || !c.scopes || scope.ScopeName != corev1.ResourceQuotaScopeVolumeAttributesClass {
		return false
	}
	var classes []string
	if n := claim.Spec.VolumeAttributesClassName; n != nil {
		classes = append(classes, *n)
	}
	if n := claim.Status.CurrentVolumeAttributesClassName; n != nil {
		classes = append(classes, *n)
	}
	if m := claim.Status.ModifyVolumeStatus; m != nil {
		classes = append(classes, m.TargetVolumeAttributesClassName)
	}
	return selects(scope, classes...)
}
