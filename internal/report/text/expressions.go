package text

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/report/words"
	"github.com/admsim/admsim/pkg/report"
)

// maxValue is how many characters of a value or an expression are shown, unless verbose.
const maxValue = 200

// expressions writes the results of the expressions of a policy: those that decided, unless the hook already shows
// them, and the variables, which exist only if they were requested. If verbose, it writes all of them, with their
// costs.
func (t *stepsText) expressions(h report.Hook) {
	why := t.why(h)
	for _, e := range h.Expressions {
		said := e.Error != "" && strings.Contains(why, e.Error)
		if t.verbose || document.BudgetOf(e.Field) == document.VariablesGroup || !document.Holds(e) && !said {
			t.expression(e)
		}
	}
	if t.verbose && len(h.Costs) > 0 {
		parts := make([]string, len(h.Costs))
		for i, c := range h.Costs {
			parts[i] = fmt.Sprintf("%s %d of %d", c.Of, c.Cost, c.Budget)
		}
		t.paragraph(changeIndent, t.faint, "cost: "+strings.Join(parts, ", "))
	}
}

func (t *stepsText) expression(e report.Expression) {
	what, name := document.HeadOf(e)
	head := strings.TrimSpace(what + " " + name)
	variable := document.BudgetOf(e.Field) == document.VariablesGroup
	text, colour := head+" = "+t.short(string(e.Value)), t.faint
	switch {
	case e.Error != "":
		text, colour = head+" fails: "+t.short(words.OneLine(e.Error)), t.bad
	case what != e.Field:
		text, colour = head, t.bad
	case !document.Holds(e) && e.Name != "" && !variable:
		text, colour = head+" does not hold", t.bad
	case !document.Holds(e):
		colour = t.bad
	}
	if t.verbose && e.Budget > 0 {
		text += fmt.Sprintf(" (cost %d)", e.Cost)
	}
	t.paragraph(changeIndent, colour, text)
	if !variable && e.Expression != "" && !strings.Contains(e.Error, e.Expression) {
		t.paragraph(changeIndent+2, t.faint, t.short(words.OneLine(e.Expression)))
	}
}

func (t *stepsText) short(text string) string {
	if characters := []rune(text); !t.verbose && len(characters) > maxValue {
		return string(characters[:maxValue]) + "…"
	}
	return text
}
