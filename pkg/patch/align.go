package patch

import "slices"

// A pair says which item of one list became which item of the other. An index of -1 means that there is no such item:
// it was added, or removed.
type pair struct{ before, after int }

// align pairs the items of two lists, in an order in which a walk along both lists reaches them. Items with a name,
// such as containers, are paired only by name. Other items are paired if they are equal; items between two equal ones
// are paired front to front, as changed items.
func align(before, after []any) []pair {
	beforeNames, named := itemNames(before)
	afterNames, alsoNamed := itemNames(after)
	if named && alsoNamed {
		return alignKeys(beforeNames, afterNames, unpaired)
	}
	return alignKeys(itemTexts(before), itemTexts(after), inOrder)
}

// itemNames returns the names of the items, if all of them have one and no two are the same.
func itemNames(items []any) ([]string, bool) {
	names := make([]string, 0, len(items))
	seen := make(map[string]bool, len(items))
	for _, item := range items {
		object, _ := item.(map[string]any)
		name, ok := object["name"].(string)
		if !ok || seen[name] {
			return nil, false
		}
		seen[name] = true
		names = append(names, name)
	}
	return names, true
}

func itemTexts(items []any) []string {
	texts := make([]string, 0, len(items))
	for _, item := range items {
		texts = append(texts, string(encode(item)))
	}
	return texts
}

// A gap is the range between two equal items, in both lists.
type gap struct{ before, beforeEnd, after, afterEnd int }

// inOrder pairs the items of a gap as changed items; items left over at the end were removed or added.
func inOrder(g gap) []pair {
	var pairs []pair
	for ; g.before < g.beforeEnd && g.after < g.afterEnd; g.before, g.after = g.before+1, g.after+1 {
		pairs = append(pairs, pair{g.before, g.after})
	}
	return append(pairs, unpaired(g)...)
}

// unpaired treats the items of a gap as removed and added.
func unpaired(g gap) []pair {
	var pairs []pair
	for ; g.before < g.beforeEnd; g.before++ {
		pairs = append(pairs, pair{g.before, -1})
	}
	for ; g.after < g.afterEnd; g.after++ {
		pairs = append(pairs, pair{-1, g.after})
	}
	return pairs
}

func alignKeys(before, after []string, fill func(gap) []pair) []pair {
	var pairs []pair
	b, a := 0, 0
	end := pair{len(before), len(after)}
	for _, equal := range append(commonItems(before, after), end) {
		pairs = append(pairs, fill(gap{b, equal.before, a, equal.after})...)
		if equal != end {
			pairs = append(pairs, equal)
		}
		b, a = equal.before+1, equal.after+1
	}
	return pairs
}

// maxCells limits the table of commonItems. Lists that differ in more than a thousand places are compared item by item
// instead.
const maxCells = 1 << 20

// commonItems returns the longest sequence of items that both lists have in the same order.
func commonItems(before, after []string) []pair {
	var head, tail []pair
	b, a := 0, 0
	for b < len(before) && a < len(after) && before[b] == after[a] {
		head = append(head, pair{b, a})
		b, a = b+1, a+1
	}
	bEnd, aEnd := len(before), len(after)
	for bEnd > b && aEnd > a && before[bEnd-1] == after[aEnd-1] {
		bEnd, aEnd = bEnd-1, aEnd-1
		tail = append(tail, pair{bEnd, aEnd})
	}
	slices.Reverse(tail)
	for _, p := range longestCommon(before[b:bEnd], after[a:aEnd]) {
		head = append(head, pair{b + p.before, a + p.after})
	}
	return append(head, tail...)
}

func longestCommon(before, after []string) []pair {
	rows, columns := len(before)+1, len(after)+1
	if rows*columns > maxCells {
		return nil
	}
	// length[b*columns+a] is the length of the longest common sequence of before[b:] and after[a:].
	length := make([]int, rows*columns)
	for b := len(before) - 1; b >= 0; b-- {
		for a := len(after) - 1; a >= 0; a-- {
			if before[b] == after[a] {
				length[b*columns+a] = length[(b+1)*columns+a+1] + 1
			} else {
				length[b*columns+a] = max(length[(b+1)*columns+a], length[b*columns+a+1])
			}
		}
	}
	var pairs []pair
	for b, a := 0, 0; b < len(before) && a < len(after); {
		switch {
		case before[b] == after[a]:
			pairs = append(pairs, pair{b, a})
			b, a = b+1, a+1
		case length[(b+1)*columns+a] > length[b*columns+a+1]:
			b++
		default:
			a++
		}
	}
	return pairs
}
