package outcome

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/report/words"
)

// String counts cases, failures first, and leaves out counts of zero.
func (s Summary) String() string {
	var parts []string
	for _, one := range []struct {
		n    int
		what string
	}{{s.Failed, "failed"}, {s.Errored, "with errors"}, {s.Passed, "passed"}, {s.Skipped, "skipped"}} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "no cases")
	}
	if s.Problems > 0 {
		parts = append(parts, words.Plural(s.Problems, "problem")+" of suites")
	}
	return strings.Join(parts, ", ")
}
