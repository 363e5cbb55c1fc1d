package lines

import (
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/report/words"
)

// Title returns the title of a kind of difference.
func (k *Kind) Title() string {
	if k.DeniedBy != "" {
		return words.Join("newly denied by "+k.DeniedBy, k.Source)
	}
	if k.What == Allowed && k.Samples[0].Recorded == "false" {
		return "newly allowed"
	}
	return strings.TrimSpace(string(k.What) + " " + k.Path)
}

// KindsInOrder returns the keys of Kinds in the order in which they are shown: verdicts first, however many other
// differences there are, and the most frequent first within each group.
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
