package yamldoc

import (
	"slices"
	"strconv"
	"strings"
)

// A Node holds the place of one value of a document, and of everything in it.
type Node struct {
	Position
	Fields []field // of a mapping, in the order written
	Items  []*Node // of a list
}

type field struct {
	Name  string
	key   Position
	Value *Node
}

type Position struct{ Line, column int32 }

func (p Position) Or(s Source) Source {
	if p.Line == 0 {
		return s
	}
	return Source{File: s.File, Line: int(p.Line), Column: int(p.column)}
}

// Find follows path as far as possible. The place of a field is that of its key. A nil node, of a document whose places
// are not known, finds nothing.
func (n *Node) Find(path string) Position {
	if n == nil {
		return Position{}
	}
	at := n.Position
	for path != "" && n != nil {
		next, p, rest, ok := n.Step(path)
		if !ok {
			break
		}
		n, at, path = next, p, rest
	}
	return at
}

// Lookup returns the node at path, nil if there is none.
func (n *Node) Lookup(path string) *Node {
	for path != "" && n != nil {
		n, _, path, _ = n.Step(path)
	}
	return n
}

// Step removes the first part of path: a name, [index] or [key].
func (n *Node) Step(path string) (next *Node, at Position, rest string, ok bool) {
	path = strings.TrimPrefix(path, ".")
	if inside, isIndex := strings.CutPrefix(path, "["); isIndex {
		text, after, closed := strings.Cut(inside, "]")
		if !closed {
			return nil, Position{}, "", false
		}
		if i, err := strconv.Atoi(text); err == nil && n.Items != nil {
			if i < 0 || i >= len(n.Items) {
				return nil, Position{}, "", false
			}
			return n.Items[i], n.Items[i].Position, after, true
		}
		f, found := n.Field(text)
		return f.Value, f.key, after, found
	}
	return n.longest(path)
}

// longest finds the field whose name is the longest prefix of path, since the names of labels and annotations may
// contain dots.
func (n *Node) longest(path string) (next *Node, at Position, rest string, ok bool) {
	for end := len(path); end > 0; end = strings.LastIndexAny(path[:end], ".[") {
		if f, found := n.Field(path[:end]); found {
			return f.Value, f.key, path[end:], true
		}
	}
	return nil, Position{}, "", false
}

// Field finds a field by name. Fields of a YAML merge key count if n has no such field itself. A nil node has none.
func (n *Node) Field(name string) (field, bool) {
	if n == nil {
		return field{}, false
	}
	for _, f := range n.Fields {
		if f.Name == name {
			return f, true
		}
	}
	for _, f := range n.Fields {
		if f.Name != mergeKey || f.Value == nil {
			continue
		}
		for _, merged := range append([]*Node{f.Value}, f.Value.Items...) {
			if found, ok := merged.Field(name); ok {
				return found, true
			}
		}
	}
	return field{}, false
}

func (n *Node) Item(i int) *Node {
	if n == nil {
		return nil
	}
	f, _ := n.Field("items")
	if f.Value == nil || i >= len(f.Value.Items) {
		return nil
	}
	return f.Value.Items[i]
}

// AnyItem is Find for a path without the indexes of lists. It stops where several items could be meant.
func (n *Node) AnyItem(path string) Position {
	if n == nil {
		return Position{}
	}
	at := n.Position
	for _, name := range strings.Split(path, ".") {
		var has []field
		for _, one := range append([]*Node{n}, n.Items...) {
			if one == nil {
				continue
			}
			if f, ok := one.Field(name); ok {
				has = append(has, f)
			}
		}
		if len(has) != 1 || has[0].Value == nil {
			break
		}
		n, at = has[0].Value, has[0].key
	}
	return at
}

// Aligned returns n, whose places are those of was, adapted to is, which a tool made from was: list items with a name
// keep the places of the items with the same name, wherever they are now. New items have the place of the list.
func (n *Node) Aligned(was, is any) *Node {
	if n == nil {
		return nil
	}
	return n.aligned(n.Position, was, is)
}

// aligned makes new nodes where places change; list is the place of the name of n, if n is a list.
func (n *Node) aligned(list Position, was, is any) *Node {
	switch was := was.(type) {
	case map[string]any:
		is, ok := is.(map[string]any)
		if !ok {
			return n
		}
		moved := *n
		moved.Fields = slices.Clone(n.Fields)
		for i, f := range moved.Fields {
			if f.Value != nil {
				moved.Fields[i].Value = f.Value.aligned(f.key, was[f.Name], is[f.Name])
			}
		}
		return &moved
	case []any:
		is, ok := is.([]any)
		if !ok || len(was) != len(n.Items) {
			return n
		}
		before, after := itemNames(was), itemNames(is)
		if before == nil || after == nil {
			return n
		}
		moved := *n
		moved.Items = make([]*Node, len(is))
		for i, name := range after {
			moved.Items[i] = &Node{Position: list}
			if j := slices.Index(before, name); j >= 0 && n.Items[j] != nil {
				moved.Items[i] = n.Items[j].aligned(n.Items[j].Position, was[j], is[i])
			}
		}
		return &moved
	}
	return n
}

// itemNames returns the names of the items of a list; nil if an item has no name, or two have the same.
func itemNames(list []any) []string {
	names := make([]string, 0, len(list))
	for _, item := range list {
		fields, _ := item.(map[string]any)
		name, _ := fields["name"].(string)
		if name == "" || slices.Contains(names, name) {
			return nil
		}
		names = append(names, name)
	}
	return names
}
