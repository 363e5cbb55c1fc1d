package scenario

import (
	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/manifest"
)

// A Bag holds what was loaded, sorted by purpose.
type Bag struct {
	Objects  []manifest.Manifest // of the cluster
	Backends Backends
	Requests []Request
	Faults   []fault.Rule // between clients and admsim serve
}

// Sort sorts what was loaded into documents of kind Backends and Faults; requests, which are documents of kind Request,
// AdmissionReviews and AdmissionRequests; and objects of the cluster, which is everything else. Suites are left out.
// The error is an [Errors].
func Sort(found []manifest.Manifest, o manifest.Options) (Bag, error) {
	var b Bag
	var errs manifest.Errors
	for i := range found {
		errs.Guard(found[i].Source, func() { b.add(&found[i], o, &errs) })
	}
	return b, errs.Err()
}

func (b *Bag) add(m *manifest.Manifest, o manifest.Options, errs *manifest.Errors) {
	switch manifest.KindOfForm(m, errs) {
	case manifest.ObjectForm:
		b.Objects = append(b.Objects, *m)
	case manifest.BackendsForm:
		readBackends(m, &b.Backends, errs)
	case manifest.FaultsForm:
		b.Faults = append(b.Faults, readFaults(m, errs)...)
	case manifest.RequestForm:
		if r, ok := readRequest(m, o, errs); ok {
			b.Requests = append(b.Requests, r)
		}
	case manifest.ReviewForm:
		if r, ok := readReview(m, errs); ok {
			b.Requests = append(b.Requests, r)
		}
	}
}
