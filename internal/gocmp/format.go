package gocmp

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// context is the number of equal members that are shown before and after a difference.
const context = 2

// The naming of a value says whether its type is printed.
type naming int

const (
	always    naming = iota
	never            // in slices and maps
	composite        // in structs: if it is a struct, slice or map that is not equal
)

// options say how a part of the difference is printed.
type options struct {
	mode        mode
	naming      naming
	verbosity   int // how much is printed: one less below every member
	noStringers bool
	version     Version
}

func (o options) as(m mode) options      { o.mode = m; return o }
func (o options) named(n naming) options { o.naming = n; return o }
func (o options) verbose(v int) options  { o.verbosity = v; return o }

// whole reports whether nothing is shortened.
func (o options) whole() bool { return o.version < V0_5_2 }

// level returns how much is printed, from 0 to 16.
func (o options) level() int {
	if o.whole() {
		return 16
	}
	return min(max(o.verbosity, 0), 16)
}

// below returns the options for the members of a value.
func (o options) below(types naming) options { return o.named(types).verbose(o.verbosity - 1) }

// most returns how many members of a value are printed, if there is no difference between them.
func (o options) most() int { return 1 << o.level() >> 1 << 2 }

// mostDiffering returns how many differences are printed, or members on one side of a difference.
func (o options) mostDiffering() int { return 1 << o.level() << 1 }

// attempts returns how often more is printed if two different values look the same.
func (o options) attempts() int {
	switch {
	case o.whole():
		return -1
	case o.version < V0_5_5:
		return 3
	}
	return 6
}

// attempt returns the options for the i-th attempt to print two values in different ways.
func (o options) attempt(i int) options {
	o.verbosity = o.level() + 2*i
	o.noStringers = o.noStringers || i > 0
	return o
}

func (o options) diff(n *node) text {
	if o.mode == identical {
		o = o.verbose(1)
	} else if o.level() < 3 || o.version < V0_5_5 {
		o = o.verbose(3)
	}
	v := n.either()
	switch {
	case o.inChunks(n):
		return o.chunks(n.x, n.y)
	case n.depth == 0:
		return o.leaf(n)
	case v.Kind == Pointer:
		return wrapped{"&", o.diff(n.records[0].node), ""}
	case o.mode == unknown:
		return o.typed(v, o.both(n))
	}
	return o.typed(v, o.one(n))
}

// leaf prints what has no parts to compare.
func (o options) leaf(n *node) text {
	switch o.mode {
	case removed:
		return o.value(n.x)
	case inserted:
		return o.value(n.y)
	}
	x, y := o.value(n.x), o.value(n.y)
	if x.length() < y.length() {
		return x
	}
	return y
}

// apart prints two values so that they do not look the same, if possible.
func (o options) apart(print func(options) (x, y text)) (x, y text) {
	x, y = print(o)
	for i := 0; i <= o.attempts() && x != nil && y != nil && x.equal(y); i++ {
		x, y = print(o.attempt(i))
	}
	return x, y
}

// part returns the name of a member of a kind, and whether the types of members are printed.
func part(k Kind) (name string, types naming) {
	switch k {
	case Struct:
		return "field", composite
	case Slice:
		return "element", never
	}
	return "entry", never
}

// one prints the value on one side.
func (o options) one(n *node) text {
	kind := n.either().Kind
	_, types := part(kind)
	most, below := o.mostDiffering(), o.below(types)
	if o.mode == identical {
		most = o.most()
	}
	var l list
	for _, r := range n.records {
		if len(l) == most {
			l.skip(nil)
			break
		}
		if kind == Struct && o.leavesOut(r) {
			continue
		}
		if t := below.diff(r.node); t != nil {
			l = append(l, item{key: n.either().keyText(r.key, o), text: t, alone: o.whole()})
		}
	}
	return braced(l)
}

// leavesOut reports whether a field is zero. The oldest version only looks at one of two values that are equal by their
// method.
func (o options) leavesOut(r record) bool {
	switch {
	case o.mode == removed || o.mode == identical && o.version < V0_4_0:
		return r.x.isZero()
	case o.mode == inserted:
		return r.y.isZero()
	}
	return r.x.isZero() || r.y.isZero()
}

// both prints the difference between the members of two values. Equal members far from a difference are only counted,
// and so are all members after too many differences.
func (o options) both(n *node) text {
	v := n.either()
	name, types := part(v.Kind)
	most, shown := o.mostDiffering(), 0
	o = o.below(types)
	var l list
	rest, left := n.records, count{name: name}
	groups := grouped(name, n.records)
	for i, g := range groups {
		members := rest[:g.identical+g.differing()]
		rest = rest[len(members):]
		switch {
		case shown >= most:
			left = left.plus(g)
		case g.differing() == 0:
			o.equal(&l, v, members, name, i > 0, i < len(groups)-1)
		default:
			for _, r := range members {
				o.unequal(&l, v, r)
			}
			shown += len(members)
		}
	}
	if left != (count{name: name}) {
		l.skip(&left)
	}
	return braced(l)
}

// equal prints those equal members that are next to a difference.
func (o options) equal(l *list, v *Value, members []record, name string, after, before bool) {
	first, last := 0, 0
	if after {
		first = min(context, len(members))
	}
	if before {
		last = min(context, len(members)-first)
	}
	if len(members)-first-last == 1 {
		last++ // the comment would take as much space
	}
	show := func(some []record) {
		for _, r := range some {
			*l = append(*l, item{key: v.keyText(r.key, o), text: o.as(identical).diff(r.node), alone: o.whole()})
		}
	}
	show(members[:first])
	if n := len(members) - first - last; n > 0 {
		l.skip(&count{name: name, identical: n})
	}
	show(members[len(members)-last:])
}

func (o options) unequal(l *list, v *Value, r record) {
	key := v.keyText(r.key, o)
	switch {
	case o.inChunks(r.node):
		*l = append(*l, item{key: key, text: o.chunks(r.x, r.y), alone: o.whole()})
		return
	case r.descendants != r.depth: // there is more than one part
		*l = append(*l, item{key: key, text: o.diff(r.node), alone: o.whole()})
		return
	}
	x, y := o.apart(func(o options) (x, y text) { return o.as(removed).diff(r.node), o.as(inserted).diff(r.node) })
	if x != nil {
		*l = append(*l, item{mode: removed, key: key, text: x})
	}
	if y != nil {
		*l = append(*l, item{mode: inserted, key: key, text: y})
	}
}

// grouped counts adjacent members that are equal, or that differ.
func grouped(name string, records []record) (groups []count) {
	for i, r := range records {
		if i == 0 || (r.differs == 0) != (records[i-1].differs == 0) {
			groups = append(groups, count{name: name})
		}
		switch g := &groups[len(groups)-1]; {
		case r.differs == 0:
			g.identical++
		case r.y == nil:
			g.removed++
		case r.x == nil:
			g.inserted++
		default:
			g.modified++
		}
	}
	return groups
}

// value prints a value, or returns nil if there is none.
func (o options) value(v *Value) text {
	switch {
	case v == nil:
		return nil
	case v.Stringer != nil && !o.noStringers && !(v.Kind == Pointer && v.Nil):
		return o.quoted("s", v.Stringer())
	case v.Kind == Plain:
		return line(v.Text)
	case v.Kind == String:
		return o.quoted("", v.Text)
	case v.Nil:
		return o.typed(v, nothing)
	case v.Kind == Pointer:
		return wrapped{"&", o.value(v.Members[0].Value), ""}
	}
	_, types := part(v.Kind)
	most, below := o.most(), o.below(types)
	var l list
	for _, m := range v.Members {
		if v.Kind == Struct && m.Value.isZero() {
			continue
		}
		if len(l) == most {
			l.skip(nil)
			break
		}
		l = append(l, item{key: v.keyText(m.Key, o), text: below.value(m.Value), alone: o.whole()})
	}
	return o.typed(v, braced(l))
}

// typed puts the type of a value before it, if it is to be printed.
func (o options) typed(v *Value, t text) text {
	isComposite := v.Kind == Struct || v.Kind == Slice || v.Kind == Map
	if o.naming == never || o.naming == composite && (!isComposite || t.equal(nothing) || o.mode == identical && !o.whole()) {
		return t
	}
	return wrapped{v.Type, t, ""}
}

// keyText returns the key of a member as it is printed.
func (v *Value) keyText(key string, by options) string {
	if v.Kind != Map {
		return key
	}
	prefix := ""
	if v.StringerKeys && by.version > V0_3_0 {
		prefix = "s"
	}
	o := options{mode: identical, version: by.version}.verbose(16)
	if by.version >= V0_5_5 {
		o = o.verbose(by.attempts())
	}
	return strings.TrimSpace(string(o.quoted(prefix, key).(line)))
}

// quoted prints a string. If it is on one side of the difference, its lines are lines of the text.
func (o options) quoted(prefix, s string) text {
	most, mostLines := 1<<o.level()<<5, 1<<o.level()<<2
	if !o.whole() && (o.mode == removed || o.mode == inserted) {
		if lines := strings.Split(strings.TrimSuffix(s, "\n"), "\n"); len(lines) >= 4 && canTriple(lines, prefix, most) {
			return o.tripled(lines, prefix, mostLines)
		}
	}
	if len(s) > most+len(ellipsis) {
		return line(prefix + o.quote(s[:most]) + string(ellipsis))
	}
	return line(prefix + o.quote(s))
}

// canTriple reports whether lines can stand between triple quotes. It removes their carriage returns.
func canTriple(lines []string, prefix string, most int) bool {
	for i, l := range lines {
		l = withoutReturns(l)
		lines[i] = l
		if !fitsTriple(l) || strings.HasPrefix(l, prefix+`"""`) || len(l) > most {
			return false
		}
	}
	return true
}

func withoutReturns(l string) string { return strings.TrimPrefix(strings.TrimSuffix(l, "\r"), "\r") }

func fitsTriple(l string) bool {
	return !strings.HasPrefix(l, `"""`) && !strings.HasPrefix(l, "...") && strings.IndexFunc(l, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }) < 0
}

func (o options) tripled(lines []string, prefix string, most int) text {
	var l list
	add := func(s, comment string) {
		l = append(l, item{mode: o.mode, text: line(s), noComma: true, comment: comment})
	}
	add(prefix+`"""`, "")
	for i, s := range lines {
		if left := len(lines) - i; i == most-1 && left > 1 {
			add(string(ellipsis), fmt.Sprintf("%d elided lines", left))
			break
		}
		add(s, "")
	}
	add(prefix+`"""`, "")
	return wrapped{"(", l, ")"}
}

// quote returns a string in quotes, or in backquotes if quotes would need escapes and it is a printable line.
func (o options) quote(s string) string {
	quoted := strconv.Quote(s)
	if len(quoted) == len(s)+2 {
		return quoted
	}
	unfit := func(r rune) bool { return r == '`' || r == '\n' || !unicode.IsPrint(r) && r != '\t' }
	if (o.whole() || utf8.ValidString(s)) && strings.IndexFunc(s, unfit) < 0 {
		return "`" + s + "`"
	}
	return quoted
}
