package space

import (
	"slices"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"

	"github.com/admsim/admsim/internal/space/diagram"
)

// NullFailures returns the operations for which an expression of a hook fails for every request that reaches it, because
// it reads an object that these requests do not have: the object of a DELETE, or the old object of a CREATE or CONNECT.
// The conditions of h are those that may exclude requests before; its params are not looked at.
func (s *Space) NullFailures(world int, h *Hook, expression string) (failing []admissionv1.Operation) {
	before := *h
	before.ParamKind, before.ParamRef, before.FailurePolicy = nil, nil, nil
	alone := before
	alone.Conditions = []admissionregistrationv1.MatchCondition{{Name: "expression", Expression: expression}}
	reaching, evaluating := s.builder(world, &before), s.builder(world, &alone)
	x, d := s.parsed(expression), s.diagrams
	for _, o := range operations {
		if null := nullIn(o.is); null == "" || !x.Mentions(null) {
			continue
		}
		var reached bool
		fails := !slices.ContainsFunc(s.servedBy(world), func(e *Endpoint) bool {
			if e.Operation != o.is {
				return false
			}
			asked, refused, _, _ := reaching.endpoint(e)
			reaches := d.Or(asked, refused)
			reached = reached || reaches != diagram.None
			_, _, failed, _ := evaluating.endpoint(e)
			return d.Minus(reaches, failed) != diagram.None
		})
		if fails && reached {
			failing = append(failing, o.is)
		}
	}
	return failing
}

// nullIn returns the variable that is null for an operation; "" if there is none.
func nullIn(o admissionv1.Operation) string {
	switch o {
	case admissionv1.Create, admissionv1.Connect:
		return "oldObject"
	case admissionv1.Delete:
		return "object"
	}
	return ""
}
