package limits

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/podresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

// uncovered refuses resources that the configuration limits and that no quota covers (RQ-10 to RQ-12, RQ-19, RQ-20).
func (p ResourceQuota) uncovered(step trace.Step, req admission.Request, c counted, limited []corev1.ResourceName, covered map[corev1.ResourceName]bool, quotas []*quota) *trace.Step {
	limited = slices.DeleteFunc(limited, func(name corev1.ResourceName) bool { return covered[name] })
	if len(limited) > 0 {
		text := "insufficient quota to consume: " + names(limited)
		denied := plugin.Forbid(step, req, text)
		if !p.count.release.Has(kubeversion.ShortQuotasForbidden) {
			denied = plugin.Deny(step, text, admission.StatusOf(errors.New(text)))
		}
		denied.Hint = fmt.Sprintf("the admission configuration limits it: namespace %q needs a ResourceQuota for it", req.Namespace)
		return &denied
	}
	scopes := slices.DeleteFunc(p.limitedScopes(c, req), func(limited corev1.ScopedResourceSelectorRequirement) bool {
		return slices.ContainsFunc(quotas, func(q *quota) bool {
			return slices.ContainsFunc(scopesOf(q), func(own corev1.ScopedResourceSelectorRequirement) bool {
				return own.ScopeName == limited.ScopeName && c.inScope(own, req.Object)
			})
		})
	})
	if len(scopes) == 0 {
		return nil
	}
	err := fmt.Errorf("insufficient quota to match these scopes: %v", scopes)
	denied := plugin.Deny(step, err.Error(), admission.StatusOf(err))
	denied.Hint = fmt.Sprintf("the admission configuration limits it: namespace %q needs a ResourceQuota with that scope", req.Namespace)
	return &denied
}

// limitedScopes returns the scopes of all limited resources, whatever resource they limit.
func (p ResourceQuota) limitedScopes(c counted, req admission.Request) []corev1.ScopedResourceSelectorRequirement {
	var matched []corev1.ScopedResourceSelectorRequirement
	for _, l := range p.limited {
		for _, scope := range l.MatchScopes {
			if c.inScope(scope, req.Object) {
				matched = append(matched, scope)
			}
		}
	}
	return matched
}

// charge adds the usage of the request to every quota, unless it exceeds one of them (RQ-22 to RQ-24).
func (p ResourceQuota) charge(ctx context.Context, step trace.Step, req admission.Request, s *cluster.State, matching []*quota) (trace.Step, error) {
	step.Because = "fits into"
	var charged []*corev1.ResourceQuota
	var denials []trace.Step
	for _, q := range matching {
		requested := only(q.charge, q.Status.Hard)
		used := podresources.Sum(q.Status.Used, requested)
		if over := above(only(used, requested), q.Status.Hard); len(over) > 0 && req.Subresource != "status" {
			denied := plugin.Forbid(step, req, fmt.Sprintf("exceeded quota: %s, requested: %s, used: %s, limited: %s", q.Name,
				quantities(only(requested, over)), quantities(only(q.Status.Used, over)), quantities(only(q.Status.Hard, over))))
			denied.Hint = fmt.Sprintf("what is used stands in the status of ResourceQuota %q, as does the limit", q.Name)
			denied.Source = q.source
			denials = append(denials, denied)
			continue
		}
		if len(requested) == 0 {
			continue
		}
		step.Because += fmt.Sprintf(" quota %q: %s;", q.Name, quantities(requested))
		next := q.DeepCopy()
		next.Status.Used = used
		if p.count.release.Has(kubeversion.OwnersNotCached) {
			next.ManagedFields = nil
		}
		charged = append(charged, next)
	}
	if denied := firstOf(denials, "quotas"); denied != nil {
		return *denied, nil
	}
	step.Because = step.Because[:len(step.Because)-1]
	if len(charged) == 0 {
		step.Because = "no quota counts what it uses"
	}
	if req.DryRun {
		return step, nil
	}
	return p.write(ctx, req.Elapsed, step, s, charged)
}

// attempts is how often the server tries to write the status of a quota, and Patience is how long a request waits for
// that: kubernetes/apiserver:pkg/admission/plugin/resourcequota/controller.go, checkQuotas and Evaluate.
const (
	attempts = 4
	Patience = 10 * time.Second
)

// write updates the status of the quotas. A plugin or webhook may refuse that, which then is the answer to the request
// itself. If it takes too long, the request is refused, but the server goes on writing (RQ-24).
func (p ResourceQuota) write(ctx context.Context, began time.Duration, step trace.Step, s *cluster.State, quotas []*corev1.ResourceQuota) (trace.Step, error) {
	var refusal *metav1.Status
	for range attempts {
		var refused []*corev1.ResourceQuota
		for _, q := range quotas {
			sent, wrote, err := p.send(ctx, s, "update", "status", q)
			if err != nil {
				return step, err
			}
			step.Send(began, sent)
			if why := sent.Refusal(); why != nil {
				refused, refusal = append(refused, q), why
				continue
			}
			step.Write(wrote...)
			s = s.With(wrote...)
		}
		if quotas = refused; len(quotas) == 0 {
			break
		}
	}
	switch {
	case step.Duration >= Patience:
		step.Duration = Patience
		late := apierrors.NewInternalError(errors.New("resource quota evaluation timed out"))
		return plugin.Deny(step, "writing its usage into the quotas takes 10s or longer", admission.StatusOf(late)), nil
	case len(quotas) > 0:
		last := quotas[len(quotas)-1]
		return plugin.Deny(step, fmt.Sprintf("its usage could not be written into quota %q", last.Name), refusal), nil
	}
	return step, nil
}

// withoutStatus adds a hint if a quota has no effect because its status is not set.
func withoutStatus(step trace.Step, quotas []*quota) trace.Step {
	for _, q := range quotas {
		if len(q.Spec.Hard) > 0 && len(q.Status.Hard) == 0 {
			step.Source = q.source
			step.Hint = fmt.Sprintf("ResourceQuota %q limits nothing as long as it has no status.hard: the quota controller fills it in", q.Name)
		}
	}
	return step
}
