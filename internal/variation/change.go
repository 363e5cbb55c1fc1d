// Package variation makes objects in which one place has another value: a field that is left out, a number next to the
// one that a policy compares with, one more container.
//
// Start with [ShapeOf], which knows what objects of a kind can hold, [Of], which turns the values that an expression
// distinguishes into changes, and [Change.Apply]. The package does not know whether a server accepts the object.
package variation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/admsim/admsim/internal/space/edges"
)

// A Change gives a place in a request another value.
type Change struct {
	Place edges.Place
	Value edges.Value

	// more is the index of the step of the place at which one more element with the value is added. If it is negative,
	// all existing elements get the value.
	more int

	// Alone means that for an update, only the new object gets the value.
	Alone bool
}

// Set returns the change that gives a place some value that it can hold.
func Set(place edges.Place) Change {
	return Change{place, edges.Value{Sort: edges.Typical, Is: int64(0)}, -1, false}
}

// Replaces reports whether c makes other pointless.
func (c Change) Replaces(other Change) bool {
	return c.Place.String() == other.Place.String() && c.more == other.more
}

// String describes the change for people.
func (c Change) String() string {
	place := c.Place.String()
	text := ""
	switch c.Value.Sort {
	case edges.Absent:
		text = "no " + place
	case edges.Literal:
		is, _ := json.Marshal(c.Value.Is)
		text = place + " = " + short(string(is))
	case edges.Member:
		is, _ := json.Marshal(c.Value.Is)
		text = place + " with " + short(string(is))
	case edges.Size:
		text = fmt.Sprintf("%s of size %v", place, c.Value.Is)
	default:
		text = place
		if n, _ := c.Value.Is.(int64); n > 0 {
			text += fmt.Sprintf(", value %d", n+1)
		}
	}
	if c.more >= 0 {
		text += ", of one more"
	}
	if c.Alone {
		text += ", newly"
	}
	return text
}

func short(text string) string {
	if most := 40; len(text) > most {
		return text[:most] + "…"
	}
	return text
}

// Of returns the changes that give a place the values of a variation, as far as it can hold them.
func Of(v edges.Variation, s Shape, updates bool) (all []Change) {
	is := s
	if v.Place.Root == "object" || v.Place.Root == "oldObject" {
		for _, step := range v.Place.Steps {
			is = is.then(step)
		}
		if is.is == nothing {
			return nil
		}
	} else {
		is = Shape{is: anything}
	}
	for _, value := range v.Values {
		if value.Sort == edges.Literal && !is.fits(value.Is) {
			continue
		}
		all = append(all, Change{v.Place, value, -1, false})
		for i, step := range v.Place.Steps {
			if step == edges.Element && value.Sort != edges.Absent {
				all = append(all, Change{v.Place, value, i, false})
			}
		}
		if updates && v.Place.Root == "object" {
			all = append(all, Change{v.Place, value, -1, true})
		}
	}
	return all
}

// An applier applies a change to an object.
type applier struct {
	Change
	impossible bool
}

// removed stands for a value that is left out.
type removed struct{}

// Apply returns an object with the change. ok is false if the change does not apply to such an object.
func (c Change) Apply(object map[string]any, s Shape) (changed map[string]any, ok bool) {
	a := &applier{Change: c}
	next, isMap := a.at(object, c.Place.Steps, 0, s).(map[string]any)
	return next, isMap && !a.impossible
}

// at returns what becomes of a node from which these steps lead to the place.
func (a *applier) at(node any, steps []string, depth int, s Shape) any {
	if len(steps) == 0 {
		return a.valueOf(node, s)
	}
	if s.is == nothing {
		a.impossible = true
		return node
	}
	step, rest, next := steps[0], steps[1:], s.then(steps[0])
	if step == edges.Element {
		if fields, isMap := node.(map[string]any); isMap || s.is == aMap {
			return a.key(fields, rest, s)
		}
		return a.elements(node, rest, depth, s)
	}
	if node == nil && a.Value.Sort == edges.Absent {
		return removed{}
	}
	fields, isMap := node.(map[string]any)
	switch {
	case node != nil && !isMap:
		a.impossible = true
		return node
	case node == nil && s.is == aStruct:
		fields = s.required(0)
	}
	fields = maps.Clone(fields)
	if fields == nil {
		fields = map[string]any{}
	}
	before, has := fields[step]
	if !has {
		before = a.likeAnother(fields, step, s)
	}
	after := a.at(before, rest, depth+1, next)
	if _, gone := after.(removed); gone {
		delete(fields, step)
	} else {
		fields[step] = after
	}
	return fields
}

// likeAnother returns a list with an element like that of another list of the struct, if the change is about such
// elements: an element with only the required fields is often not enough for a server. Otherwise it returns nil.
func (a *applier) likeAnother(fields map[string]any, step string, s Shape) any {
	if a.Value.Sort == edges.Absent || s.is != aStruct || s.field(step).is != aList {
		return nil
	}
	of := s.field(step).then(edges.Element)
	for _, f := range s.fields() {
		items, _ := fields[f.name].([]any)
		if len(items) == 0 || f.shape.is != aList || !of.isLike(f.shape.then(edges.Element)) {
			continue
		}
		element, isMap := items[0].(map[string]any)
		if !isMap {
			continue
		}
		element = maps.Clone(element)
		if name, ok := element["name"].(string); ok {
			element["name"] = name + "-" + strings.ToLower(step)
		}
		return []any{element}
	}
	return nil
}

// key adds a key to a map, or gives it to the entries of the map.
func (a *applier) key(fields map[string]any, rest []string, s Shape) any {
	key, isText := a.Value.Is.(string)
	if len(rest) > 0 || a.Value.Sort != edges.Literal || !isText {
		a.impossible = true
		return fields
	}
	made := map[string]any{}
	if a.more >= 0 {
		maps.Copy(made, fields)
	}
	made[key] = s.then(key).typical(0)
	for _, before := range slices.Sorted(maps.Keys(fields)) {
		made[key] = fields[before]
		break
	}
	return made
}

func (a *applier) elements(node any, rest []string, depth int, s Shape) any {
	items, isList := node.([]any)
	if node != nil && !isList {
		a.impossible = true
		return node
	}
	next := s.then(edges.Element)
	if len(items) == 0 {
		if a.Value.Sort == edges.Absent {
			a.impossible = true
			return node
		}
		items = []any{next.typical(0)}
		if len(rest) == 0 {
			items = []any{nil}
		}
		if a.more == depth {
			items = []any{next.typical(1), next.typical(0)}[:1]
		}
	}
	items = slices.Clone(items)
	if a.more == depth {
		return append(items, a.at(another(items[0], len(items)), rest, depth+1, next))
	}
	for i := range items {
		items[i] = a.at(items[i], rest, depth+1, next)
		if _, gone := items[i].(removed); gone {
			a.impossible = true
		}
	}
	return items
}

// another returns a copy of an element of a list, with another name.
func another(element any, n int) any {
	fields, ok := element.(map[string]any)
	if !ok {
		return element
	}
	fields = maps.Clone(fields)
	for _, key := range []string{"name", "mountPath", "topologyKey"} {
		if name, ok := fields[key].(string); ok {
			fields[key] = fmt.Sprintf("%s-%d", name, n+1)
		}
	}
	return fields
}

// valueOf returns the new value of the place.
func (a *applier) valueOf(node any, s Shape) any {
	n, _ := a.Value.Is.(int64)
	switch a.Value.Sort {
	case edges.Absent:
		return removed{}
	case edges.Literal:
		if !s.fits(a.Value.Is) {
			a.impossible = true
		}
		return a.Value.Is
	case edges.Typical:
		if s.is == nothing {
			a.impossible = true
		}
		if items, ok := node.([]any); ok && len(items) > 0 && s.then(edges.Element).is == aStruct {
			return node
		}
		return s.typical(int(n))
	case edges.Member:
		return a.with(node, s)
	}
	return a.sized(node, int(n), s)
}

// with returns a list or map with an additional member.
func (a *applier) with(node any, s Shape) any {
	key, isText := a.Value.Is.(string)
	if s.is == aMap || s.is == aStruct {
		fields, _ := node.(map[string]any)
		fields = maps.Clone(fields)
		if fields == nil {
			fields = map[string]any{}
		}
		if !isText {
			a.impossible = true
			return node
		}
		if fields[key] == nil {
			fields[key] = s.then(key).typical(0)
		}
		return fields
	}
	items, isList := node.([]any)
	if node != nil && !isList || !s.then(edges.Element).fits(a.Value.Is) {
		a.impossible = true
		return node
	}
	if slices.Contains(items, a.Value.Is) {
		return node
	}
	return append(slices.Clone(items), a.Value.Is)
}

// longest is the maximum length of generated texts and lists.
const longest = 2000

// sized returns a text, list or map of a given size.
func (a *applier) sized(node any, n int, s Shape) any {
	if n < 0 || n > longest {
		a.impossible = true
		return node
	}
	_, isText := node.(string)
	fields, isMap := node.(map[string]any)
	switch {
	case isText || s.is == aText:
		return strings.Repeat("a", n)
	case isMap || s.is == aMap:
		made, keys := map[string]any{}, slices.Sorted(maps.Keys(fields))
		for _, key := range keys[:min(n, len(keys))] {
			made[key] = fields[key]
		}
		like := "key"
		if len(keys) > 0 {
			like = keys[0]
		}
		for i := 2; len(made) < n; i++ {
			key := fmt.Sprintf("%s-%d", like, i)
			made[key] = s.then(key).typical(0)
		}
		return made
	case s.is != aList && s.is != anything:
		a.impossible = true
		return node
	}
	items, _ := node.([]any)
	items = slices.Clone(items[:min(n, len(items))])
	for len(items) < n {
		if len(items) == 0 {
			items = append(items, s.then(edges.Element).typical(0))
			continue
		}
		items = append(items, another(items[0], len(items)))
	}
	if items == nil {
		items = []any{}
	}
	return items
}
