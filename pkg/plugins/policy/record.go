package policy

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/admsim/admsim/internal/params"
	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/trace"
)

// record returns the record of a choice with one param, without an outcome.
func (c choice[E]) record(param runtime.Object) trace.Hook {
	r := trace.Hook{
		Configuration: c.hook.name,
		ID:            c.hook.name,
		Source:        c.hook.object.Source,
		Index:         c.index,
		Decided:       c.decided,
		Resource:      c.result.Resource,
		Kind:          c.result.Kind,
		PolicyRule:    trace.NoRule,
		BindingRule:   c.bound,
		Param:         params.Text(param),
	}
	if c.result.Applies {
		r.PolicyRule = c.result.Rule
	}
	if c.binding != nil {
		r.Name = c.binding.name
		r.ID = strings.TrimSuffix(fmt.Sprintf("%s/%s/%s", c.hook.name, c.binding.name, r.Param), "/")
	}
	return r
}

// refused returns the record of a choice that ended the request regardless of its failurePolicy.
func (c choice[E]) refused(req admission.Request, status *metav1.Status) trace.Hook {
	r := c.record(nil)
	r.Outcome, r.Denial, r.Because, r.Start = trace.Denied, status, status.Message, req.Elapsed
	return r
}

// text names a choice in a reason.
func (c choice[E]) text() string {
	if c.binding == nil {
		return "policy " + c.hook.name
	}
	return fmt.Sprintf("policy %s with binding %s", c.hook.name, c.binding.name)
}

// unmet returns the outcome of a policy that its match conditions exclude: a false condition outweighs errors, which
// are otherwise ignored here (W-121).
func unmet(e expression.Evaluation) trace.Outcome {
	if _, is := e.False(); is {
		return trace.Skipped
	}
	return trace.FailedOpen
}

// variablesOf returns the values of a policy's variables as if each was used.
func variablesOf(ctx context.Context, s *expression.Scope, in expression.Input) []trace.Expression {
	var list []trace.Expression
	for i, v := range s.Variables(ctx, in) {
		x := trace.Expression{
			Field:  fmt.Sprintf("variables[%d].expression", i),
			Name:   v.Name,
			Text:   v.Expression,
			Value:  v.JSON,
			Cost:   v.Cost,
			Budget: expression.Budget,
		}
		if v.Err != nil {
			x.Error = v.Err.Error()
		}
		list = append(list, x)
	}
	return list
}

// changeText returns the change that a mutation asks for, as JSON.
func changeText(c expression.Change) string {
	if c.Patch != nil {
		return string(c.Patch)
	}
	text, err := json.Marshal(c.Configuration)
	if err != nil {
		return ""
	}
	return string(text)
}

// jsonText returns a bool, a string or nil as JSON.
func jsonText(value any) string {
	switch value {
	case true:
		return "true"
	case false:
		return "false"
	case nil:
		return "null"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprintf("%q", fmt.Sprint(value))
	}
	return string(text)
}
