package rest

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// alternatives holds what the server may do instead, and why that is not determined.
type alternatives struct {
	because string
	list    []alternative
}

// An alternative is another possible end of a request.
type alternative struct {
	admissions []trace.Admission
	denial     *metav1.Status // nil: the same answer
	by         *trace.Step    // the step that denies

	// Warnings and annotations if ownTexts is set; otherwise they are those of the answer.
	ownTexts    bool
	warnings    []string
	annotations map[string]string
}

// alternativesTo returns the alternatives to the last step of a request, which denied it. earlier holds the warnings
// before that step.
func (x *exchange) alternativesTo(step *trace.Step, earlier []string) (a alternatives) {
	did := step.Did()
	a.because = did.Undetermined
	for i, h := range did.Alternatives {
		now := *x.admission()
		now.Steps = slices.Clone(now.Steps)
		last := &now.Steps[len(now.Steps)-1]
		last.Outcome, last.Because, last.Source, last.Hint, last.Denial = trace.Denied, h.Because, h.Source, h.Hint, h.Denial
		if h.Outcome != "" {
			last.Outcome = h.Outcome
		}
		admissions := append(slices.Clone(x.admissions[:len(x.admissions)-1]), now)
		one := alternative{admissions: admissions, denial: h.Denial, by: last}
		if did.Otherwise != nil {
			one.ownTexts = true
			one.warnings, one.annotations = x.otherwise(earlier, did, did.Otherwise[i])
		}
		a.list = append(a.list, one)
	}
	return a
}

// otherwise returns the warnings and audit annotations of an answer whose last step has other effects: has instead of
// had.
func (x *exchange) otherwise(earlier []string, had, has trace.Effects) ([]string, map[string]string) {
	var warnings admission.Warnings
	for _, text := range append(earlier[:len(earlier):len(earlier)], has.Warnings...) {
		warnings.Add(text)
	}
	var annotations admission.Annotations
	for _, a := range has.Annotations {
		annotations.Add(a.Key, a.Value)
	}
	for key, value := range x.annotations.Map() {
		if !slices.ContainsFunc(had.Annotations, func(a trace.Annotation) bool { return a.Key == key }) {
			annotations.Add(key, value)
		}
	}
	return x.sentWarnings(&warnings), annotations.Map()
}

// without leaves out denials with errors that matches accepts, because the request would continue after them.
func (a alternatives) without(matches func(error) bool) alternatives {
	a.list = slices.DeleteFunc(slices.Clone(a.list), func(one alternative) bool {
		return one.denial != nil && isError(one.denial, matches)
	})
	return a
}

// with replaces each denial.
func (a alternatives) with(replace func(*metav1.Status) *metav1.Status) alternatives {
	a.list = slices.Clone(a.list)
	for i, one := range a.list {
		if one.denial != nil {
			a.list[i].denial = replace(one.denial)
		}
	}
	return a
}

// of returns the answers that may be given instead of r.
func (a alternatives) of(r Response) (because string, all []Response) {
	for _, one := range a.list {
		other := r
		other.Admissions = one.admissions
		if one.ownTexts {
			other.Warnings, other.AuditAnnotations = one.warnings, one.annotations
		}
		if one.denial != nil {
			other.Code, other.Object, other.Text, other.DeniedBy = httpCode(one.denial), written(one.denial), "", one.by
		}
		because, all = a.because, append(all, other)
	}
	return because, all
}

// isOutdated reports whether the server's cache still has a pod as it was before it was marked. The answer is asRule,
// or, for a pod of a collection, what the followed answer shows.
func (r *removal) isOutdated(asRule bool) bool {
	if r.req.Name == "" {
		if times, known := r.course.Seen("admissions." + r.name); known {
			return len(times) == 3
		}
	}
	return asRule
}

// noteStaleCache records what else the server may do when it deletes a pod at once. It first tries the deletion on the
// object in its cache. If the cache is stale, as stale says for this answer, that is still the object before it was
// marked. It is then admitted once more before the server reads the stored object:
// kubernetes/apiserver:pkg/registry/generic/registry/store.go, Delete.
func (r *removal) noteStaleCache(stale bool) {
	if r.admitted {
		return
	}
	if r.req.Name == "" { // each of many objects may be admitted more or less often: too many combinations to show
		r.course.Loosen("the server admits the deletion of each pod 2 or 3 times: once more if its cache does not show yet that the pod is marked")
		return
	}
	n := len(r.admissions)
	last, outdated := r.admissions[n-1], r.admissions[n-2]
	other := append(slices.Clone(r.admissions[:n-1]), outdated, last)
	if stale {
		other = append(slices.Clone(r.admissions[:n-2]), last)
	}
	r.alternatives = alternatives{
		because: fmt.Sprintf("the server admits the deletion %d or %d times: once more if its cache does not show yet that the pod is marked", min(n, len(other)), max(n, len(other))),
		list:    []alternative{{admissions: other}},
	}
}
