package rest

import (
	"fmt"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/admsim/admsim/internal/objects"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// brokenRules returns the parts of the schema of its CRD, and then the rules in it, because of which a custom resource
// is refused with errs; nil if reasons are not requested. The rules decide like policies, and are shown in the same
// way.
func (x *exchange) brokenRules(object, old runtime.Object, w objects.Write, errs field.ErrorList) (hooks []trace.Hook) {
	if !x.server.Explain || x.resource.CRD == nil {
		return nil
	}
	name := x.resource.CRD.Name
	crd, _ := x.state.Find(cluster.Key{GroupKind: apiextensionsv1.Kind("CustomResourceDefinition"), Name: name})
	broken := append(x.server.Types.BrokenSchema(object, w, errs), x.server.Types.BrokenRules(object, old, w, errs)...)
	for i, rule := range broken {
		hooks = append(hooks, trace.Hook{
			Configuration: name,
			ID:            fmt.Sprintf("%s/%s", name, rule.Path),
			Source:        crd.PlaceOf(rule.Path),
			Index:         i,
			Outcome:       trace.Denied,
			Because:       rule.Message,
			Resource:      x.req.Resource,
			Kind:          x.resource.Kind,
			Expressions:   []trace.Expression{brokenRule(rule)},
			Start:         x.elapsed,
		})
	}
	return hooks
}

func brokenRule(r *objects.BrokenRule) trace.Expression {
	e := trace.Expression{Field: "schema", Name: r.Fields[0], Text: r.Rule, Value: "false", Message: r.Message}
	if i := strings.LastIndex(r.Path, rulesField); i >= 0 {
		e.Field = r.Path[i:]
	} else if r.Rule != "" {
		e.Field = r.Path[strings.LastIndexByte(r.Path, '.')+1:]
	}
	if e.Name == wholeObject {
		e.Name = ""
	}
	if more := len(r.Fields) - 1; more > 0 {
		e.Name += fmt.Sprintf(" and %d more", more)
	}
	if r.Error != "" {
		e.Value, e.Error = "", r.Error
	}
	return e
}

const rulesField = "x-kubernetes-validations"

// wholeObject is the field in errors about the whole object.
const wholeObject = "<nil>"
