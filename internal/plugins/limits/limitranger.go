package limits

import (
	"context"
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/trace"
)

var limitRangeKind = schema.GroupKind{Kind: "LimitRange"}

// LimitRanger sets default resources for containers that have none, and keeps pods and claims within the bounds of
// their namespace. Several limit ranges apply one after the other, in any order: here by name, unless another course is
// taken (LR-03).
type LimitRanger struct {
	podLevel, fullStops bool
	partialSums         bool // resources that only some containers of a pod set are summed, too
}

func NewLimitRanger(r *kubeversion.Release) LimitRanger {
	return LimitRanger{
		podLevel:    r.Enabled("PodLevelResources"),
		fullStops:   !r.Has(kubeversion.BoundsWithoutFullStop),
		partialSums: r.Has(kubeversion.SilentContainersCount),
	}
}

// Mutate adds defaults to pods; there are none for claims (LR-15).
func (LimitRanger) Mutate(ctx context.Context, s *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	step := plugin.Begin(req)
	claims := isClaim(req)
	switch {
	case !limitsPod(req) && !claims:
		return plugin.Skip(step, "not a pod that is created or resized"), nil
	case terminating(req):
		return plugin.Skip(step, "the object is being deleted"), nil
	}
	limits := limitRangesIn(s, req.Namespace)
	if len(limits) == 0 { // the server still knows the answer when it validates
		plugin.LookUpAll(&step, req, schema.GroupVersionResource{Version: "v1", Resource: "limitranges"})
	}
	if claims {
		return plugin.Skip(step, "not a pod that is created or resized"), nil
	}
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return step, err
	}
	before := pod
	for _, o := range inOrder(ctx, defaulting(limits, pod)) {
		limits := o.Object.(*corev1.LimitRange)
		if filled, set := containerDefaultsOf(limits).fill(pod); set != "" {
			pod = filled
			step = plugin.DecidedBy(step, o)
			step.Because = joinSentence(step.Because, "limit range "+limits.Name+" set: "+set)
		}
	}
	if pod == before {
		return plugin.Allow(step, "no limit range has a default that the pod lacks"), nil
	}
	return plugin.Change(step, pod, step.Because), nil
}

func limitRangesIn(s *cluster.State, namespace string) (all []cluster.Object) {
	for o := range s.List(limitRangeKind, namespace) {
		if _, ok := o.Object.(*corev1.LimitRange); ok {
			all = append(all, o)
		}
	}
	return all
}

// defaulting returns the limit ranges that may have defaults for the pod. If the namespace has several, only those that
// do have defaults are returned.
func defaulting(all []cluster.Object, pod *corev1.Pod) []cluster.Object {
	if len(all) < 2 {
		return all
	}
	return slices.DeleteFunc(all, func(o cluster.Object) bool {
		_, set := containerDefaultsOf(o.Object.(*corev1.LimitRange)).fill(pod)
		return set == ""
	})
}

// inOrder returns the limit ranges in the order in which they apply (LR-03).
func inOrder(ctx context.Context, all []cluster.Object) []cluster.Object {
	if len(all) < 2 {
		return all
	}
	ordered := make([]cluster.Object, len(all))
	for i, at := range admission.CourseOf(ctx).Order(len(all), "several limit ranges have defaults for the pod, and the server takes them in any order") {
		ordered[i] = all[at]
	}
	return ordered
}

func joinSentence(before, more string) string {
	if before == "" {
		return more
	}
	return before + "; " + more
}

// Validate refuses what is out of bounds. The first limit range that is violated decides, and only its errors are
// reported (LR-04).
func (p LimitRanger) Validate(ctx context.Context, s *cluster.State, req admission.Request) (trace.Step, error) {
	step := plugin.Begin(req)
	claims := isClaim(req)
	if !limitsPod(req) && !claims {
		return plugin.Skip(step, "not a pod that is created or resized, nor a claim"), nil
	}
	if terminating(req) {
		return plugin.Skip(step, "the object is being deleted"), nil
	}
	fullStop := ""
	if p.fullStops {
		fullStop = "."
	}
	all := limitRangesIn(s, req.Namespace)
	if len(all) == 0 {
		return plugin.Allow(step, "the namespace has no limit range"), nil
	}
	var denials []trace.Step
	for _, o := range all {
		limits := o.Object.(*corev1.LimitRange)
		c := boundsCheck{course: admission.CourseOf(ctx), fullStop: fullStop}
		var err error
		if claims {
			err = c.claim(req, limits)
		} else {
			err = c.pod(p, req, limits)
		}
		if err != nil {
			return step, err
		}
		if err := utilerrors.NewAggregate(c.errs); err != nil { // LR-37, ER-05
			because := "limit range " + limits.Name + ": " + err.Error()
			denials = append(denials, plugin.Deny(plugin.DecidedBy(step, o), because, admission.Forbidden(req, err.Error())))
		}
	}
	if denied := firstOf(denials, "limit ranges"); denied != nil {
		return *denied, nil
	}
	return plugin.Allow(step, "within the bounds of every limit range"), nil
}

func isClaim(req admission.Request) bool { return plugin.Concerns(req, "", "persistentvolumeclaims") }

// limitsPod reports whether the request sets the resources of a pod, by creating or resizing it (LR-01).
func limitsPod(req admission.Request) bool {
	if req.Resource.Group != "" || req.Resource.Resource != "pods" {
		return false
	}
	if req.Operation == admissionv1.Create {
		return req.Subresource == ""
	}
	return req.Subresource == "resize"
}

// terminating reports whether the old object is being deleted (LR-02).
func terminating(req admission.Request) bool {
	if req.OldObject == nil {
		return false
	}
	old, err := meta.Accessor(req.OldObject)
	return err == nil && old.GetDeletionTimestamp() != nil
}
