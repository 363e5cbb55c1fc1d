package document

import (
	"cmp"
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

// HeadOf returns the words before the result of an expression: its place in the policy or webhook, and its name. A part
// of the schema of a CRD, which is only shown if an object broke it, is followed by the name of the field in the object.
func HeadOf(e report.Expression) (what, name string) {
	isRule := BudgetOf(e.Field) == "x-kubernetes-validations"
	if !isRule && strings.Contains(e.Field, "[") {
		return e.Field, e.Name
	}
	if what = "schema"; isRule {
		what = "rule"
	}
	if e.Error == "" {
		what += " broken by"
	} else {
		what += " for"
	}
	return what, cmp.Or(e.Name, "the object")
}

// Holds reports whether an expression does not object to the request.
func Holds(e report.Expression) bool { return e.Error == "" && string(e.Value) != "false" }
