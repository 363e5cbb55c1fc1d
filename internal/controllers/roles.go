package controllers

import (
	"context"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/cluster"
)

// aggregate updates the rules of aggregated roles:
// kubernetes/kubernetes:pkg/controller/clusterroleaggregation/clusterroleaggregation_controller.go.
func aggregate(c *Controllers, ctx context.Context, e *store.Event) {
	var written []*rbacv1.ClusterRole
	for _, o := range []cluster.Object{e.Before, e.After} {
		if role, ok := o.Object.(*rbacv1.ClusterRole); ok {
			written = append(written, role)
		}
	}
	if written == nil {
		return
	}
	for _, role := range bootstrap.Outdated(c.cached(), written...) {
		c.apply(ctx, "clusterrole-aggregation-controller", rbacv1.SchemeGroupVersion.WithResource("clusterroles"), &rbacv1.ClusterRole{
			TypeMeta: role.TypeMeta, ObjectMeta: metav1.ObjectMeta{Name: role.Name}, Rules: role.Rules,
		})
	}
}
