package lines

import (
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/words"
)

// Title is what a sort of differences is called.
func (k *Kind) Title() string {
	if k.DeniedBy != "" {
		return words.Join("newly denied by "+k.DeniedBy, k.Source)
	}
	return strings.TrimSpace(string(k.What) + " " + k.Path)
}

// KindsInOrder are the names of the sorts of differences as they are shown: those of verdicts first, which no number of
// others is to hide, and of either the most frequent first.
func (s Summary) KindsInOrder() []string {
	names := words.ByCount(s.Kinds, func(k *Kind) int { return k.Requests })
	slices.SortStableFunc(names, func(a, b string) int { return rankOf(s.Kinds[a]) - rankOf(s.Kinds[b]) })
	return names
}

func rankOf(k *Kind) int {
	if k.What == Allowed {
		return 0
	}
	return 1
}
