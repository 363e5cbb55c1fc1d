// kubernetes/kubernetes:pkg/apis/core/validation/validation.go

package pod

import (
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
	"github.com/admsim/admsim/internal/podresources"
)

// QuotaResources are the resources of quotas whose names need no domain.
var QuotaResources = append([]string{
	"cpu", "memory", "ephemeral-storage", "requests.cpu", "requests.memory", "requests.storage",
	"requests.ephemeral-storage", "limits.cpu", "limits.memory", "limits.ephemeral-storage",
}, rules.CountedResources...)

// NameOfResource checks the name of a resource. A name without a domain must be known to the server.
func NameOfResource(name string, path *field.Path) field.ErrorList {
	if errs := rules.Faults(path, corev1.ResourceName(name), content.IsLabelKey(name)); len(errs) > 0 {
		return errs
	}
	known := slices.Contains(QuotaResources, name) || name == "storage" || podresources.IsHugePages(corev1.ResourceName(name)) || strings.HasPrefix(name, "requests.hugepages-")
	return rules.Unless(known || strings.Contains(name, "/"), path, corev1.ResourceName(name), "must be a standard resource type or fully qualified")
}
