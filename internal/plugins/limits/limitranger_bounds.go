package limits

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/admsim/admsim/internal/plugins/plugin"
	"github.com/admsim/admsim/internal/steady"
	"github.com/admsim/admsim/pkg/admission"
)

// A boundsCheck collects the violations of the bounds that a limit range sets.
type boundsCheck struct {
	course   *admission.Course
	fullStop string // at the end of each message
	errs     []error
}

// pod checks the bounds for containers and for pods (LR-30).
func (c *boundsCheck) pod(p LimitRanger, req admission.Request, r *corev1.LimitRange) error {
	pod, err := plugin.ObjectOf[*corev1.Pod](req)
	if err != nil {
		return err
	}
	for _, item := range r.Spec.Limits {
		switch item.Type {
		case corev1.LimitTypeContainer:
			for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
				for i := range containers {
					c.all(item, containers[i].Resources.Requests, containers[i].Resources.Limits)
				}
			}
		case corev1.LimitTypePod:
			requests, limits := p.podTotals(pod)
			c.all(item, requests, limits)
		}
	}
	return nil
}

// claim checks the bounds for claims, which have only requests (LR-31).
func (c *boundsCheck) claim(req admission.Request, r *corev1.LimitRange) error {
	claim, err := plugin.ObjectOf[*corev1.PersistentVolumeClaim](req)
	if err != nil {
		return err
	}
	requests := claim.Spec.Resources.Requests
	for _, item := range r.Spec.Limits {
		if item.Type != corev1.LimitTypePersistentVolumeClaim {
			continue
		}
		c.each(item.Type, item.Min, func(b bound) error { return b.belowMin(requests, nil) })
		c.each(item.Type, item.Max, func(b bound) error { return b.requestAboveMax(requests) })
	}
	return nil
}

func (c *boundsCheck) all(item corev1.LimitRangeItem, requests, limits corev1.ResourceList) {
	c.each(item.Type, item.Min, func(b bound) error { return b.belowMin(requests, limits) })
	c.each(item.Type, item.Max, func(b bound) error { return b.aboveMax(requests, limits) })
	c.each(item.Type, item.MaxLimitRequestRatio, func(b bound) error { return b.aboveRatio(requests, limits) })
}

// each checks every bound of a list. The server goes through the list in any order, admsim by name (LR-32).
func (c *boundsCheck) each(per corev1.LimitType, bounds corev1.ResourceList, check func(bound) error) {
	if len(bounds) == 0 {
		return
	}
	names := slices.AppendSeq(make([]corev1.ResourceName, 0, len(bounds)), maps.Keys(bounds))
	slices.Sort(names)
	known := len(c.errs)
	for _, name := range names {
		if err := check(bound{per, name, bounds[name]}); err != nil {
			if c.fullStop != "" {
				err = fmt.Errorf("%w%s", err, c.fullStop)
			}
			c.errs = append(c.errs, err)
		}
	}
	if found := c.errs[known:]; len(found) > 1 {
		c.arrange(found)
	}
}

// arrange puts the violations of one list in the order in which the server finds them.
func (c *boundsCheck) arrange(found []error) {
	given, paths := slices.Clone(found), make([][]string, len(found))
	for i, err := range found {
		paths[i] = []string{err.Error()}
	}
	say := func(i int, say func(in, text string, once bool)) {
		first, _, _ := strings.Cut(given[i].Error(), ", ")
		say(steady.InErrors, first, false)
	}
	for i, at := range c.course.Arrange(paths, say, "LimitRanger goes through the resources of a limit range in any order") {
		found[i] = given[at]
	}
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
