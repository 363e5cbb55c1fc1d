package gocmp

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// inChunks reports whether a string or a list of numbers is compared piece by piece.
func (o options) inChunks(n *node) bool {
	if o.mode != unknown || n.differs == 0 || n.x == nil || n.y == nil {
		return false
	}
	long := 32
	if o.version < V0_5_8 {
		long = 64
	}
	switch n.x.Kind {
	case String:
		return n.x.Equal == nil && len(n.x.Text) >= long && len(n.y.Text) >= long
	case Slice:
		if !n.hasNumbers() || !o.whole() && (len(n.x.Members) == 0 || len(n.y.Members) == 0) {
			return false
		}
		return n.differs > n.same || len(n.x.Members) >= long && len(n.y.Members) >= long
	}
	return false
}

// hasNumbers reports whether two lists have elements that are numbers or booleans. If both are empty, only their type tells.
func (n *node) hasNumbers() bool {
	members := slices.Concat(n.x.Members, n.y.Members)
	if len(members) > 0 {
		return members[0].Value.Kind == Plain
	}
	return slices.ContainsFunc([]string{"int", "uint", "float", "bool"}, func(kind string) bool {
		return strings.HasPrefix(n.x.Type, "[]"+kind)
	})
}

func elementType(x, y *Value) string {
	if members := slices.Concat(x.Members, y.Members); len(members) > 0 {
		return members[0].Value.Type
	}
	return strings.TrimPrefix(x.Type, "[]")
}

func (o options) chunks(x, y *Value) text {
	if x.Kind == Slice {
		return o.numbers(x, y)
	}
	return o.strings(x, y)
}

// numbers compares lists of numbers.
func (o options) numbers(x, y *Value) text {
	texts := func(v *Value) (all []string) {
		for _, m := range v.Members {
			all = append(all, m.Value.Text)
		}
		return all
	}
	l := pieces(o, texts(x), texts(y), 8, elementType(x, y), func(some []string) item {
		return item{text: line(strings.Join(some, ", "))}
	})
	return o.typed(x, braced(l))
}

// strings compares strings by lines if they have lines, or else by bytes.
func (o options) strings(x, y *Value) text {
	switch isText, hasLines := o.written(x.Text + y.Text); {
	case hasLines && o.byLines(x.Text, y.Text):
		l := pieces(o, strings.Split(x.Text, "\n"), strings.Split(y.Text, "\n"), 1, "line", func(some []string) item {
			return item{text: line(o.quote(some[0]))}
		})
		if tripled, ok := tripleQuoted(l); ok && !o.whole() {
			return wrapped{"(", tripled, ")"}
		}
		return joined(l, "\n")
	case isText:
		return joined(pieces(o, []byte(x.Text), []byte(y.Text), 64, "byte", func(some []byte) item {
			return item{text: line(o.quote(string(some)))}
		}), "")
	}
	l := pieces(o, []byte(x.Text), []byte(y.Text), 16, "byte", dump)
	for i := range l {
		if l[i].left == nil {
			l[i].comment = string(rune(l[i].mode)) + l[i].comment
		}
	}
	return o.named(always).typed(x, braced(l))
}

func joined(l list, separator string) text {
	return wrapped{"strings.Join(", braced(l), fmt.Sprintf(", %q)", separator)}
}

// dump shows bytes as numbers, and those that are ASCII as characters behind them.
func dump(some []byte) item {
	var numbers []string
	var shown strings.Builder
	for _, b := range some {
		numbers = append(numbers, fmt.Sprintf("0x%02x", b))
		if b < ' ' || '~' < b {
			b = '.'
		}
		shown.WriteByte(b)
	}
	return item{text: line(strings.Join(numbers, ", ")), comment: "|" + shown.String() + "|"}
}

// written reports whether a text has no bytes to dump, and whether it is compared by lines.
func (o options) written(s string) (isText, hasLines bool) {
	all, printable, lines, start, longest := 0, 0, 0, 0, 0
	for i, r := range s {
		all++
		if (unicode.IsPrint(r) || unicode.IsSpace(r)) && r != utf8.RuneError {
			printable++
		}
		if r == '\n' {
			longest = max(longest, i-start)
			start = i + 1
			lines++
		}
	}
	isText = printable == all
	hasLines = isText && lines >= 4 && longest <= o.longestLine()
	if o.version >= V0_5_8 {
		isText = float64(printable) > math.Floor(0.90*float64(all))
	}
	return isText, hasLines
}

func (o options) longestLine() int {
	switch o.version {
	case V0_3_0: // its longest line is always empty
		return math.MaxInt
	case V0_4_0:
		return 256
	}
	return 1024
}

// byLines reports whether the difference between lines is not much longer than that between bytes.
func (o options) byLines(x, y string) bool {
	if o.version < V0_5_8 {
		return true
	}
	byLine := effort(strings.Split(x, "\n"), strings.Split(y, "\n"))
	byByte := effort([]byte(x), []byte(y))
	return byLine < 4*byByte || o.version >= V0_5_9 && float64(len(strconv.Quote(x+y)))/float64(len(x)+len(y)) > 1.1
}

// effort returns how many steps of a script change something.
func effort[E comparable](x, y []E) float64 {
	script := scriptOf(x, y)
	changes := 0
	for _, e := range script {
		if e != identity {
			changes++
		}
	}
	return float64(changes) / float64(len(script))
}

func scriptOf[E comparable](x, y []E) []edit {
	return editScript(len(x), len(y), func(i, j int) parts {
		if x[i] == y[j] {
			return parts{same: 1}
		}
		return parts{differs: 2} // so that it is not similar
	})
}

// tripleQuoted returns a list of quoted lines as plain lines between triple quotes, if that is not ambiguous.
func tripleQuoted(quoted list) (list, bool) {
	l := list{{text: line(`"""`), noComma: true}}
	var before, after []string // without white space, of the current difference
	for _, it := range quoted {
		if it.left == nil {
			s, _ := strconv.Unquote(string(it.text.(line))) // quote wrote it
			s = withoutReturns(s)
			if !fitsTriple(s) {
				return nil, false
			}
			bare := strings.Join(strings.Fields(s), "")
			switch it.mode {
			case removed:
				if slices.Contains(after, bare) {
					return nil, false
				}
				before = append(before, bare)
			case inserted:
				if slices.Contains(before, bare) {
					return nil, false
				}
				after = append(after, bare)
			}
			it.text, it.noComma = line(s), true
		}
		if it.mode != removed && it.mode != inserted {
			before, after = nil, nil
		}
		l = append(l, it)
	}
	if last := l[len(l)-1]; last.mode == identical && last.text.length() == 0 {
		l = l[:len(l)-1]
	}
	return append(l, item{text: line(`"""`), noComma: true}), true
}

// pieces compares two lists, and returns their elements in pieces of a size. What is equal and far from a difference is
// only counted.
func pieces[E comparable](o options, x, y []E, size int, name string, show func([]E) item) (l list) {
	groups := withoutGaps(groupedEdits(name, scriptOf(x, y)), size/4)
	if o.version >= V0_5_8 {
		groups = trimmed(groups, x, y)
	}
	add := func(some []E, m mode) {
		for piece := range slices.Chunk(some, size) {
			it := show(piece)
			it.mode = m
			l = append(l, it)
		}
	}
	most, shown := 1<<o.level()<<2, 0
	left := count{name: name}
	for i, g := range groups {
		if shown >= most {
			left = left.plus(g)
			continue
		}
		if g.differing() > 0 {
			had := len(l)
			nx, ny := g.identical+g.removed, g.identical+g.inserted
			add(x[:nx], removed)
			add(y[:ny], inserted)
			x, y = x[nx:], y[ny:]
			shown += len(l) - had
			continue
		}
		first, last := 0, 0
		if i > 0 {
			first = min(size*context, g.identical)
		}
		if i < len(groups)-1 {
			last = min(size*context, g.identical-first)
		}
		if g.identical-first-last <= size {
			last = g.identical - first
		}
		add(x[:first], identical)
		if n := g.identical - first - last; n > 0 {
			l.skip(&count{name: name, identical: n})
		}
		add(x[g.identical-last:g.identical], identical)
		x, y = x[g.identical:], y[g.identical:]
	}
	if left != (count{name: name}) {
		l.skip(&left)
	}
	return l
}

// groupedEdits counts adjacent steps that change something, or that do not.
func groupedEdits(name string, script []edit) (groups []count) {
	for i, e := range script {
		if i == 0 || (e == identity) != (script[i-1] == identity) {
			groups = append(groups, count{name: name})
		}
		switch g := &groups[len(groups)-1]; e {
		case identity:
			g.identical++
		case deletion:
			g.removed++
		case insertion:
			g.inserted++
		}
	}
	return groups
}

// withoutGaps joins differences with at most so many equal elements between them, if something is removed and something
// is inserted.
func withoutGaps(groups []count, most int) (joined []count) {
	for _, g := range groups {
		if n := len(joined); n >= 2 && g.differing() > 0 {
			before, gap := joined[n-2], joined[n-1]
			if (before.removed > 0 || g.removed > 0) && (before.inserted > 0 || g.inserted > 0) && gap.identical <= most {
				joined = append(joined[:n-2], before.plus(gap).plus(g))
				continue
			}
		}
		joined = append(joined, g)
	}
	return joined
}

// trimmed moves equal elements at the ends of a difference into the groups around it.
func trimmed[E comparable](groups []count, x, y []E) []count {
	var lead, trail int // of the first and the last group, where there is nothing to move them to
	name := ""
	for i, g := range groups {
		name = g.name
		if g.differing() == 0 {
			x, y = x[g.identical:], y[g.identical:]
			continue
		}
		nx, ny := g.identical+g.removed, g.identical+g.inserted
		start, end := 0, 0
		for start < min(nx, ny) && x[start] == y[start] {
			start++
		}
		for end < min(nx, ny)-start && x[nx-1-end] == y[ny-1-end] {
			end++
		}
		if start+end > 0 {
			if i > 0 {
				groups[i-1].identical += start
			} else {
				lead = start
			}
			if i+1 < len(groups) {
				groups[i+1].identical += end
			} else {
				trail = end
			}
			x, y = x[start:], y[start:]
			nx, ny = nx-start-end, ny-start-end
			groups[i] = count{name: name, removed: nx, inserted: ny}
		}
		x, y = x[nx:], y[ny:]
	}
	if lead > 0 {
		groups = append([]count{{name: name, identical: lead}}, groups...)
	}
	if trail > 0 {
		groups = append(groups, count{name: name, identical: trail})
	}
	return groups
}
