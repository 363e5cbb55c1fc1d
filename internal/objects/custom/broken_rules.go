// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go

package custom

import (
	"cmp"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects/customrules"
	"github.com/admsim/admsim/internal/objects/rules"
)

// BrokenRules returns the rules of its CRD for which obj was refused, where errs are about them. old is the object to
// be replaced, nil on create.
func (k *Kind) BrokenRules(obj, old runtime.Object, w rules.Write, errs field.ErrorList) (all []*rules.BrokenRule) {
	if slices.ContainsFunc(errs, func(e *field.Error) bool { return e.Detail == rulesNotChecked }) {
		return nil
	}
	u := obj.(*unstructured.Unstructured)
	v := k.version(u, w)
	compiled := v.rules()
	if compiled == nil {
		return nil
	}
	var faults []customrules.Fault
	if before, ok := old.(*unstructured.Unstructured); ok {
		faults = faultsOf(compiled, u, before, v.correlate(u, before))
	} else {
		faults = faultsOf(compiled, u, nil, nil)
	}
	seen := map[*customrules.Rule]*rules.BrokenRule{}
	for _, fault := range faults {
		if fault.Rule == nil || fault.Tolerated {
			continue
		}
		r := seen[fault.Rule]
		if r == nil {
			r = &rules.BrokenRule{Path: fault.Rule.Path, Rule: fault.Rule.Rule, Message: strings.TrimSpace(fault.Rule.Message)}
			seen[fault.Rule] = r
			all = append(all, r)
		}
		r.Fields = append(r.Fields, fault.Field)
		r.Error = cmp.Or(r.Error, fault.Cause)
	}
	return all
}
