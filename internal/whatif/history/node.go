package history

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/admsim/admsim/internal/jsonpointer"
	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/patch"
)

// A node is a part of a JSON document, and who set it.
type node struct {
	by     document.Setter
	value  json.RawMessage  // if fields and items are nil
	fields map[string]*node // of a map
	items  []*node          // of a list, not nil
}

func parse(data []byte, by document.Setter) (*node, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	return nodeOf(v, by), nil
}

func nodeOf(v any, by document.Setter) *node {
	n := &node{by: by}
	switch v := v.(type) {
	case map[string]any:
		n.fields = make(map[string]*node, len(v))
		for key, value := range v {
			n.fields[key] = nodeOf(value, by)
		}
	case []any:
		n.items = make([]*node, len(v))
		for i, value := range v {
			n.items[i] = nodeOf(value, by)
		}
	default:
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(false)
		if err := e.Encode(v); err != nil {
			panic(err) // it was JSON before
		}
		n.value = bytes.TrimSpace(b.Bytes())
	}
	return n
}

// apply applies one operation of [patch.Diff].
func (n *node) apply(op patch.Operation, by document.Setter) error {
	var made *node
	if op.Op != "remove" {
		var err error
		if made, err = parse(op.Value, by); err != nil {
			return err
		}
	}
	if op.Path == "" {
		*n = *made
		return nil
	}
	i := strings.LastIndex(op.Path, "/")
	parent, last := n.at(op.Path[:i]), jsonpointer.Unescape(op.Path[i+1:])
	switch {
	case parent == nil:
		return fmt.Errorf("%s %s: nothing is there", op.Op, op.Path)
	case parent.fields != nil && made == nil:
		delete(parent.fields, last)
	case parent.fields != nil:
		parent.fields[last] = made
	default:
		return parent.applyItem(op, last, made)
	}
	return nil
}

func (n *node) applyItem(op patch.Operation, last string, made *node) error {
	i, err := strconv.Atoi(last)
	if last == "-" {
		i, err = len(n.items), nil
	}
	if err != nil || i < 0 || i > len(n.items) || i == len(n.items) && op.Op != "add" {
		return fmt.Errorf("%s %s: the list has %d items", op.Op, op.Path, len(n.items))
	}
	switch op.Op {
	case "add":
		n.items = slices.Insert(n.items, i, made)
	case "remove":
		n.items = slices.Delete(n.items, i, i+1)
	default:
		n.items[i] = made
	}
	return nil
}

// setter returns who set the node, which may be nil.
func (n *node) setter() document.Setter {
	if n == nil {
		return document.Setter{}
	}
	return n.by
}

// at follows a JSON pointer; it returns nil if there is nothing at it.
func (n *node) at(pointer string) *node {
	for _, key := range jsonpointer.Keys(pointer) {
		switch {
		case n.fields != nil:
			n = n.fields[key]
		case n.items != nil:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(n.items) {
				return nil
			}
			n = n.items[i]
		default:
			return nil
		}
		if n == nil {
			return nil
		}
	}
	return n
}

// field returns the node as plain data.
func (n *node) field(name string) document.Field {
	f := document.Field{Name: name, By: n.by, Value: n.value, IsMap: n.fields != nil, IsList: n.items != nil}
	for _, key := range slices.Sorted(maps.Keys(n.fields)) {
		f.Parts = append(f.Parts, n.fields[key].field(key))
	}
	for _, item := range n.items {
		f.Parts = append(f.Parts, item.field(""))
	}
	return f
}
