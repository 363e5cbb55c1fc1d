package document

import (
	"strings"

	"github.com/admsim/admsim/pkg/report"
)

// VariablesGroup is what the variables of a policy share their budget as.
const VariablesGroup = "variables"

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
