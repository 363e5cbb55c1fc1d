package objects

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/moved"
)

// fieldsOf returns a tree of the fields at these paths. An object below "self" has the same fields.
func fieldsOf(paths ...string) *fieldTree {
	tree := &fieldTree{within: map[string]*fieldTree{}}
	for _, path := range paths {
		tree.add(parsePath(path))
	}
	tree.within["self"] = tree
	tree.within["map"] = &fieldTree{each: tree}
	return tree
}

func TestFieldTree(t *testing.T) {
	fields := fieldsOf("a", "b.c", "list[].d", "labels[x.y/z]")
	for _, test := range []struct {
		in, left string
		removed  []string
	}{
		{`{"b":{"a":1},"c":2,"d":"a","e":["a",{"b":"c"}]}`, `{"b":{"a":1},"c":2,"d":"a","e":["a",{"b":"c"}]}`, nil},
		{`{"a":{"a":[1]},"b":{"c":null,"e":0}}`, `{"b":{"e":0}}`, []string{"a", "b.c"}},
		{`{"list":[{"d":1},{"e":2},[{"d":3}]]}`, `{"list":[{},{"e":2},[{}]]}`, []string{"list[0].d", "list[2][0].d"}},
		{`{"self":{"self":{"a":1}},"map":{"a":{"a":2},"k":{"b":{"c":3}}}}`, `{"map":{"a":{},"k":{"b":{}}},"self":{"self":{}}}`,
			[]string{"map.a.a", "map.k.b.c", "self.self.a"}},
		{`{"labels":{"x.y/z":"1","a":"2"}}`, `{"labels":{"a":"2"}}`, []string{"labels.x.y/z"}},
		{` { "\u0061" : 1.50 } `, `{}`, []string{"a"}},
		{`[]`, `[]`, nil},
		{`"a"`, `"a"`, nil},
	} {
		tree, err := moved.Tree([]byte(test.in))
		if err != nil {
			t.Fatal(err)
		}
		removed := slices.Sorted(slices.Values(fields.removeFrom(tree, "")))
		if diff := cmp.Diff(test.removed, removed); diff != "" {
			t.Errorf("%s (-want removed +got):\n%s", test.in, diff)
		}
		if left, err := json.Marshal(tree); err != nil || string(left) != test.left {
			t.Errorf("%s: left %s (%v), want %s", test.in, left, err, test.left)
		}
		if got := fields.mayBeIn([]byte(test.in)); got != (len(test.removed) > 0) {
			t.Errorf("%s: mayBeIn = %v", test.in, got)
		}
	}
}

func TestFieldTreeBroken(t *testing.T) {
	fields := fieldsOf("a")
	for _, text := range []string{``, `{`, `{"b"`, `{"b":`, `{"b":1`, `{b:1}`, `{"b" 1}`, `[1`, `"b`, `{"b\`, `{"b":}`, `[}`} {
		_ = fields.mayBeIn([]byte(text)) // must end
	}
	if !fields.mayBeIn([]byte(`{"b":{"c":"d`)) {
		t.Error("broken JSON is taken for JSON without the fields")
	}
}

// FuzzFieldTree checks that no field is overlooked.
func FuzzFieldTree(f *testing.F) {
	f.Add([]byte(`{"b":{"c":[1,{"a":2}]},"self":[{"a":"\"}"}]}`))
	f.Add([]byte(`{"self":{"b":[],"map":{"\\":{"a":{}}}}}`))
	fields := fieldsOf("a", "b.c", "list[].d")
	f.Fuzz(func(t *testing.T, data []byte) {
		tree, err := moved.Tree(data)
		if err != nil {
			return
		}
		if removed := fields.removeFrom(tree, ""); len(removed) > 0 && !fields.mayBeIn(data) {
			t.Errorf("mayBeIn(%s) = false, but it has %v", data, removed)
		}
	})
}
