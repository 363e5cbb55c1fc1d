package objects

import (
	"encoding/json"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/kubeversion"
)

// laterFields are fields that younger releases gave to kinds: a server before that release
// does not know them. Those are listed that a plugin looks at, or whose defaults would show.
var laterFields = map[schema.GroupKind][]laterField{
	{Kind: "Pod"}: {{"spec.resources", 32}},
}

type laterField struct {
	path  string
	since int // the minor version
}

// withoutLater takes the fields that a release does not have yet out of a body. unknown says
// of each what strict decoding says of a field that nobody knows.
func withoutLater(data []byte, kind schema.GroupKind, r *kubeversion.Release) (rest []byte, unknown []error) {
	var tree map[string]any
	for _, f := range laterFields[kind] {
		if r.AtLeast(f.since) {
			continue
		}
		if tree == nil && json.Unmarshal(data, &tree) != nil {
			return data, nil // decoding says what is wrong with it
		}
		if removeField(tree, strings.Split(f.path, ".")) {
			unknown = append(unknown, fmt.Errorf("unknown field %q", f.path))
		}
	}
	if unknown == nil {
		return data, nil
	}
	rest, err := json.Marshal(tree)
	if err != nil {
		panic("objects: what was JSON is none: " + err.Error())
	}
	return rest, unknown
}

func removeField(tree map[string]any, path []string) bool {
	for _, name := range path[:len(path)-1] {
		next, ok := tree[name].(map[string]any)
		if !ok {
			return false
		}
		tree = next
	}
	last := path[len(path)-1]
	_, found := tree[last]
	delete(tree, last)
	return found
}
