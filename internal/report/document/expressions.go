package document

import (
	"strings"

	"github.com/admsim/admsim/pkg/report"
)

// VariablesGroup is the budget that the variables of a policy share.
const VariablesGroup = "variables"

// BudgetOf returns the budget that an expression shares with others. A mutation has its own.
func BudgetOf(field string) string {
	list, _, _ := strings.Cut(field, "[")
	if list == "mutations" {
		item, _, _ := strings.Cut(field, "]")
		return item + "]"
	}
	return list
}

// Holds reports whether an expression does not object to the request.
func Holds(e report.Expression) bool { return e.Error == "" && string(e.Value) != "false" }
