package history

import (
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/patch"
	"github.com/admsim/admsim/pkg/simulator"
)

// Setters knows who set the fields that differ between two answers.
type Setters struct{ base, head *History }

// Between returns the setters of the fields that differ between base and head.
func Between(base, head *simulator.Result) Setters {
	history := func(r *simulator.Result) *History {
		if len(r.Admissions) != 1 {
			return nil
		}
		h, err := New(nil, r.Admissions[0])
		if err != nil {
			return nil
		}
		return h
	}
	return Setters{history(base), history(head)}
}

// Of returns who set the field of an operation in head, who removed it there, or who set it in base.
func (s Setters) Of(o patch.Operation) document.Actor {
	if o.Op == "remove" {
		if s.head != nil {
			for _, r := range s.head.removed {
				if r.Path == o.Path {
					return r.By.Actor
				}
			}
		}
		return s.base.setter(o.Path)
	}
	return s.head.setter(o.Path)
}

func (h *History) setter(path string) document.Actor {
	if h == nil {
		return document.Actor{}
	}
	if n := h.root.at(path); n != nil {
		by := n.by
		if by.Plugin == "" && by.Sort != document.ByServer {
			by.Plugin = string(by.Sort)
		}
		return by.Actor
	}
	return document.Actor{}
}
