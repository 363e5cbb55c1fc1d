package rules

import (
	"encoding/json"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func Rename(c map[string]any, from, to string) {
	if value, ok := c[from]; ok {
		c[to] = value
		delete(c, from)
	}
}

// Moved lists a version in which some fields are in other places than in the hub. toHub and fromHub move them in the
// JSON of an object.
func Moved(gv, hub schema.GroupVersion, kind string, toHub, fromHub func(map[string]any)) *Version {
	return &Version{
		GVK: gv.WithKind(kind), Hub: hub.WithKind(kind), SameShape: true,
		ToHub:   func(o, empty runtime.Object) runtime.Object { return fillMoved(o, empty, toHub) },
		FromHub: func(o, empty runtime.Object) runtime.Object { return fillMoved(o, empty, fromHub) },
	}
}

// fillMoved is [Fill], with move applied to the JSON.
func fillMoved(obj, empty runtime.Object, move func(map[string]any)) runtime.Object {
	content := contentOf(encodeWhole(obj))
	move(content)
	data, err := json.Marshal(content)
	if err != nil {
		panic(err)
	}
	if err := json.Unmarshal(data, empty); err != nil {
		panic(fmt.Sprintf("objects: no conversion to %T: %v", empty, err))
	}
	return empty
}

// Under returns the object at a path of names, or nil if there is none.
func Under(c map[string]any, names ...string) map[string]any {
	for _, name := range names {
		c, _ = c[name].(map[string]any)
	}
	return c
}

func Each(list any, change func(map[string]any)) {
	items, _ := list.([]any)
	for _, item := range items {
		if m, ok := item.(map[string]any); ok {
			change(m)
		}
	}
}
