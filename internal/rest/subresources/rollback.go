package subresources

import (
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// A Rollback is the body of a DeploymentRollback in any version.
type Rollback struct {
	Name        string
	annotations map[string]string
	revision    int64
}

// RollbackOf returns the rollback that a body requests.
func RollbackOf(object runtime.Object) (Rollback, bool) {
	switch o := object.(type) {
	case *extensionsv1beta1.DeploymentRollback:
		return Rollback{o.Name, o.UpdatedAnnotations, o.RollbackTo.Revision}, true
	case *appsv1beta1.DeploymentRollback:
		return Rollback{o.Name, o.UpdatedAnnotations, o.RollbackTo.Revision}, true
	}
	return Rollback{}, false
}

// Validate returns what is wrong with the rollback.
func (r Rollback) Validate() field.ErrorList {
	errs := validation.ValidateAnnotations(r.annotations, field.NewPath("updatedAnnotations"))
	if r.Name == "" {
		errs = append(errs, field.Required(field.NewPath("name"), "name is required"))
	}
	return append(errs, validation.ValidateNonnegativeField(r.revision, field.NewPath("rollback", "version"))...)
}

// Mark writes the requested revision into the deployment, as an annotation in apps/v1 (CV-01). The controller would then
// perform the rollback.
func (r Rollback) Mark(deployment *appsv1.Deployment) {
	for key, value := range r.annotations {
		deployment.Annotations = set(deployment.Annotations, key, value)
	}
	deployment.Annotations = set(deployment.Annotations, appsv1.DeprecatedRollbackTo, strconv.FormatInt(r.revision, 10))
}

func set(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}
