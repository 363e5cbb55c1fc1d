package backends

import (
	"fmt"
	"strings"

	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
)

// Shadowed returns a warning for each backend that never answers, since an earlier one answers for all its webhooks. A
// backend that comes first in the same file, which is named twice, is the same one.
func Shadowed(declared []scenario.Backend) (warnings []*scenario.Error) {
	for i, later := range declared {
		for _, earlier := range declared[:i] {
			if earlier.Source == later.Source { // its file is named twice
				break
			}
			if covers(earlier.Webhook, later.Webhook) {
				warnings = append(warnings, &scenario.Error{
					Source:  later.Source,
					Message: fmt.Sprintf("the backend for %q is never asked: the one for %q in %s comes first", later.Webhook, earlier.Webhook, earlier.Source),
					Hint:    "of several backends for a webhook, the first one answers: drop one of them, or put the other first",
				})
				break
			}
		}
	}
	return warnings
}

// covers reports whether a pattern matches every webhook that another one matches. It may miss that for patterns with
// wildcards in both.
func covers(earlier, later string) bool {
	configuration, name, qualified := strings.Cut(later, "/")
	switch {
	case earlier == later, earlier == "*", earlier == "*/*":
		return true
	case strings.ContainsAny(later, `*?[\`):
		return false
	case qualified:
		return dispatch.Route{Webhook: earlier}.Matches(configuration, name)
	}
	anywhere, inAny := strings.CutPrefix(earlier, "*/")
	return (inAny || !strings.Contains(earlier, "/")) && dispatch.Route{Webhook: anywhere}.Matches("", later)
}
