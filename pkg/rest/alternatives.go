package rest

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/trace"
)

// alternatives are what the server may do instead, and why that is not determined.
type alternatives struct {
	because string
	list    []alternative
}

// An alternative is another way to come to an end.
type alternative struct {
	admissions []trace.Admission
	denial     *metav1.Status // nil: the same answer

	// Of the answer where says is set; else they are the same.
	says        bool
	warnings    []string
	annotations map[string]string
}

// alternativesTo are those to the last step of a request that it denies. Earlier are the warnings before it.
func (x *exchange) alternativesTo(step *trace.Step, earlier []string) (a alternatives) {
	did := step.Did()
	a.because = did.Undetermined
	for i, h := range did.Alternatives {
		now := *x.admission()
		now.Verdict.Status = h.Denial
		now.Steps = slices.Clone(now.Steps)
		last := &now.Steps[len(now.Steps)-1]
		last.Outcome, last.Because, last.Source, last.Hint, last.Denial = trace.Denied, h.Because, h.Source, h.Hint, h.Denial
		if h.Outcome != "" {
			last.Outcome = h.Outcome
		}
		admissions := append(slices.Clone(x.admissions[:len(x.admissions)-1]), now)
		one := alternative{admissions: admissions, denial: h.Denial}
		if did.Otherwise != nil {
			one.says = true
			one.warnings, one.annotations = x.otherwise(earlier, did, did.Otherwise[i])
		}
		a.list = append(a.list, one)
	}
	return a
}

// otherwise are the warnings and audit annotations of an answer whose last step has other effects than it had.
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
	return x.told(&warnings), annotations.Map()
}

// without leaves out the denials that are such errors, with which the request would go on.
func (a alternatives) without(such func(error) bool) alternatives {
	a.list = slices.DeleteFunc(slices.Clone(a.list), func(one alternative) bool {
		return one.denial != nil && isError(one.denial, such)
	})
	return a
}

// of are the answers that may be given instead of r.
func (a alternatives) of(r Response) (because string, all []Response) {
	for _, one := range a.list {
		other := r
		other.Admissions = one.admissions
		if one.says {
			other.Warnings, other.AuditAnnotations = one.warnings, one.annotations
		}
		if one.denial != nil {
			other.Code, other.Object, other.Text = httpCode(one.denial), written(one.denial), ""
		}
		because, all = a.because, append(all, other)
	}
	return because, all
}

// isOutdated reports whether the server's cache still has a pod as it was before it was marked, as a rule or, of one
// of a collection, in the answer that is followed.
func (r *removal) isOutdated(asRule bool) bool {
	if r.req.Name == "" {
		if times, known := r.course.Seen("admissions." + r.name); known {
			return len(times) == 3
		}
	}
	return asRule
}

// cacheMayBe notes what else the server may do when it deletes a pod at once. It tries that on the object that its
// cache has. If the cache is behind, which behind tells of this answer, that is still the object as it was before
// it was marked, which is admitted once more before the server reads the one that is stored:
// kubernetes/apiserver:pkg/registry/generic/registry/store.go, Delete.
func (r *removal) cacheMayBe(behind bool) {
	if r.unasked {
		return
	}
	if r.req.Name == "" { // of many objects each may be admitted more or less often, which is too many ways to show
		r.course.Loosen("the server admits the deletion of each pod 2 or 3 times: once more if its cache does not show yet that the pod is marked")
		return
	}
	n := len(r.admissions)
	last, outdated := r.admissions[n-1], r.admissions[n-2]
	other := append(slices.Clone(r.admissions[:n-1]), outdated, last)
	if behind {
		other = append(slices.Clone(r.admissions[:n-2]), last)
	}
	r.alternatives = alternatives{
		because: fmt.Sprintf("the server admits the deletion %d or %d times: once more if its cache does not show yet that the pod is marked", min(n, len(other)), max(n, len(other))),
		list:    []alternative{{admissions: other}},
	}
}
