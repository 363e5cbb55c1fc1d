package steps

import (
	"encoding/json"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

// Expressions converts evaluations of CEL to the form that is shown.
func Expressions(list []trace.Expression) (shown []report.Expression) {
	for _, e := range list {
		one := report.Expression{
			Field:      e.Field,
			Name:       e.Name,
			Expression: e.Text,
			Message:    e.Message,
			Error:      e.Error,
			Cost:       e.Cost,
			Budget:     e.Budget,
		}
		if json.Valid([]byte(e.Value)) {
			one.Value = json.RawMessage(e.Value)
		}
		shown = append(shown, one)
	}
	return shown
}

// costs returns the costs of expressions by budget. Variables count where they are used; here they are listed because
// they were evaluated once more. The cost of the rules of a CRD is unknown.
func costs(list []trace.Expression) (all []report.Cost) {
	for _, e := range list {
		group := document.BudgetOf(e.Field)
		if group == document.VariablesGroup || e.Budget == 0 && e.Cost == 0 {
			continue
		}
		if n := len(all); n == 0 || all[n-1].Of != group {
			all = append(all, report.Cost{Of: group, Budget: e.Budget})
		}
		all[len(all)-1].Cost += e.Cost
	}
	return all
}
