package rest

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/internal/rest/selectors"
	"github.com/admsim/admsim/internal/rest/subresources"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// evict deletes a pod if its disruption budget allows it (PL-22). Only the eviction is admitted, not the deletion
// (W-328, W-039): kubernetes/kubernetes:pkg/registry/core/pod/storage/eviction.go.
func evict(ctx context.Context, x *exchange, a admission.Request) (runtime.Object, error) {
	eviction, err := bodyOf[*policyv1.Eviction](x, a)
	if err != nil {
		return nil, err
	}
	if eviction.Name != x.req.Name && x.server.release().Has(kubeversion.NamedBindings) {
		return nil, badRequest("name in URL does not match name in Eviction object")
	}
	if o := eviction.DeleteOptions; o != nil && o.IgnoreStoreReadErrorWithClusterBreakingPotential != nil && *o.IgnoreStoreReadErrorWithClusterBreakingPotential {
		return nil, x.refuseInvalid(policyv1.SchemeGroupVersion.WithKind("Eviction").GroupKind(), eviction.Name, field.ErrorList{
			field.Invalid(field.NewPath("deleteOptions", "ignoreStoreReadErrorWithClusterBreakingPotential"), true, "can not be set for pod eviction, try after removing the option")})
	}
	options, err := x.evictionOptions(eviction)
	if err != nil {
		return nil, err
	}
	if !x.server.release().Has(kubeversion.EvictionsAdmittedFirst) {
		if err := objects.CheckKey(eviction.Name); err != nil {
			return nil, refuse(err)
		}
		if _, _, err := x.podToWrite(eviction.Name); err != nil {
			return nil, err
		}
	}
	if err := x.validateAs(ctx, a, eviction); err != nil {
		return nil, err
	}
	if len(options.DryRun) > 0 {
		x.req.Query = selectors.WithDryRun(x.req.Query, options.DryRun)
	}
	_, pod, err := x.podToWrite(eviction.Name)
	if err != nil {
		return nil, err
	}
	if !subresources.Disrupted(pod) {
		x.look(Request{Verb: List, Resource: x.budgets(), Namespace: x.req.Namespace})
	}
	budget, err := x.subresource().SpendBudget(pod, x.server.Now())
	if err != nil {
		return nil, refuse(err)
	}
	if budget != nil && !x.dryRun() {
		if err := x.writeBudget(ctx, budget); err != nil {
			return nil, err
		}
	}
	return success(), x.evictPod(ctx, pod.Name, options)
}

// evictionOptions returns the options for deleting the pod. A dry run can be requested in the query and in the body,
// which must not contradict each other.
func (x *exchange) evictionOptions(e *policyv1.Eviction) (*metav1.DeleteOptions, error) {
	asked := x.req.Query["dryRun"]
	if e.DeleteOptions == nil {
		return &metav1.DeleteOptions{DryRun: asked}, nil
	}
	options := e.DeleteOptions.DeepCopy()
	switch {
	case len(options.DryRun) == 0:
		options.DryRun = asked
		e.DeleteOptions.DryRun = asked
	case len(asked) > 0 && !slices.Equal(asked, options.DryRun):
		return nil, plain("Non-matching dry-run options in request and content: %v and %v", asked, options.DryRun)
	}
	return options, nil
}

// evictPod writes into the pod why it is deleted, and deletes it.
func (x *exchange) evictPod(ctx context.Context, name string, options *metav1.DeleteOptions) error {
	if !x.dryRun() && x.server.release().Has(kubeversion.DisruptionConditions) {
		kept, pod, err := x.podToWrite(name)
		if err != nil {
			return err
		}
		if err := x.matchForEviction(pod, options.Preconditions); err != nil {
			return err
		}
		subresources.MarkEvicted(pod, x.server.Now())
		if err := x.keepPod(pod, kept); err != nil {
			return err
		}
		if p := options.Preconditions; p != nil && p.ResourceVersion != nil {
			p.ResourceVersion = &pod.ResourceVersion // it was just changed above
		}
	}
	// An eviction checks last what a deletion checks first; the condition is already written by then.
	if err := x.valid("DeleteOptions", metav1validation.ValidateDeleteOptions(options)); err != nil {
		return err
	}
	kept, pod, err := x.podToWrite(name)
	if err != nil {
		return err
	}
	r := &removal{exchange: x, options: options, kept: kept, object: pod, name: name, admitted: true}
	_, _, err = r.remove(ctx)
	return err
}

func (x *exchange) matchForEviction(pod *corev1.Pod, p *metav1.Preconditions) error {
	return (&removal{exchange: x, object: pod, name: pod.Name, options: &metav1.DeleteOptions{Preconditions: p}}).checkPreconditions()
}

// writeBudget writes a budget that counts one more pod. The server does this with a request to itself, which is admitted
// like any other, in the API version that it uses for evictions.
func (x *exchange) writeBudget(ctx context.Context, b *policyv1.PodDisruptionBudget) error {
	written, err := x.server.Types.Convert(b, x.kind.GroupVersion().WithKind("PodDisruptionBudget"))
	if err != nil {
		return err
	}
	body, err := x.server.Types.Encode(written)
	if err != nil {
		return err
	}
	return x.asServer(ctx, Request{
		Verb:        Update,
		Resource:    x.budgets(),
		Subresource: "status",
		Namespace:   b.Namespace,
		Name:        b.Name,
		Body:        body,
	})
}

// budgets returns the resource of the budgets in the version of evictions.
func (x *exchange) budgets() schema.GroupVersionResource {
	return x.kind.GroupVersion().WithResource("poddisruptionbudgets")
}
