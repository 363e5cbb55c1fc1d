package patch

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A literal implementation of RFC 6902, slow and obvious, on decoded documents. The server's exceptions (W-208) are
// marked. The last result of each function says whether the operation succeeded.

type naiveOperation struct {
	Op    *string
	Path  *string
	From  *string
	Value any
	sent  bool // whether there is a value
}

func naiveApply(doc any, ops []naiveOperation) (any, bool) {
	ok := true
	for _, op := range ops {
		if doc, ok = naiveStep(doc, op); !ok {
			return nil, false
		}
	}
	return doc, true
}

func naiveStep(doc any, op naiveOperation) (any, bool) {
	if op.Op == nil || op.Path == nil {
		return nil, false
	}
	switch *op.Op {
	case "add":
		// Exception: a missing value is null.
		return naiveAdd(doc, *op.Path, op.Value)
	case "remove":
		return naiveRemove(doc, *op.Path)
	case "replace":
		return naiveReplace(doc, op)
	case "move", "copy":
		if op.From == nil {
			return nil, false
		}
		value, found := naiveGet(doc, *op.From)
		if *op.Op == "move" {
			if doc, found = naiveRemove(doc, *op.From); !found {
				return nil, false
			}
		}
		// Exception: a missing member is copied as null, from an object that exists.
		if !found && !naiveInObject(doc, *op.From) || *op.From == "" {
			return nil, false
		}
		return naiveAdd(doc, *op.Path, value)
	case "test":
		return doc, naiveTest(doc, op)
	}
	return nil, false
}

func naiveReplace(doc any, op naiveOperation) (any, bool) {
	if *op.Path == "" {
		// Exception: the document becomes an object or a list.
		switch op.Value.(type) {
		case map[string]any, []any:
			return op.Value, true
		}
		return nil, false
	}
	if _, found := naiveGet(doc, *op.Path); found {
		doc, _ = naiveRemove(doc, *op.Path)
		return naiveAdd(doc, naiveForward(doc, *op.Path), op.Value)
	}
	// Exception: a missing member is added to an object that exists.
	if naiveInObject(doc, *op.Path) {
		return naiveAdd(doc, *op.Path, op.Value)
	}
	return nil, false
}

func naiveTest(doc any, op naiveOperation) bool {
	value, found := doc, true
	if *op.Path != "" {
		value, found = naiveGet(doc, *op.Path)
		// Exception: a missing member of an object that exists is null.
		if !found && !naiveInObject(doc, *op.Path) {
			return false
		}
	} else if !op.sent {
		return false
	}
	// Exception: the server panics at lists with null.
	return reflect.DeepEqual(value, op.Value) && !naiveNullInList(value)
}

func naiveNullInList(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.Contains(v, nil) || slices.ContainsFunc(v, naiveNullInList)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), naiveNullInList)
	}
	return false
}

// naiveTokens returns the tokens of a pointer, without the part before the first slash, which the server ignores.
func naiveTokens(pointer string) []string {
	tokens := strings.Split(pointer, "/")[1:]
	for i := range tokens {
		tokens[i] = strings.ReplaceAll(strings.ReplaceAll(tokens[i], "~1", "/"), "~0", "~")
	}
	return tokens
}

// naiveIndex accepts what strconv accepts, and counts negative indices from the end: both are exceptions.
func naiveIndex(token string, length int) (int, bool) {
	i, err := strconv.Atoi(token)
	if err == nil && i < 0 {
		i += length
	}
	return i, err == nil && i >= 0 && i < length
}

// naiveForward replaces an index from the end, of an item that was just removed, by one from the front.
func naiveForward(doc any, pointer string) string {
	head, last := pointer[:strings.LastIndex(pointer, "/")+1], pointer[strings.LastIndex(pointer, "/")+1:]
	parent, _ := naiveParent(doc, pointer)
	list, isList := parent.([]any)
	if i, err := strconv.Atoi(last); isList && err == nil && i < 0 {
		return head + strconv.Itoa(i+len(list)+1)
	}
	return pointer
}

func naiveParent(doc any, pointer string) (any, bool) {
	tokens := naiveTokens(pointer)
	if len(tokens) == 0 {
		return nil, false
	}
	for _, token := range tokens[:len(tokens)-1] {
		switch d := doc.(type) {
		case map[string]any:
			doc = d[token]
		case []any:
			i, ok := naiveIndex(token, len(d))
			if !ok {
				return nil, false
			}
			doc = d[i]
		default:
			return nil, false
		}
	}
	switch doc.(type) {
	case map[string]any, []any:
		return doc, true
	}
	return nil, false
}

func naiveInObject(doc any, pointer string) bool {
	parent, _ := naiveParent(doc, pointer)
	_, ok := parent.(map[string]any)
	return ok
}

func naiveGet(doc any, pointer string) (any, bool) {
	parent, ok := naiveParent(doc, pointer)
	if !ok {
		return nil, false
	}
	tokens := naiveTokens(pointer)
	last := tokens[len(tokens)-1]
	switch parent := parent.(type) {
	case map[string]any:
		v, ok := parent[last]
		return v, ok
	case []any:
		if i, ok := naiveIndex(last, len(parent)); ok {
			return parent[i], true
		}
	}
	return nil, false
}

// naiveEdit copies the containers on the path and changes the last one.
func naiveEdit(doc any, tokens []string, change func(container any, key string) (any, bool)) (any, bool) {
	if len(tokens) == 0 {
		return nil, false
	}
	if len(tokens) == 1 {
		return change(doc, tokens[0])
	}
	switch d := doc.(type) {
	case map[string]any:
		inner, ok := naiveEdit(d[tokens[0]], tokens[1:], change)
		d = maps.Clone(d)
		if ok {
			d[tokens[0]] = inner
		}
		return d, ok
	case []any:
		i, ok := naiveIndex(tokens[0], len(d))
		if !ok {
			return nil, false
		}
		inner, ok := naiveEdit(d[i], tokens[1:], change)
		d = slices.Clone(d)
		d[i] = inner
		return d, ok
	}
	return nil, false
}

// naiveAdd does not replace the document, which is an exception.
func naiveAdd(doc any, pointer string, value any) (any, bool) {
	return naiveEdit(doc, naiveTokens(pointer), func(container any, key string) (any, bool) {
		switch c := container.(type) {
		case map[string]any:
			c = maps.Clone(c)
			c[key] = value
			return c, true
		case []any:
			if key == "-" {
				return append(slices.Clone(c), value), true
			}
			if i, ok := naiveIndex(key, len(c)+1); ok {
				return slices.Insert(slices.Clone(c), i, value), true
			}
		}
		return nil, false
	})
}

func naiveRemove(doc any, pointer string) (any, bool) {
	return naiveEdit(doc, naiveTokens(pointer), func(container any, key string) (any, bool) {
		switch c := container.(type) {
		case map[string]any:
			_, ok := c[key]
			c = maps.Clone(c)
			delete(c, key)
			return c, ok
		case []any:
			if i, ok := naiveIndex(key, len(c)); ok {
				return slices.Delete(slices.Clone(c), i, i+1), true
			}
		}
		return nil, false
	})
}

// JSON does what the RFC says, and fails where the RFC says so.
func FuzzJSONNaive(f *testing.F) {
	seeds(f)
	// The escapes in a string matter to the server, but not here.
	plainly := strings.NewReplacer(`"\u0061"`, `"c"`, `"<"`, `"d"`)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &choices{b}
		doc := plainly.Replace(c.object(3))
		for range 4 {
			patch := plainly.Replace(c.patch())
			if writtenNull(patch) {
				continue
			}
			want, ok := naiveApply(decoded(doc), naiveOperations(t, patch))
			got, err := JSON([]byte(doc), []byte(patch))
			if ok != (err == nil) || ok && !reflect.DeepEqual(decoded(string(got)), want) {
				t.Errorf("JSON(%s, %s)\n got %s, %v\nwant %v, %v", doc, patch, got, err, want, ok)
			}
		}
	})
}

func naiveOperations(t *testing.T, patch string) []naiveOperation {
	var sent []map[string]json.RawMessage
	if err := json.Unmarshal([]byte(patch), &sent); err != nil {
		t.Fatal(err)
	}
	var ops []naiveOperation
	for _, o := range sent {
		var op naiveOperation
		for member, into := range map[string]any{"op": &op.Op, "path": &op.Path, "from": &op.From} {
			if raw, ok := o[member]; ok && json.Unmarshal(raw, into) != nil {
				t.Fatalf("%s of %s", member, patch)
			}
		}
		if raw, ok := o["value"]; ok {
			op.Value, op.sent = decoded(string(raw)), true
		}
		ops = append(ops, op)
	}
	return ops
}
