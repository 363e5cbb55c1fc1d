package objects

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// BrokenRules returns the rules of its CRD for which obj was refused, where errs are about them. old is the object to
// be replaced, nil on create. Built-in kinds have none.
func (t *Types) BrokenRules(obj, old runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule {
	if k, ok := t.kindOf(obj, w).(Custom); ok {
		return k.BrokenRules(obj, old, w, errs)
	}
	return nil
}

// BrokenSchema returns the parts of its CRD's schema for which obj was refused, where errs are about them: types,
// required fields, enum, maximum and the like. Built-in kinds have none.
func (t *Types) BrokenSchema(obj runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule {
	if k, ok := t.kindOf(obj, w).(Custom); ok {
		return k.BrokenSchema(obj, w, errs)
	}
	return nil
}
