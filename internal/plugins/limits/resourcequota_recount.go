package limits

import (
	"time"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// RecountQuotas returns s with every ResourceQuota's status filled in with what is limited and how much of it is used,
// as the quota controller of a real cluster would write it. What a status already has stays.
func RecountQuotas(s *cluster.State, r *kubeversion.Release, resources *discovery.Resources, types *objects.Types, now func() time.Time) (*cluster.State, error) {
	unfilled := map[string][]*quota{} // by namespace
	seen := objects.Cached(s, r)
	for object := range seen.List(quotaKind, "") {
		if q, ok := object.Object.(*corev1.ResourceQuota); ok && !isCounted(q) {
			unfilled[q.Namespace] = append(unfilled[q.Namespace], uncounted(q, object.Source))
		}
	}
	if len(unfilled) == 0 {
		return s, nil
	}
	count := newCounting(r, types, now)
	for object := range seen.All() {
		quotas := unfilled[cluster.KeyOf(object.Object).Namespace]
		if len(quotas) == 0 {
			continue
		}
		if err := count.into(quotas, object, seen, resources); err != nil {
			return nil, err
		}
	}
	var filled []cluster.Object
	for _, quotas := range unfilled {
		for _, q := range quotas {
			filled = append(filled, cluster.Object{Object: q.ResourceQuota, Source: q.source})
		}
	}
	return s.With(filled...), nil
}

// isCounted reports whether the status has the usage of everything that is limited.
func isCounted(q *corev1.ResourceQuota) bool {
	if len(q.Status.Hard) == 0 {
		return len(q.Spec.Hard) == 0
	}
	for name := range q.Status.Hard {
		if _, ok := q.Status.Used[name]; !ok {
			return false
		}
	}
	return true
}

// uncounted returns a copy of a quota whose usage is zero for everything that its status lacks. Its charge names what
// is to be counted.
func uncounted(q *corev1.ResourceQuota, source string) *quota {
	q = q.DeepCopy()
	if len(q.Status.Hard) == 0 {
		q.Status.Hard = q.Spec.Hard.DeepCopy()
	}
	known := q.Status.Used
	q.Status.Used = corev1.ResourceList{}
	missing := corev1.ResourceList{}
	for name, limit := range q.Status.Hard {
		if used, ok := known[name]; ok {
			q.Status.Used[name] = used
			continue
		}
		none := units(0)
		none.Format = limit.Format
		q.Status.Used[name], missing[name] = none, none
	}
	return &quota{ResourceQuota: q, source: source, charge: missing}
}

// into adds the usage of an object to the quotas that apply to it.
func (c counting) into(quotas []*quota, object cluster.Object, s *cluster.State, resources *discovery.Resources) error {
	gvk := object.GetObjectKind().GroupVersionKind()
	resource, ok := resources.ForKind(gvk)
	if !ok || isUncounted(resource.GroupVersionResource.GroupResource()) {
		return nil
	}
	counted, err := c.of(admission.Request{
		Operation: admissionv1.Create,
		Resource:  resource.GroupVersionResource,
		Kind:      gvk,
		Namespace: cluster.KeyOf(object.Object).Namespace,
		Object:    object.Object,
	})
	if err != nil {
		return err
	}
	for _, q := range quotas {
		q.counts = map[corev1.ResourceName]bool{}
		for name := range q.charge {
			if counted.counts(name) {
				q.counts[name] = true
			}
		}
		if matches(q, counted, object.Object) {
			q.Status.Used = podresources.Sum(q.Status.Used, only(counted.usage(object.Object, s), q.counts))
		}
	}
	return nil
}
