package controllers

import (
	"context"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/rest"
)

// endPod does what a kubelet does with a deleted pod: once nothing of it is running, the pod is removed. Its grace
// period is not awaited.
func endPod(c *Controllers, ctx context.Context, e *store.Event) {
	pod, ok := e.After.Object.(*corev1.Pod)
	if !ok || pod.DeletionTimestamp == nil || pod.DeletionGracePeriodSeconds == nil || *pod.DeletionGracePeriodSeconds == 0 {
		return
	}
	current, ok := cluster.Get[*corev1.Pod](c.store.Latest().State(), e.GroupKind, e.Namespace, e.Name)
	if !ok || current.UID != pod.UID {
		return
	}
	c.delete(ctx, admission.Kubelet(pod.Spec.NodeName), e.Key, map[string]any{
		"gracePeriodSeconds": 0, "preconditions": map[string]any{"uid": pod.UID},
	})
}

// recount recalculates quotas when an object in the namespace is deleted or a quota changes:
// kubernetes/kubernetes:pkg/controller/resourcequota/resource_quota_controller.go.
func recount(c *Controllers, ctx context.Context, e *store.Event) {
	quota, isQuota := e.After.Object.(*corev1.ResourceQuota)
	if isQuota {
		if before, ok := e.Before.Object.(*corev1.ResourceQuota); ok && before.Generation == quota.Generation && sameHard(before, quota) {
			return
		}
	} else if e.Namespace == "" || e.After.Object != nil {
		return
	}
	for range recounts {
		quotas, err := c.store.Latest().RecountQuotas(e.Namespace)
		if err != nil {
			c.failed(err)
			return
		}
		conflict := false
		for _, q := range quotas {
			if req, ok := c.about(q, corev1.SchemeGroupVersion.WithResource("resourcequotas"), as("resourcequota-controller")); ok {
				req.Verb, req.Subresource = rest.Update, "status"
				conflict = !c.do(ctx, req) && c.hasChanged(q) || conflict
			}
		}
		if !conflict {
			return
		}
	}
}

// hasChanged reports whether somebody wrote a quota in the meantime.
func (c *Controllers) hasChanged(q *corev1.ResourceQuota) bool {
	now, ok := cluster.Get[*corev1.ResourceQuota](c.store.Latest().State(), quotaKind, q.Namespace, q.Name)
	return ok && now.ResourceVersion != q.ResourceVersion
}

var quotaKind = corev1.SchemeGroupVersion.WithKind("ResourceQuota").GroupKind()

// recounts is how often a quota is counted while others charge it.
const recounts = 5

func sameHard(a, b *corev1.ResourceQuota) bool {
	return maps.EqualFunc(a.Spec.Hard, b.Spec.Hard, func(x, y resource.Quantity) bool { return x.Cmp(y) == 0 })
}
