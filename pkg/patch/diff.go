package patch

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"reflect"
	"slices"
	"strconv"

	"github.com/admsim/admsim/internal/jsonpointer"
)

// Diff returns operations that turn one document into the other. The same documents always give the same operations:
// members in order of their names, lists from the front. The result is meant to be read: it changes the smallest parts
// that differ, and aligns lists first. The documents are objects or lists.
//
// The result can be applied with [JSON]. Numbers are compared as they are written.
func Diff(before, after []byte) ([]Operation, error) {
	b, err := decode(before)
	if err != nil {
		return nil, fmt.Errorf("the document before: %w", err)
	}
	a, err := decode(after)
	if err != nil {
		return nil, fmt.Errorf("the document after: %w", err)
	}
	return DiffValues(b, a), nil
}

// DiffValues is [Diff] for documents that are already decoded, with numbers as json.Number.
func DiffValues(before, after any) []Operation {
	var d difference
	d.values("", before, after)
	return d.ops
}

func decode(doc []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.New("more than one JSON value")
	}
	switch v.(type) {
	case map[string]any, []any:
		return v, nil
	}
	return nil, errors.New("neither an object nor a list")
}

// encode writes a decoded value, with members in order of name, and escapes only what has to be escaped.
func encode(v any) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // it was decoded from JSON
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// A difference collects the operations found so far.
type difference struct {
	ops []Operation
}

func (d *difference) add(path string, v any) {
	d.ops = append(d.ops, Operation{Op: "add", Path: path, Value: encode(v)})
}

func (d *difference) replace(path string, before, v any) {
	d.ops = append(d.ops, Operation{Op: "replace", Path: path, Value: encode(v), Old: encode(before)})
}

func (d *difference) remove(path string, before any) {
	d.ops = append(d.ops, Operation{Op: "remove", Path: path, Old: encode(before)})
}

func (d *difference) values(path string, before, after any) {
	switch after := after.(type) {
	case map[string]any:
		if before, ok := before.(map[string]any); ok {
			if reflect.ValueOf(before).Pointer() != reflect.ValueOf(after).Pointer() {
				d.objects(path, before, after)
			}
			return
		}
	case []any:
		if before, ok := before.([]any); ok {
			d.lists(path, before, after)
			return
		}
	default:
		if before == after {
			return
		}
	}
	d.replace(path, before, after)
}

func (d *difference) objects(path string, before, after map[string]any) {
	names := maps.Clone(before)
	maps.Copy(names, after)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		member := path + "/" + jsonpointer.Escape(name)
		b, had := before[name]
		a, has := after[name]
		switch {
		case !has:
			d.remove(member, b)
		case !had:
			d.add(member, a)
		default:
			d.values(member, b, a)
		}
	}
}

// lists walks along two aligned lists. Index i is the position in the list as changed by the operations so far.
func (d *difference) lists(path string, before, after []any) {
	if sameItems(before, after) {
		return // the usual case; aligning would be wasted effort
	}
	i := 0
	for _, p := range align(before, after) {
		item := path + "/" + strconv.Itoa(i)
		switch {
		case p.after < 0:
			d.remove(item, before[p.before])
			continue
		case p.before < 0:
			d.add(item, after[p.after])
		default:
			d.values(item, before[p.before], after[p.after])
		}
		i++
	}
}

// sameValue reports whether two decoded values are equal.
func sameValue(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		if reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() {
			return true // versions of an object may share parts that did not change
		}
		for name, member := range a {
			if other, has := b[name]; !has || !sameValue(member, other) {
				return false
			}
		}
		return true
	case []any:
		b, ok := b.([]any)
		return ok && sameItems(a, b)
	}
	switch b.(type) {
	case map[string]any, []any:
		return false // cannot be compared with ==
	}
	return a == b
}

func sameItems(a, b []any) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0] || slices.EqualFunc(a, b, sameValue))
}
