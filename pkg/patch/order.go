package patch

import (
	"encoding/json"
	"slices"
	"strconv"

	"github.com/admsim/admsim/internal/jsonpointer"
)

// The server's library keeps the members of objects that a patch looks into in a map, and writes them in order of name.
// This is visible where the result is read strictly, and in which of several errors is reported first.

// Sorted returns patched, a result of p, with the members of objects in the server's order: sorted on the path to each
// location that an operation names, and unchanged everywhere else.
func (p Patch) Sorted(patched []byte) []byte {
	var places [][]string
	for _, op := range p.ops {
		for _, member := range []string{"path", "from"} {
			var pointer string
			if raw := op[member]; raw == nil || json.Unmarshal(*raw, &pointer) != nil {
				continue
			}
			places = append(places, jsonpointer.Keys(pointer))
		}
	}
	return sortedTo(patched, places)
}

// SortedMerge returns merged, the result of a merge patch, with the members of objects in the server's order: sorted
// wherever the patch has something.
func SortedMerge(merged, patch []byte) []byte {
	var tree any
	if json.Unmarshal(patch, &tree) != nil {
		return merged
	}
	return sortedTo(merged, placesIn(tree, nil, nil))
}

// placesIn appends the paths of the members of all objects in a tree, and of the items of its lists.
func placesIn(tree any, at []string, places [][]string) [][]string {
	inside := func(name string, member any) {
		place := append(slices.Clone(at), name)
		places = placesIn(member, place, append(places, place))
	}
	switch tree := tree.(type) {
	case map[string]any:
		for name, member := range tree {
			inside(name, member)
		}
	case []any:
		for i, item := range tree {
			inside(strconv.Itoa(i), item)
		}
	}
	return places
}

// sortedTo sorts the object or list at the root of doc, and those on the path to places.
func sortedTo(doc json.RawMessage, places [][]string) json.RawMessage {
	below := map[string][][]string{}
	for _, place := range places {
		if len(place) > 1 {
			below[place[0]] = append(below[place[0]], place[1:])
		}
	}
	var object map[string]json.RawMessage
	var list []json.RawMessage
	switch {
	case json.Unmarshal(doc, &object) == nil && object != nil:
		for name, member := range object {
			if len(below[name]) > 0 {
				object[name] = sortedTo(member, below[name])
			}
		}
		return encoded(object, doc)
	case json.Unmarshal(doc, &list) == nil:
		var inside [][]string // of all items, because later operations may have moved them
		for _, places := range below {
			inside = append(inside, places...)
		}
		for i := range list {
			if len(inside) > 0 {
				list[i] = sortedTo(list[i], inside)
			}
		}
		return encoded(list, doc)
	}
	return doc
}

func encoded(v any, otherwise json.RawMessage) json.RawMessage {
	data, err := json.Marshal(v)
	if err != nil {
		return otherwise
	}
	return data
}
