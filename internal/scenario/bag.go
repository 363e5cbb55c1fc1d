package scenario

import (
	"github.com/admsim/admsim/internal/fault"
)

// A Bag is what was loaded, by what it is for.
type Bag struct {
	Objects  []Manifest // of the cluster
	Backends Backends
	Requests []Request
	Faults   []fault.Rule // between clients and admsim serve
}

// Sort sorts what was loaded: documents of kind Backends and Faults; requests, which are documents
// of kind Request, AdmissionReviews and AdmissionRequests; and objects of the cluster,
// which is everything else. Suites are none of these. The error is an [Errors].
func Sort(found []Manifest, o Options) (Bag, error) {
	var b Bag
	var errs Errors
	for i := range found {
		errs.Guard(found[i].Source, func() { b.add(&found[i], o, &errs) })
	}
	return b, errs.Err()
}

func (b *Bag) add(m *Manifest, o Options, errs *Errors) {
	switch kindOfForm(m, errs) {
	case objectForm:
		b.Objects = append(b.Objects, *m)
	case backendsForm:
		readBackends(m, &b.Backends, errs)
	case faultsForm:
		b.Faults = append(b.Faults, readFaults(m, errs)...)
	case requestForm:
		if r, ok := readRequest(m, o, errs); ok {
			b.Requests = append(b.Requests, r)
		}
	case reviewForm:
		if r, ok := readReview(m, errs); ok {
			b.Requests = append(b.Requests, r)
		}
	}
}
