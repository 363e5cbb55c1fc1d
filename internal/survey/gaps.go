package survey

import (
	"fmt"
	"slices"
	"strings"

	admissionv1 "k8s.io/api/admission/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/internal/hint"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/internal/space"
)

// Gaps returns, for each resource that validators check, which requests are stored without being checked by any of
// them. A validator is a validating webhook, or a policy that denies, whose failurePolicy is Fail. Patterns name the
// validators that count; without patterns, all do. Deletions are a gap only if a validator checks other deletions of
// the resource.
func Gaps(w *World, patterns ...string) (*document.Survey, error) {
	if err := w.nothing(); err != nil {
		return nil, err
	}
	s := spaceOf(w)
	d := newSurvey(document.SurveyOfGaps, w)
	var closed, open []space.Requests
	for _, p := range patterns {
		if !slices.ContainsFunc(w.hooks, func(h hook) bool { return !h.Mutating && h.named(p) }) {
			return nil, w.unknown(p)
		}
	}
	for i := range w.hooks {
		h := &w.hooks[i]
		named := len(patterns) == 0 || slices.ContainsFunc(patterns, h.named)
		if h.Mutating || !h.denies || !named {
			continue
		}
		r := s.Region(0, &h.Hook)
		addUnserved(d, s, h)
		if h.failsOpen() {
			open = append(open, r.Asked)
			continue
		}
		closed = append(closed, r.Asked, r.Refused)
	}
	if len(closed)+len(open) == 0 {
		who := "nothing in " + w.Name
		if len(patterns) > 0 {
			who = "none of " + strings.Join(patterns, ", ")
		}
		return nil, hint.Add(fmt.Errorf("%s can deny a request: all requests are gaps", who), "validating webhooks can, and validating policies whose binding has the action Deny")
	}
	var unseen []string
	for _, resource := range s.Resources() {
		about := func(e *space.Endpoint) bool { return e.Resource.GroupResource() == resource && isStored(e) }
		seen := func(lists ...[]space.Requests) bool {
			return slices.ContainsFunc(slices.Concat(lists...), func(r space.Requests) bool { return !s.Where(r, about).IsEmpty() })
		}
		if !seen(closed, open) {
			unseen = append(unseen, resource.String())
			continue
		}
		subject := document.SurveySubject{Kind: "resource", Name: resource.String()}
		deletions := func(e *space.Endpoint) bool { return about(e) && e.Operation == admissionv1.Delete }
		looked := func(r space.Requests) bool { return !s.Where(r, deletions).IsEmpty() }
		all := s.Where(s.Everything(), func(e *space.Endpoint) bool {
			return about(e) && (e.Operation != admissionv1.Delete || slices.ContainsFunc(closed, looked) || slices.ContainsFunc(open, looked))
		})
		left, ok := s.Without(all, closed...)
		if !ok {
			return nil, fmt.Errorf("the gaps of %s are too large to be written down: name some of the validators", resource)
		}
		blind, ok := s.Without(left, open...)
		if !ok {
			return nil, fmt.Errorf("the gaps of %s are too large to be written down: name some of the validators", resource)
		}
		subject.Regions = append(regions(s, document.IsUnseen, blind, nil), regions(s, document.IsSeenOpen, s.Minus(left, blind), nil)...)
		d.Subjects = append(d.Subjects, subject)
	}
	if len(d.Subjects) == 0 {
		err := fmt.Errorf("no webhook or policy in %s checks anything that is stored", w.Name)
		advice := "gaps are requests that create, change or delete objects: check that rules and selectors match some of them (admsim explain --all shows what each matches)"
		if len(d.Unserved) > 0 {
			err = fmt.Errorf("%w: no %s is served", err, words.Few(d.Unserved))
			advice = "add their CustomResourceDefinitions"
		}
		for i := range w.hooks {
			if h := &w.hooks[i]; h.denies && s.ParamsDecide(0, &h.Hook) {
				advice = fmt.Sprintf("%s is never asked: %s", h.actor, unmatched(s, h))
				break
			}
		}
		return nil, hint.Add(err, advice)
	}
	d.Unseen = unseen
	return sized(d, s), nil
}

// isStored reports whether requests to an endpoint write an object, or a part of one.
func isStored(e *space.Endpoint) bool {
	switch e.Operation {
	case admissionv1.Connect:
		return false
	case admissionv1.Create:
		return e.Subresource == "" || e.Subresource == "binding"
	}
	return !isReview(e.Resource.GroupResource())
}

// isReview reports whether objects of the resource are never stored.
func isReview(r schema.GroupResource) bool {
	return r.Group == "authentication.k8s.io" || r.Group == "authorization.k8s.io"
}
