package text

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/internal/suite/outcome"
)

// AnswersText returns how the answers of a case came about, as admsim run shows it.
func AnswersText(c outcome.Case, o document.Options) (string, error) {
	var b strings.Builder
	for i, a := range c.Answers {
		result, err := a.Show()
		if err != nil {
			return "", fmt.Errorf("case %s: %w", c.FullName(), err)
		}
		if a.Label != "" {
			if i > 0 {
				b.WriteString("\n")
			}
			fmt.Fprintf(&b, "# %s\n", a.Label)
		}
		if err := (&text{w: &b, options: document.Options{Verbose: o.Verbose}}).Result(result); err != nil {
			return "", err
		}
	}
	return b.String(), nil
}
