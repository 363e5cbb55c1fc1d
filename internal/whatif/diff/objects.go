package diff

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/whatif/fields"
	"github.com/admsim/admsim/internal/whatif/history"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
)

// objectDifferences returns the fields in which two answers differ.
func objectDifferences(base, head *simulator.Result) []document.Difference {
	a, b := stored(base), stored(head)
	if a == nil || b == nil || fields.Same(a, b) {
		return nil
	}
	x, y := comparables(base, head, a, b)
	if bytes.Equal(x, y) {
		return nil
	}
	operations, err := patch.Diff(x, y)
	if err != nil {
		return []document.Difference{{Change: document.DifferentObject, Base: string(x), Head: string(y)}}
	}
	setters := history.Between(base, head)
	all := make([]document.Difference, len(operations))
	for i, o := range operations {
		all[i] = document.Difference{
			Change: document.DifferentObject,
			What:   fields.Anywhere(o.Path),
			By:     setters.Of(o),
			Base:   string(o.Old),
			Head:   string(o.Value),
		}
	}
	return all
}

// comparables returns the objects a and b of two answers without what differs by chance.
func comparables(base, head *simulator.Result, a, b runtime.Object) (x, y []byte) {
	generated := fields.Generated(sent(base), a)
	return fields.Unhashed(fields.Comparable(a, generated), sent(base)), fields.Unhashed(fields.Comparable(b, generated), sent(head))
}

// sent returns the object as the author of the request sent it.
func sent(r *simulator.Result) runtime.Object {
	if len(r.Admissions) == 1 {
		return r.Admissions[0].Request.Object
	}
	return nil
}

// stored returns the resulting object of a request.
func stored(r *simulator.Result) runtime.Object {
	if len(r.Admissions) == 1 {
		return r.Admissions[0].Object
	}
	return r.Object
}
