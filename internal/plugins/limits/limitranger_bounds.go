package limits

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/pkg/admission"
)

// podCheck returns the violations of the bounds that r sets for containers and for pods (LR-30).
func (p LimitRanger) podCheck(req admission.Request, r *corev1.LimitRange) ([]error, error) {
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, item := range r.Spec.Limits {
		switch item.Type {
		case corev1.LimitTypeContainer:
			for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
				for _, c := range containers {
					errs = append(errs, outOfBounds(item, c.Resources.Requests, c.Resources.Limits)...)
				}
			}
		case corev1.LimitTypePod:
			requests, limits := p.podTotals(pod)
			errs = append(errs, outOfBounds(item, requests, limits)...)
		}
	}
	return errs, nil
}

// claimCheck returns the violations of the bounds that r sets for claims, which have only requests (LR-31).
func claimCheck(req admission.Request, r *corev1.LimitRange) ([]error, error) {
	claim, err := plugin.ObjectOf[*corev1.PersistentVolumeClaim](req)
	if err != nil {
		return nil, err
	}
	requests := claim.Spec.Resources.Requests
	var errs []error
	for _, item := range r.Spec.Limits {
		if item.Type != corev1.LimitTypePersistentVolumeClaim {
			continue
		}
		errs = each(errs, item.Type, item.Min, func(b bound) error { return b.belowMin(requests, nil) })
		errs = each(errs, item.Type, item.Max, func(b bound) error { return b.requestAboveMax(requests) })
	}
	return errs, nil
}

func outOfBounds(item corev1.LimitRangeItem, requests, limits corev1.ResourceList) (errs []error) {
	errs = each(errs, item.Type, item.Min, func(b bound) error { return b.belowMin(requests, limits) })
	errs = each(errs, item.Type, item.Max, func(b bound) error { return b.aboveMax(requests, limits) })
	return each(errs, item.Type, item.MaxLimitRequestRatio, func(b bound) error { return b.aboveRatio(requests, limits) })
}

// each checks every bound of a list, sorted by name (LR-32).
func each(errs []error, per corev1.LimitType, bounds corev1.ResourceList, check func(bound) error) []error {
	if len(bounds) == 0 {
		return errs
	}
	names := slices.AppendSeq(make([]corev1.ResourceName, 0, len(bounds)), maps.Keys(bounds))
	slices.Sort(names)
	for _, name := range names {
		if err := check(bound{per, name, bounds[name]}); err != nil {
			errs = append(errs, err)
		}
	}
	return errs
}

// A bound is a limit range's bound for one resource.
type bound struct {
	per      corev1.LimitType
	resource corev1.ResourceName
	quantity resource.Quantity
}

// The messages of LR-33.

func (b bound) belowMin(requests, limits corev1.ResourceList) error {
	request, hasRequest := requests[b.resource]
	limit, hasLimit := limits[b.resource]
	r, l, least := inOneUnit(request, limit, b.quantity)
	switch {
	case !hasRequest:
		return b.errorf("minimum", ".  No request is specified")
	case r < least:
		return b.errorf("minimum", ", but request is %s", request.String())
	case hasLimit && l < least:
		return b.errorf("minimum", ", but limit is %s", limit.String())
	}
	return nil
}

func (b bound) aboveMax(requests, limits corev1.ResourceList) error {
	request, hasRequest := requests[b.resource]
	limit, hasLimit := limits[b.resource]
	r, l, most := inOneUnit(request, limit, b.quantity)
	switch {
	case !hasLimit:
		return b.errorf("maximum", ".  No limit is specified")
	case l > most:
		return b.errorf("maximum", ", but limit is %s", limit.String())
	case hasRequest && r > most:
		return b.errorf("maximum", ", but request is %s", request.String())
	}
	return nil
}

func (b bound) requestAboveMax(requests corev1.ResourceList) error {
	request, hasRequest := requests[b.resource]
	r, _, most := inOneUnit(request, resource.Quantity{}, b.quantity)
	switch {
	case !hasRequest:
		return b.errorf("maximum", ".  No request is specified")
	case r > most:
		return b.errorf("maximum", ", but request is %s", request.String())
	}
	return nil
}

func (b bound) errorf(which, format string, args ...any) error {
	return fmt.Errorf("%s %s usage per %s is %s"+format, append([]any{which, b.resource, b.per, b.quantity.String()}, args...)...)
}

// aboveRatio compares limit/request with the bound, in thousandths where the quantities allow it (LR-34 to LR-36).
func (b bound) aboveRatio(requests, limits corev1.ResourceList) error {
	request, hasRequest := requests[b.resource]
	limit, hasLimit := limits[b.resource]
	r, l, _ := inOneUnit(request, limit, b.quantity)
	about := fmt.Sprintf("%s max limit to request ratio per %s is %s, but ", b.resource, b.per, b.quantity.String())
	if !hasRequest || r == 0 {
		return fmt.Errorf("%sno request is specified or request is 0", about)
	}
	if !hasLimit || l == 0 {
		return fmt.Errorf("%sno limit is specified or limit is 0", about)
	}
	ratio := float64(l) / float64(r)
	scaled, most := ratio, float64(b.quantity.Value())
	if b.quantity.Value() <= resource.MaxMilliValue {
		scaled, most = ratio*1000, float64(b.quantity.MilliValue())
	}
	if scaled > most {
		return fmt.Errorf("%sprovided ratio is %f", about, ratio)
	}
	return nil
}

// inOneUnit makes quantities comparable: it returns them in thousandths if all of them fit into 64 bits that way,
// otherwise rounded up (LR-35).
func inOneUnit(request, limit, enforced resource.Quantity) (r, l, e int64) {
	r, l, e = request.Value(), limit.Value(), enforced.Value()
	if max(r, l, e) <= resource.MaxMilliValue {
		return request.MilliValue(), limit.MilliValue(), enforced.MilliValue()
	}
	return r, l, e
}
