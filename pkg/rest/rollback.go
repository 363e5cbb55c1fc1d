package rest

import (
	"context"
	"fmt"
	"net/http"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// rollBack requests an old revision of a deployment (PL-33). The update of the deployment is not admitted (W-039):
// kubernetes/kubernetes:pkg/registry/apps/deployment/storage/storage.go, RollbackREST.
func rollBack(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	asked, ok := rollbackOf(a.Object)
	if !ok {
		return nil, badRequest("not a DeploymentRollback: %#v", a.Object)
	}
	release := x.server.release()
	group := appsv1.GroupName
	if !release.Has(kubeversion.RollbacksOfApps) {
		group = extensionsv1beta1.GroupName
	}
	named := release.Has(kubeversion.RollbacksNamed)
	if !named && release.Has(kubeversion.RollbacksAdmitted) {
		if err := x.validate(ctx, a); err != nil {
			return nil, err
		}
	}
	if errs := asked.validate(); len(errs) > 0 {
		return nil, x.refuseInvalid(schema.GroupKind{Group: group, Kind: "DeploymentRollback"}, asked.name, errs)
	}
	if named {
		if asked.name != x.req.Name {
			return nil, badRequest("name in URL does not match name in DeploymentRollback object")
		}
		if err := x.validate(ctx, a); err != nil {
			return nil, err
		}
	}
	if err := x.markRollback(asked, group); err != nil {
		return nil, err
	}
	answer := success()
	answer.Code = http.StatusOK // in a response with status 201
	answer.Message = fmt.Sprintf("rollback request for deployment %q succeeded", asked.name)
	return answer, nil
}

// A rollback is the body of a DeploymentRollback in any version.
type rollback struct {
	name        string
	annotations map[string]string
	revision    int64
}

func rollbackOf(object runtime.Object) (rollback, bool) {
	switch o := object.(type) {
	case *extensionsv1beta1.DeploymentRollback:
		return rollback{o.Name, o.UpdatedAnnotations, o.RollbackTo.Revision}, true
	case *appsv1beta1.DeploymentRollback:
		return rollback{o.Name, o.UpdatedAnnotations, o.RollbackTo.Revision}, true
	}
	return rollback{}, false
}

func (r rollback) validate() field.ErrorList {
	errs := validation.ValidateAnnotations(r.annotations, field.NewPath("updatedAnnotations"))
	if r.name == "" {
		errs = append(errs, field.Required(field.NewPath("name"), "name is required"))
	}
	return append(errs, validation.ValidateNonnegativeField(r.revision, field.NewPath("rollback", "version"))...)
}

// markRollback writes the requested revision into the deployment, as an annotation in apps/v1 (CV-01). The controller
// would then perform the rollback.
func (x *exchange) markRollback(r rollback, group string) error {
	kept, ok := x.state.Find(cluster.Key{GroupKind: schema.GroupKind{Group: appsv1.GroupName, Kind: "Deployment"}, Namespace: x.req.Namespace, Name: r.name})
	deployment, is := kept.Object.(*appsv1.Deployment)
	if !ok || !is {
		return refuse(apierrors.NewNotFound(schema.GroupResource{Group: group, Resource: "deployments"}, r.name))
	}
	if x.dryRun() {
		return nil
	}
	deployment = deployment.DeepCopy()
	for key, value := range r.annotations {
		deployment.Annotations = set(deployment.Annotations, key, value)
	}
	deployment.Annotations = set(deployment.Annotations, appsv1.DeprecatedRollbackTo, strconv.FormatInt(r.revision, 10))
	deployment.ResourceVersion = x.state.NextVersion(deployment.ResourceVersion)
	x.state = x.state.With(kept.Replaced(deployment))
	return nil
}

func set(m map[string]string, key, value string) map[string]string {
	if m == nil {
		m = map[string]string{}
	}
	m[key] = value
	return m
}
