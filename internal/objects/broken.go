package objects

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// BrokenRules tells which rules of its CRD obj was refused for, where it was for errs. old is what
// it was to replace, nil on create. There are none for built-in kinds.
func (t *Types) BrokenRules(obj, old runtime.Object, w Write, errs field.ErrorList) []*BrokenRule {
	if k, ok := t.kindOf(obj, w).(*custom); ok {
		return k.brokenRules(obj, old, w, errs)
	}
	return nil
}

// BrokenSchema tells what of the schema of its CRD obj was refused for, where it was for errs:
// types, required fields, enum, maximum and the like. There is none for built-in kinds.
func (t *Types) BrokenSchema(obj runtime.Object, w Write, errs field.ErrorList) []*BrokenRule {
	if k, ok := t.kindOf(obj, w).(*custom); ok {
		return k.brokenSchema(obj, w, errs)
	}
	return nil
}
