// Package blame finds out who set which field of the object of a request: its author, the server's defaults, a plugin,
// a webhook or a policy.
//
// Start with [New].
package blame

import (
	"errors"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/whatif"
	"github.com/admsim/admsim/internal/whatif/history"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Blame says who set what in an object.
type Blame struct {
	Request document.Sample
	Denied  string // why the request is denied; the object is as it was then
	Object  document.Field
	Removed []document.RemovedField // in the order in which they were removed
}

// New finds out who set the fields of the object of a request.
func New(asked world.Asked, result *simulator.Result) (*Blame, error) {
	if len(result.Admissions) == 0 {
		return nil, asked.NotAdmitted(result)
	}
	if len(result.Admissions) > 1 {
		return nil, errors.New("the request is about several objects")
	}
	h, err := history.New(asked.API.Body, result.Admissions[0])
	if err != nil {
		return nil, err
	}
	// The answer may be something else, such as the status of a binding.
	if o, answer := result.Admissions[0].Object, result.Object; o != nil && answer != nil && o.GetObjectKind().GroupVersionKind() == answer.GetObjectKind().GroupVersionKind() {
		if err := h.To(answer, document.Setter{Sort: document.ByServer}); err != nil {
			return nil, err
		}
	}
	return &Blame{
		Request: traffic.Request{Written: &asked.From}.Sample(asked),
		Denied:  whatif.Message(result),
		Object:  h.Object(),
		Removed: h.Removed(),
	}, nil
}
