// kubernetes/apiextensions-apiserver:pkg/apiserver/schema/cel/validation.go

package custom

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/admsim/admsim/internal/objects/rules"
)

// BrokenRules returns the rules of its CRD for which obj was refused, where errs are about them. old is the object to
// be replaced, nil on create.
//
// The server's library reports errors, but not which rule each comes from: many rules of a schema may have the same
// message, or compute it. So the rules are evaluated again, in a copy of the schema in which the message of each rule
// is its number.
func (k *Kind) BrokenRules(obj, old runtime.Object, w rules.Write, errs field.ErrorList) []*rules.BrokenRule {
	if slices.ContainsFunc(errs, func(e *field.Error) bool { return e.Detail == rulesNotChecked }) {
		return nil
	}
	u := obj.(*unstructured.Unstructured)
	v := k.version(u, w)
	if v.rules() == nil {
		return nil
	}
	n := v.numbered()
	if before, ok := old.(*unstructured.Unstructured); ok {
		return n.broken(v.ask(n.validator, u, before, v.correlate(u, before), nil))
	}
	return n.broken(v.ask(n.validator, u, nil, nil, nil))
}

// numberedRules are the rules of a schema, each with its number as its message.
type numberedRules struct {
	all       []rules.BrokenRule
	validator *cel.Validator
}

// numberRules prepares the rules of a schema that is at path in its CRD.
func numberRules(s *structuralschema.Structural, path string) func() *numberedRules {
	return sync.OnceValue(func() *numberedRules {
		n := &numberedRules{}
		s := s.DeepCopy()
		n.schema(s, path)
		n.validator = cel.NewValidator(s, true, celconfig.PerCallLimit)
		return n
	})
}

func (n *numberedRules) schema(s *structuralschema.Structural, path string) {
	n.rules(s.XValidations, path)
	if s.Items != nil {
		n.schema(s.Items, path+".items")
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		n.schema(&property, fmt.Sprintf("%s.properties[%s]", path, name))
		s.Properties[name] = property
	}
	if additional := s.AdditionalProperties; additional != nil && additional.Structural != nil {
		n.schema(additional.Structural, path+".additionalProperties")
	}
}

func (n *numberedRules) rules(list apiextensionsv1.ValidationRules, path string) {
	for i := range list {
		r := &list[i]
		n.all = append(n.all, rules.BrokenRule{
			Path:    fmt.Sprintf("%s.x-kubernetes-validations[%d].rule", path, i),
			Rule:    r.Rule,
			Message: strings.TrimSpace(r.Message),
		})
		// Some reasons replace the message.
		r.Message, r.MessageExpression, r.Reason = numberMark+strconv.Itoa(len(n.all)-1)+numberMark, "", nil
	}
}

// numberMark encloses the number of a rule. It does not occur in the errors of evaluation itself.
const numberMark = "\x00"

// broken returns the rules that errs are about, with the fields that these name.
func (n *numberedRules) broken(errs field.ErrorList) (all []*rules.BrokenRule) {
	seen := map[int]*rules.BrokenRule{}
	for _, err := range errs {
		parts := strings.Split(err.Detail, numberMark)
		if len(parts) != 3 {
			continue // not about a rule: the budget is exceeded
		}
		i, e := strconv.Atoi(parts[1])
		if e != nil || i >= len(n.all) {
			continue
		}
		if seen[i] == nil {
			rule := n.all[i]
			seen[i] = &rule
		}
		seen[i].Fields = append(seen[i].Fields, err.Field)
		seen[i].Error = cmp.Or(seen[i].Error, strings.TrimSuffix(parts[0], " evaluating rule: ")+parts[2])
	}
	for _, i := range slices.Sorted(maps.Keys(seen)) {
		all = append(all, seen[i])
	}
	slices.SortStableFunc(all, func(a, b *rules.BrokenRule) int { return cmp.Compare(a.Fields[0], b.Fields[0]) })
	return all
}
