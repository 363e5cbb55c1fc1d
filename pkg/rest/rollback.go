package rest

import (
	"context"
	"fmt"
	"net/http"

	appsv1 "k8s.io/api/apps/v1"
	extensionsv1beta1 "k8s.io/api/extensions/v1beta1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/rest/subresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// rollBack requests an old revision of a deployment (PL-33). The update of the deployment is not admitted (W-039):
// kubernetes/kubernetes:pkg/registry/apps/deployment/storage/storage.go, RollbackREST.
func rollBack(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	asked, ok := subresources.RollbackOf(a.Object)
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
	if errs := asked.Validate(); len(errs) > 0 {
		return nil, x.refuseInvalid(schema.GroupKind{Group: group, Kind: "DeploymentRollback"}, asked.Name, errs)
	}
	if named {
		if asked.Name != x.req.Name {
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
	answer.Message = fmt.Sprintf("rollback request for deployment %q succeeded", asked.Name)
	return answer, nil
}

// markRollback writes the deployment with the requested revision.
func (x *exchange) markRollback(r subresources.Rollback, group string) error {
	kept, ok := x.state.Find(cluster.Key{GroupKind: schema.GroupKind{Group: appsv1.GroupName, Kind: "Deployment"}, Namespace: x.req.Namespace, Name: r.Name})
	deployment, is := kept.Object.(*appsv1.Deployment)
	if !ok || !is {
		return refuse(apierrors.NewNotFound(schema.GroupResource{Group: group, Resource: "deployments"}, r.Name))
	}
	if x.dryRun() {
		return nil
	}
	deployment = deployment.DeepCopy()
	r.Mark(deployment)
	err := x.fits(kept.Replaced(deployment).Stored(), kept.Object)
	if words, ok := tooLarge(err); ok {
		return refuse(apierrors.NewInternalError(words))
	}
	if err != nil {
		return err
	}
	deployment.ResourceVersion = x.state.NextVersion(deployment.ResourceVersion)
	x.state = x.state.With(kept.Replaced(deployment))
	return nil
}
