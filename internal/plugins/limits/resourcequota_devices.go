package limits

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
)

var deviceClassKind = schema.GroupKind{Group: resourcev1.GroupName, Kind: "DeviceClass"}

// deviceClassSuffix follows the name of a class in a quota's name for the devices of the class.
const deviceClassSuffix = ".deviceclass.resource.k8s.io/devices"

// devicesOfAll is the number of devices that a request for all devices counts as.
const devicesOfAll = 32

// deviceCount counts resource claims and the devices that they request (RQ-44).
type deviceCount struct {
	objectCount
	extended bool // also count devices as the extended resources that pods request them by

	now, before *resourcev1.ResourceClaim
}

// devices reads the claims of a request, in whatever version they are.
func (c counting) devices(req admission.Request) (counted, error) {
	d := deviceCount{objectCount: objectCount{req}, extended: c.release.Enabled("DRAExtendedResource")}
	var err error
	if d.now, err = c.claim(req.Object); err != nil {
		return nil, err
	}
	d.before, err = c.claim(req.OldObject)
	return d, err
}

func (c counting) claim(object runtime.Object) (*resourcev1.ResourceClaim, error) {
	if object == nil {
		return nil, nil
	}
	converted, err := c.types.Convert(object, resourcev1.SchemeGroupVersion.WithKind("ResourceClaim"))
	if err != nil {
		return nil, err
	}
	claim, _ := converted.(*resourcev1.ResourceClaim)
	return claim, nil
}

func (c deviceCount) handles() bool { return c.req.Subresource == "" }

func (c deviceCount) counts(name corev1.ResourceName) bool {
	if name == c.name() || strings.HasSuffix(string(name), deviceClassSuffix) {
		return true
	}
	requested, isRequest := strings.CutPrefix(string(name), corev1.DefaultResourceRequestsPrefix)
	return c.extended && isRequest && (strings.HasPrefix(requested, deviceClassPrefix) || !rules.IsNative(name))
}

func (c deviceCount) usage(object runtime.Object, s *cluster.State) corev1.ResourceList {
	used := corev1.ResourceList{c.name(): units(1)}
	claim := c.now
	if object == c.req.OldObject {
		claim = c.before
	}
	if claim == nil {
		return used
	}
	for class, n := range devicesOf(claim) {
		used = podresources.Sum(used, corev1.ResourceList{corev1.ResourceName(class + deviceClassSuffix): units(n)})
		if !c.extended {
			continue
		}
		used = podresources.Sum(used, corev1.ResourceList{corev1.ResourceName(corev1.DefaultResourceRequestsPrefix + deviceClassPrefix + class): units(n)})
		if known, ok := cluster.Get[*resourcev1.DeviceClass](s, deviceClassKind, "", class); ok && known.Spec.ExtendedResourceName != nil {
			used = podresources.Sum(used, corev1.ResourceList{corev1.ResourceName(corev1.DefaultResourceRequestsPrefix + *known.Spec.ExtendedResourceName): units(n)})
		}
	}
	return used
}

// devicesOf returns how many devices of each class a claim requests at most.
func devicesOf(claim *resourcev1.ResourceClaim) map[string]int {
	total := map[string]int{}
	for _, r := range claim.Spec.Devices.Requests {
		if exactly := r.Exactly; exactly != nil {
			total[exactly.DeviceClassName] += devicesAsked(exactly.AllocationMode, exactly.Count)
			continue
		}
		most := map[string]int{}
		for _, sub := range r.FirstAvailable {
			most[sub.DeviceClassName] = max(most[sub.DeviceClassName], devicesAsked(sub.AllocationMode, sub.Count))
		}
		for class, n := range most {
			total[class] += n
		}
	}
	return total
}

func devicesAsked(mode resourcev1.DeviceAllocationMode, count int64) int {
	if mode == resourcev1.DeviceAllocationModeAll {
		return devicesOfAll
	}
	return max(int(count), 1) // ExactCount and 1 are the defaults
}
