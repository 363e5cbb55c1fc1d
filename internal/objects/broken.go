package objects

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/rules"
)

// BrokenRules tells which rules of its CRD obj was refused for, where it was for errs. old is what
// it was to replace, nil on create. There are none for built-in kinds.
func (t *Types) BrokenRules(obj, old runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule {
	if k, ok := t.kindOf(obj, w).(Custom); ok {
		return k.BrokenRules(obj, old, w, errs)
	}
	return nil
}

// BrokenSchema tells what of the schema of its CRD obj was refused for, where it was for errs:
// types, required fields, enum, maximum and the like. There is none for built-in kinds.
func (t *Types) BrokenSchema(obj runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule {
	if k, ok := t.kindOf(obj, w).(Custom); ok {
		return k.BrokenSchema(obj, w, errs)
	}
	return nil
}
