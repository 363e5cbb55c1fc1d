package expect

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// A mismatch is a place where an object does not contain what it should.
type mismatch struct{ path, want, got string }

// missing returns what part has and whole does not. A mapping contains its keys. Items of a list that have a name are
// found by it; in other lists, each item has to be contained in some item, in any order. A null means that the key must
// not exist.
func missing(part, whole json.RawMessage) []mismatch {
	return absent("", decoded(part), decoded(whole))
}

func absent(path string, want, got any) []mismatch {
	switch w := want.(type) {
	case nil:
		if got == nil {
			return nil
		}
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			break
		}
		var all []mismatch
		for _, key := range sorted(w) {
			all = append(all, absent(path+keyPath(key), w[key], g[key])...)
		}
		return all
	case []any:
		g, ok := got.([]any)
		if !ok {
			break
		}
		var all []mismatch
		for i, item := range w {
			all = append(all, absentItem(path, i, item, g)...)
		}
		return all
	default:
		if reflect.DeepEqual(want, got) {
			return nil
		}
	}
	text := "nothing"
	if got != nil {
		text = jsonOf(got)
	}
	wanted := jsonOf(want)
	if want == nil {
		wanted = "nothing"
	}
	return []mismatch{{path, wanted, text}}
}

func absentItem(path string, i int, want any, items []any) []mismatch {
	if name := nameIn(want); name != "" {
		for _, item := range items {
			if nameIn(item) == name {
				return absent(fmt.Sprintf("%s[%d]", path, i), want, item)
			}
		}
	}
	for _, item := range items {
		if len(absent("", want, item)) == 0 {
			return nil
		}
	}
	return []mismatch{{fmt.Sprintf("%s[%d]", path, i), "an item with " + jsonOf(want), jsonOf(items)}}
}

func nameIn(item any) string {
	o, _ := item.(map[string]any)
	name, _ := o["name"].(string)
	return name
}

func keyPath(key string) string {
	if strings.ContainsAny(key, "./[]") {
		return "[" + key + "]"
	}
	return "." + key
}
