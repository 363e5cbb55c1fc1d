package document

import (
	"encoding/json"
	"strings"

	"github.com/admsim/admsim/pkg/report"
	"github.com/admsim/admsim/pkg/trace"
)

func expressions(list []trace.Expression) (shown []report.Expression) {
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

const VariablesGroup = "variables"

// costs are what expressions cost by their budgets. Variables count where they are used; as
// listed here they were evaluated once more. What the rules of a CRD cost is not known.
func costs(list []trace.Expression) (all []report.Cost) {
	for _, e := range list {
		group := BudgetOf(e.Field)
		if group == VariablesGroup || e.Budget == 0 && e.Cost == 0 {
			continue
		}
		if n := len(all); n == 0 || all[n-1].Of != group {
			all = append(all, report.Cost{Of: group, Budget: e.Budget})
		}
		all[len(all)-1].Cost += e.Cost
	}
	return all
}

// BudgetOf is what an expression shares its budget with. A mutation has one of its own.
func BudgetOf(field string) string {
	list, _, _ := strings.Cut(field, "[")
	if list == "mutations" {
		item, _, _ := strings.Cut(field, "]")
		return item + "]"
	}
	return list
}

// Holds reports whether an expression has nothing to say against the request.
func Holds(e report.Expression) bool { return e.Error == "" && string(e.Value) != "false" }
