package space

import (
	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
)

// NullFailures returns the operations for which an expression of a hook fails for every request that reaches it, because
// it reads an object that these requests do not have: the object of a DELETE, or the old object of a CREATE or CONNECT.
// The conditions of h are those that may exclude requests before; its params are not looked at.
func (s *Space) NullFailures(world int, h *Hook, expression string) (failing []admissionv1.Operation) {
	x := s.parsed(expression)
	if !x.Mentions("object") && !x.Mentions("oldObject") {
		return nil
	}
	before := *h
	before.ParamKind, before.ParamRef, before.FailurePolicy = nil, nil, nil
	alone := before
	alone.Conditions = []admissionregistrationv1.MatchCondition{{Name: "expression", Expression: expression}}
	r := s.Region(world, &before)
	reaching := s.Or(r.Asked, r.Refused)
	evaluated := s.Minus(reaching, s.Region(world, &alone).Failed)
	for _, o := range operations {
		of := func(e *Endpoint) bool { return e.Operation == o.is }
		if null := NullIn(o.is); null != "" && x.Mentions(null) && !s.Where(reaching, of).IsEmpty() && s.Where(evaluated, of).IsEmpty() {
			failing = append(failing, o.is)
		}
	}
	return failing
}

// NullIn returns the variable that is null for an operation; "" if there is none.
func NullIn(o admissionv1.Operation) string {
	switch o {
	case admissionv1.Create, admissionv1.Connect:
		return "oldObject"
	case admissionv1.Delete:
		return "object"
	}
	return ""
}
