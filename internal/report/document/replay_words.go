package document

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/replay"
	"github.com/admsim/admsim/internal/report/words"
)

// Percent is cut, not rounded: 100 means all.
func Percent(part, of int) string {
	hundredths := part * 10_000 / of
	return fmt.Sprintf("%d.%02d", hundredths/100, hundredths%100)
}

// KindTitle is what a sort of differences is called.
func KindTitle(k *replay.Kind) string {
	if k.DeniedBy != "" {
		return words.Join("newly denied by "+k.DeniedBy, k.Source)
	}
	return strings.TrimSpace(string(k.What) + " " + k.Path)
}

// KindsInOrder are sorts of differences as they are shown: those of verdicts first, which no number of
// others is to hide, and of either the most frequent first.
func KindsInOrder(kinds map[string]*replay.Kind) []string {
	names := ByCount(kinds, func(k *replay.Kind) int { return k.Requests })
	slices.SortStableFunc(names, func(a, b string) int { return rankOf(kinds[a]) - rankOf(kinds[b]) })
	return names
}

func rankOf(k *replay.Kind) int {
	if k.What == replay.Allowed {
		return 0
	}
	return 1
}

func OrNothing(text string) string {
	if text == "" {
		return "nothing"
	}
	return text
}

func OrNone(name string) string {
	if name == "" {
		return "(none)"
	}
	return name
}

// ByCount are the keys of m, those with the highest count first.
func ByCount[V any](m map[string]V, of func(V) int) []string {
	return slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(of(m[b])-of(m[a]), strings.Compare(a, b))
	})
}
