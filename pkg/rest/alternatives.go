package rest

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

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
}

// alternativesTo are those to the last step of a request that it denies.
func (x *exchange) alternativesTo(step *trace.Step) (a alternatives) {
	did := step.Did()
	a.because = did.Undetermined
	for _, h := range did.Alternatives {
		now := *x.admission()
		now.Verdict.Status = h.Denial
		now.Steps = slices.Clone(now.Steps)
		last := &now.Steps[len(now.Steps)-1]
		last.Outcome, last.Because, last.Source, last.Hint, last.Denial = trace.Denied, h.Because, h.Source, h.Hint, h.Denial
		if h.Outcome != "" {
			last.Outcome = h.Outcome
		}
		admissions := append(slices.Clone(x.admissions[:len(x.admissions)-1]), now)
		a.list = append(a.list, alternative{admissions, h.Denial})
	}
	return a
}

// without leaves out the denials that are such errors, with which the request would go on.
func (a alternatives) without(such func(error) bool) alternatives {
	a.list = slices.DeleteFunc(slices.Clone(a.list), func(one alternative) bool {
		return one.denial != nil && isError(one.denial, such)
	})
	return a
}

// of are the answers that may be given instead of r. Their warnings and audit annotations are those of r.
func (a alternatives) of(r Response) (because string, all []Response) {
	for _, one := range a.list {
		other := r
		other.Admissions = one.admissions
		if one.denial != nil {
			other.Code, other.Object, other.Text = httpCode(one.denial), written(one.denial), ""
		}
		because, all = a.because, append(all, other)
	}
	return because, all
}

// cacheMayBe notes what else the server may do when it deletes a pod at once. It tries that on the object that its
// cache has. If the cache is behind, which behind tells of this answer, that is still the object as it was before
// it was marked, which is admitted once more before the server reads the one that is stored:
// kubernetes/apiserver:pkg/registry/generic/registry/store.go, Delete.
func (r *removal) cacheMayBe(behind bool) {
	if r.unasked || r.req.Name == "" { // of many objects, each may be admitted more or less often
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
