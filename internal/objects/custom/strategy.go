// kubernetes/apiextensions-apiserver:pkg/registry/customresource/strategy.go
// kubernetes/apiextensions-apiserver:pkg/registry/customresource/status_strategy.go

package custom

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/admsim/admsim/internal/semantic"
)

// These are the changes that the server makes to a custom resource before it writes it:
// kubernetes/apiextensions-apiserver:pkg/registry/customresource/strategy.go and status_strategy.go.

func (v *customVersion) prepareForCreate(u *unstructured.Unstructured) {
	if v.hasStatus {
		delete(u.Object, "status")
	}
	u.SetGeneration(1)
}

// prepareForUpdate keeps the old status if it has its own subresource. Every other change increases the generation;
// without that subresource, so do changes of the status.
func (v *customVersion) prepareForUpdate(u, old *unstructured.Unstructured) {
	if v.hasStatus {
		if status, ok := old.Object["status"]; ok {
			u.Object["status"] = runtime.DeepCopyJSONValue(status)
		} else {
			delete(u.Object, "status")
		}
	}
	if !semantic.DeepEqual(withoutMetadata(u), withoutMetadata(old)) {
		u.SetGeneration(old.GetGeneration() + 1)
	}
}

// prepareForStatusUpdate keeps only the status and the managed fields of u.
func prepareForStatusUpdate(u, old *unstructured.Unstructured) {
	status, ok := u.Object["status"]
	managed := u.GetManagedFields()

	u.Object = old.DeepCopy().Object
	u.SetManagedFields(managed)
	if ok {
		u.Object["status"] = status
	} else {
		delete(u.Object, "status")
	}
}

func withoutMetadata(u *unstructured.Unstructured) map[string]any {
	rest := maps.Clone(u.Object)
	delete(rest, "metadata")
	return rest
}

// finalizerWarnings returns warnings about the finalizers that obj adds to those of old.
func finalizerWarnings(obj, old runtime.Object) []string {
	added := sets.New(finalizers(obj)...)
	if old != nil {
		added = added.Difference(sets.New(finalizers(old)...))
	}
	var warnings []string
	for _, name := range sets.List(added) {
		warnings = append(warnings, finalizerWarning(name)...)
	}
	return warnings
}

func finalizers(obj runtime.Object) []string {
	m, err := meta.Accessor(obj)
	if err != nil {
		return nil
	}
	return m.GetFinalizers()
}

// systemFinalizers are the server's own finalizers, which need no domain.
var systemFinalizers = []string{metav1.FinalizerOrphanDependents, metav1.FinalizerDeleteDependents, string(corev1.FinalizerKubernetes)}

func finalizerWarning(name string) []string {
	var warnings []string
	for _, fault := range utilvalidation.IsQualifiedName(name) {
		warnings = append(warnings, fmt.Sprintf("metadata.finalizers: %q: %s", name, fault))
	}
	if strings.Contains(name, "/") || slices.Contains(systemFinalizers, name) {
		return warnings
	}
	including := ""
	if strings.Contains(name, ".") {
		including = " including a path (/)"
	}
	return append(warnings, fmt.Sprintf("metadata.finalizers: %q: prefer a domain-qualified finalizer name%s to avoid accidental conflicts with other finalizer writers", name, including))
}
