package gocmp

import (
	"maps"
	"slices"
)

// A node is the result of a comparison: of two values, or of a value with nothing if it was removed or inserted.
type node struct {
	x, y    *Value // nil if there is none
	records []record
	parts   // of the leaves below

	descendants, depth int
}

// A record is the result for one member.
type record struct {
	key string
	*node
}

// parts counts the equal and unequal parts of a value that are not compared further.
type parts struct{ same, differs int }

func leaf(x, y *Value, equal bool) *node {
	if equal {
		return &node{x: x, y: y, parts: parts{same: 1}}
	}
	return &node{x: x, y: y, parts: parts{differs: 1}}
}

// either returns one of the values that were compared.
func (n *node) either() *Value {
	if n.x == nil {
		return n.y
	}
	return n.x
}

func (n *node) add(key string, x, y *Value) {
	below := compare(x, y)
	n.records = append(n.records, record{key, below})
	n.same += below.same
	n.differs += below.differs
	n.descendants += below.descendants + 1
	n.depth = max(n.depth, below.depth+1)
}

func compare(x, y *Value) *node {
	switch {
	case x == nil || y == nil:
		return leaf(x, y, false)
	case x.Equal != nil:
		return leaf(x, y, x.Equal(y.Origin))
	case x.Kind == Plain || x.Kind == String:
		return leaf(x, y, x.Text == y.Text)
	case x.Nil || y.Nil:
		return leaf(x, y, x.Nil && y.Nil)
	}
	n := &node{x: x, y: y}
	switch x.Kind {
	case Struct, Pointer:
		for i, m := range x.Members {
			n.add(m.Key, m.Value, y.Members[i].Value)
		}
	case Slice:
		n.addElements(x.Members, y.Members)
	case Map:
		before, after := entries(x), entries(y)
		keys := maps.Clone(before)
		maps.Copy(keys, after)
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			n.add(key, before[key], after[key])
		}
	}
	return n
}

func entries(m *Value) map[string]*Value {
	all := map[string]*Value{}
	for _, e := range m.Members {
		all[e.Key] = e.Value
	}
	return all
}

func (n *node) addElements(x, y []Member) {
	script := editScript(len(x), len(y), func(i, j int) parts { return compare(x[i].Value, y[j].Value).parts })
	for _, e := range script {
		switch e {
		case deletion:
			n.add("", x[0].Value, nil)
			x = x[1:]
		case insertion:
			n.add("", nil, y[0].Value)
			y = y[1:]
		default:
			n.add("", x[0].Value, y[0].Value)
			x, y = x[1:], y[1:]
		}
	}
}
