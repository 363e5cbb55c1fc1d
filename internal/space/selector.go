package space

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/admsim/admsim/internal/space/diagram"
)

// A selector is a selector of a hook, as requirements on single labels.
type selector struct {
	selects  string // "labels", everything, nothing, or unreadable
	demands  labels.Requirements
	verdicts map[selection]verdict // earlier results
}

const (
	byLabels   = "labels"
	everything = "everything"
	nothing    = "nothing"
	unreadable = "unreadable" // it does not parse (W-095)
)

// A selection is what a selector is applied to.
type selection struct {
	source source
	named  bool // the labels are those of a namespace
}

func newSelector(s *metav1.LabelSelector) selector {
	made := selector{verdicts: map[selection]verdict{}}
	compiled, err := metav1.LabelSelectorAsSelector(s)
	switch {
	case err != nil:
		made.selects = unreadable
	case s == nil:
		made.selects = nothing
	case compiled.Empty():
		made.selects = everything
	default:
		made.selects = byLabels
		made.demands, _ = compiled.Requirements()
	}
	return made
}

// labelled returns for which requests to an endpoint a selector selects the labels of a subject.
func (b *regionBuilder) labelled(e *Endpoint, of subject, s *selector) verdict {
	from := e.source(of)
	switch {
	case from == notAsked:
		return always
	case s.selects == unreadable:
		return broken
	case s.selects == everything:
		return always
	case from == missing:
		return broken
	case from == nowhere || s.selects == nothing:
		return never
	}
	key := selection{from, e.isNamespace()}
	v, ok := s.verdicts[key]
	if !ok {
		if from == stored {
			v = b.ofStored(s.demands)
		} else {
			v.yes = b.all(s.demands, func(r labels.Requirement) diagram.Set { return b.demand(r, from, e.isNamespace()) })
		}
		v.no = b.diagrams.Not(v.yes)
		s.verdicts[key] = v
	}
	return v
}

// ofStored returns the verdict for the namespace of the request, as stored in the cluster.
func (b *regionBuilder) ofStored(demands labels.Requirements) verdict {
	return verdict{yes: b.diagrams.Choose(b.namespaces.variable, func(value int) diagram.Set {
		p := &b.places[value]
		return b.all(demands, func(r labels.Requirement) diagram.Set {
			switch {
			case p.exists:
				return decided(r.Matches(labels.Set(p.labels[b.world])))
			case b.isName(b.world, r.Key()):
				return decided(r.Matches(labels.Set{r.Key(): p.names[0]}))
			}
			return b.demand(r, stored, false)
		})
	})}
}

func decided(is bool) diagram.Set {
	if is {
		return diagram.All
	}
	return diagram.None
}

// all returns where all requirements are met.
func (s *Space) all(demands labels.Requirements, met func(labels.Requirement) diagram.Set) diagram.Set {
	all := diagram.All
	for i := len(demands) - 1; i >= 0; i-- {
		all = s.diagrams.And(met(demands[i]), all)
	}
	return all
}

// demand returns where a requirement on a label is met. A namespace has its name as a label.
func (b *regionBuilder) demand(r labels.Requirement, from source, ofNamespace bool) diagram.Set {
	if ofNamespace && r.Key() == corev1.LabelMetadataName && b.isName(b.world, r.Key()) {
		return b.diagrams.Choose(b.namespaces.variable, func(value int) diagram.Set {
			return decided(r.Matches(labels.Set{r.Key(): b.places[value].names[0]}))
		})
	}
	d := b.label(from, r.Key())
	return b.diagrams.Choose(d.variable, func(value int) diagram.Set {
		return decided(r.Matches(b.Space.labelled(r.Key(), value)))
	})
}
