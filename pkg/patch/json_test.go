package patch

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatchv4 "gopkg.in/evanphx/json-patch.v4"
)

// The last column is the result, or the error after "error: ". Every row is also checked against the library that the
// server uses.
var jsonCases = []struct{ reason, doc, patch, want string }{
	{"W-204: null is not a patch", `{"a":1}`, `null`, `{"a":1}`},
	{"W-204: an empty list is not a patch", `{"a":1}`, `[]`, `{"a":1}`},

	{"W-208: add sets a member", `{"a":{}}`, `[{"op":"add","path":"/a/b","value":1}]`, `{"a":{"b":1}}`},
	{"W-208: add overwrites a member", `{"a":1}`, `[{"op":"add","path":"/a","value":2}]`, `{"a":2}`},
	{"W-208: add creates no parent", `{}`, `[{"op":"add","path":"/spec/deep/er","value":1}]`, `error: add operation does not apply: doc is missing path: "/spec/deep/er": missing value`},
	{"W-208: a null parent counts as missing", `{"a":null}`, `[{"op":"add","path":"/a/b","value":1}]`, `error: add operation does not apply: doc is missing path: "/a/b": missing value`},
	{"W-208: so is a string", `{"a":"x"}`, `[{"op":"add","path":"/a/b","value":1}]`, `error: add operation does not apply: doc is missing path: "/a/b": missing value`},
	{"W-208: add inserts into a list", `{"a":[1,2]}`, `[{"op":"add","path":"/a/1","value":9}]`, `{"a":[1,9,2]}`},
	{"W-208: - is the end of a list", `{"a":[1]}`, `[{"op":"add","path":"/a/-","value":2}]`, `{"a":[1,2]}`},
	{"W-208: a negative index counts from the end, of the longer list", `{"a":[1,2]}`, `[{"op":"add","path":"/a/-1","value":9}]`, `{"a":[1,2,9]}`},
	{"W-208: the lowest negative index", `{"a":[1,2]}`, `[{"op":"add","path":"/a/-3","value":9}]`, `{"a":[9,1,2]}`},
	{"W-208: below the lowest negative index", `{"a":[1,2]}`, `[{"op":"add","path":"/a/-4","value":9}]`, `error: error in add for path: '/a/-4': Unable to access invalid index: -4: invalid index referenced`},
	{"W-208: beyond the list", `{"spec":{"containers":[{}]}}`, `[{"op":"add","path":"/spec/containers/9","value":{}}]`, `error: error in add for path: '/spec/containers/9': Unable to access invalid index: 9: invalid index referenced`},
	{"W-208: no index at all", `{"a":[]}`, `[{"op":"add","path":"/a/x","value":1}]`, `error: error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`},
	{"W-208: - is not an item on a path", `{"a":[{}]}`, `[{"op":"add","path":"/a/-/b","value":1}]`, `error: add operation does not apply: doc is missing path: "/a/-/b": missing value`},
	{"W-208: add does not replace the document", `{}`, `[{"op":"add","path":"","value":{}}]`, `error: add operation does not apply: doc is missing path: "": missing value`},
	{"W-208: an add without value adds null", `{}`, `[{"op":"add","path":"/a"}]`, `{"a":null}`},
	{"W-208: what is before the first slash is ignored", `{}`, `[{"op":"add","path":"x/a","value":1}]`, `{"a":1}`},
	{"W-208: without a slash there is no location", `{}`, `[{"op":"add","path":"a","value":1}]`, `error: add operation does not apply: doc is missing path: "a": missing value`},
	{"RFC 6901: ~1 is a slash, ~01 is ~1", `{"m":{}}`, `[{"op":"add","path":"/m/a~1b~01","value":1}]`, `{"m":{"a/b~1":1}}`},
	{"RFC 6901: the empty key", `{"":{"":{"a":1}}}`, `[{"op":"remove","path":"///a"},{"op":"add","path":"/","value":2},{"op":"add","path":"/b","value":3}]`, `{"":2,"b":3}`},

	{"W-208: remove", `{"a":1,"b":[1,2,3]}`, `[{"op":"remove","path":"/a"},{"op":"remove","path":"/b/-1"},{"op":"remove","path":"/b/0"}]`, `{"b":[2]}`},
	{"W-208: remove of a missing key", `{"data":{}}`, `[{"op":"remove","path":"/data/none"}]`, `error: error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value`},
	{"W-208: remove of a missing index", `{"a":[]}`, `[{"op":"remove","path":"/a/0"}]`, `error: error in remove for path: '/a/0': Unable to access invalid index: 0: invalid index referenced`},
	{"W-208: remove with a bad index", `{"a":[]}`, `[{"op":"remove","path":"/a/-"}]`, `error: error in remove for path: '/a/-': strconv.Atoi: parsing "-": invalid syntax`},
	{"W-208: remove below a missing parent", `{}`, `[{"op":"remove","path":"/a/b"}]`, `error: remove operation does not apply: doc is missing path: "/a/b": missing value`},
	{"W-208: remove of a null", `{"a":null}`, `[{"op":"remove","path":"/a"}]`, `{}`},
	{"a key written twice is removed for good", `{"a":1}`, `[{"op":"add","path":"/x","value":{"k":1,"k":2}},{"op":"remove","path":"/x/k"}]`, `{"a":1,"x":{}}`},

	{"W-208: replace of a missing key adds it", `{"a":{}}`, `[{"op":"replace","path":"/a/b","value":1}]`, `{"a":{"b":1}}`},
	{"W-208: but not below a missing parent", `{}`, `[{"op":"replace","path":"/a/b","value":1}]`, `error: replace operation does not apply: doc is missing path: /a/b: missing value`},
	{"W-208: replace of a missing item", `{"a":[]}`, `[{"op":"replace","path":"/a/0","value":1}]`, `error: replace operation does not apply: doc is missing key: /a/0: missing value`},
	{"W-208: - is not an item to replace", `{"a":[1]}`, `[{"op":"replace","path":"/a/-","value":1}]`, `error: replace operation does not apply: doc is missing key: /a/-: missing value`},
	{"W-208: replace of an item", `{"a":[1,2]}`, `[{"op":"replace","path":"/a/-1","value":9}]`, `{"a":[1,9]}`},
	{"W-208: path \"\" is the document", `{"a":1}`, `[{"op":"replace","path":"","value":{"b":2}},{"op":"add","path":"/c","value":3}]`, `{"b":2,"c":3}`},
	{"W-208: which may become a list", `{"a":1}`, `[{"op":"replace","path":"","value":[1]},{"op":"add","path":"/-","value":3}]`, `[1,3]`},
	{"W-208: but not a scalar", `{"a":1}`, `[{"op":"replace","path":"","value":1}]`, `error: replace operation value must be object or array: %!w(<nil>)`},
	{"W-208: and not null", `{"a":1}`, `[{"op":"replace","path":"","value":null}]`, `error: replace operation value must be object or array: %!w(<nil>)`},

	{"W-208: move", `{"a":{"x":1},"b":[]}`, `[{"op":"move","from":"/a/x","path":"/b/0"}]`, `{"a":{},"b":[1]}`},
	{"W-208: move of a missing key", `{"a":1}`, `[{"op":"move","from":"/b","path":"/c"}]`, `error: error in move for path: 'b': Unable to remove nonexistent key: b: missing value`},
	{"W-208: move from nowhere", `{"a":1}`, `[{"op":"move","from":"/b/c","path":"/c"}]`, `error: move operation does not apply: doc is missing from path: /b/c: missing value`},
	{"W-208: move to nowhere", `{"a":1}`, `[{"op":"move","from":"/a","path":"/b/c"}]`, `error: move operation does not apply: doc is missing destination path: /b/c: missing value`},
	{"W-208: move into itself", `{"a":{}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, `error: move operation does not apply: doc is missing destination path: /a/b: missing value`},
	{"W-208: move beyond a list", `{"a":1,"b":[]}`, `[{"op":"move","from":"/a","path":"/b/1"}]`, `error: error in move for path: '/b/1': Unable to access invalid index: 1: invalid index referenced`},
	{"W-208: a key with a slash, in a move", `{}`, `[{"op":"move","from":"/a~1b","path":"/c"}]`, `error: error in move for path: 'a/b': Unable to remove nonexistent key: a/b: missing value`},

	{"W-208: copy", `{"a":{"x":1}}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/y","value":2}]`, `{"a":{"x":1},"b":{"x":1,"y":2}}`},
	{"W-208: copy of a missing key is null", `{}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `{"b":null}`},
	{"W-208: copy of a missing item", `{"a":[]}`, `[{"op":"copy","from":"/a/0","path":"/b"}]`, `error: error in copy for from: '/a/0': Unable to access invalid index: 0: invalid index referenced`},
	{"W-208: copy from nowhere", `{}`, `[{"op":"copy","from":"/a/b","path":"/b"}]`, `error: copy operation does not apply: doc is missing from path: /a/b: missing value`},
	{"W-208: copy to nowhere", `{"a":1}`, `[{"op":"copy","from":"/a","path":"/b/c"}]`, `error: copy operation does not apply: doc is missing destination path: /b/c: missing value`},
	{"W-208: copy beyond a list", `{"a":[1]}`, `[{"op":"copy","from":"/a/0","path":"/a/2"}]`, `error: error while adding value during copy: Unable to access invalid index: 2: invalid index referenced`},

	{"W-208: test", `{"a":{"b":[1,{"c":"x"}]}}`, `[{"op":"test","path":"/a","value":{ "b" : [ 1, {"c":"x"} ] }}]`, `{"a":{"b":[1,{"c":"x"}]}}`},
	{"W-208: a failing test", `{"data":{"a":"1"}}`, `[{"op":"test","path":"/data/a","value":"2"}]`, `error: testing value /data/a failed: test failed`},
	{"W-208: test of the document", `{"a":1}`, `[{"op":"test","path":"","value":{"a":1}}]`, `{"a":1}`},
	{"W-208: a missing key is null", `{}`, `[{"op":"test","path":"/a","value":null},{"op":"test","path":"/a"}]`, `{}`},
	{"W-208: null is null", `{"a":null}`, `[{"op":"test","path":"/a","value":null}]`, `{"a":null}`},
	{"W-208: a value is not null", `{"a":1}`, `[{"op":"test","path":"/a","value":null}]`, `error: testing value /a failed: test failed`},
	{"W-208: numbers are compared as written", `{"a":1}`, `[{"op":"test","path":"/a","value":1.0}]`, `error: testing value /a failed: test failed`},
	{"W-208: strings too", `{"a":"\u003c"}`, `[{"op":"test","path":"/a","value":"<"}]`, `error: testing value /a failed: test failed`},
	{"W-208: also after other operations", `{"a":"<"}`, `[{"op":"add","path":"/b","value":1},{"op":"test","path":"/a","value":"<"}]`, `{"a":"<","b":1}`},
	{"W-208: but a copy is escaped", `{"a":"<"}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"test","path":"/b","value":"<"}]`, `error: testing value /b failed: test failed`},
	{"W-208: test of a missing item", `{"a":[]}`, `[{"op":"test","path":"/a/0","value":1}]`, `error: error in test for path: '/a/0': Unable to access invalid index: 0: invalid index referenced`},
	{"W-208: test below a missing parent", `{}`, `[{"op":"test","path":"/a/b","value":1}]`, `error: test operation does not apply: is missing path: /a/b: missing value`},

	{"W-208: an unknown op fails when its turn comes", `{}`, `[{"op":"remove","path":"/a"},{"op":"frobnicate","path":"/a"}]`, `error: error in remove for path: '/a': Unable to remove nonexistent key: a: missing value`},
	{"W-208: with its name", `{}`, `[{"op":"frobnicate","path":"/a"}]`, `error: Unexpected kind: frobnicate`},
	{"W-208: no op", `{}`, `[{"path":"/a"}]`, `error: Unexpected kind: unknown`},
	{"W-208: an op that is not a string", `{}`, `[{"op":1,"path":"/a"}]`, `error: Unexpected kind: unknown`},
	{"W-208: a null operation", `{}`, `[null]`, `error: Unexpected kind: unknown`},
	{"W-208: extra members are ignored, the last of two counts", `{}`, `[{"op":"remove","op":"add","path":"/a","value":1,"why":"so"}]`, `{"a":1}`},
	{"no path: add", `{}`, `[{"op":"add"}]`, `error: add operation failed to decode path: missing value`},
	{"no path: remove", `{}`, `[{"op":"remove"}]`, `error: remove operation failed to decode path: missing value`},
	{"no path: replace", `{}`, `[{"op":"replace"}]`, `error: replace operation failed to decode path: operation missing path field: missing value`},
	{"no path: test", `{}`, `[{"op":"test"}]`, `error: test operation failed to decode path: operation missing path field: missing value`},
	{"no path: move", `{"a":1}`, `[{"op":"move","from":"/a"}]`, `error: move operation failed to decode path: operation missing path field: missing value`},
	{"no path: copy", `{"a":1}`, `[{"op":"copy","from":"/a"}]`, `error: copy operation failed to decode path: missing value`},
	{"no from: move", `{}`, `[{"op":"move","path":"/a"}]`, `error: move operation failed to decode from: operation, missing from field: missing value`},
	{"no from: copy", `{}`, `[{"op":"copy","path":"/a"}]`, `error: copy operation failed to decode from: operation, missing from field: missing value`},
	{"a path that is a number", `{}`, `[{"op":"replace","path":1}]`, `error: replace operation failed to decode path: json: cannot unmarshal number into Go value of type string`},

	{"W-205: an object is not a patch", `{}`, `{"op":"add"}`, `error: json: cannot unmarshal object into Go value of type jsonpatch.Patch`},
	{"W-205: a list of strings is not a patch", `{}`, `["add"]`, `error: json: cannot unmarshal string into Go value of type jsonpatch.Operation`},
	{"W-205: invalid JSON is not a patch", `{}`, `not json`, `error: invalid character 'o' in literal null (expecting 'u')`},
	{"W-205: empty text is not a patch", `{}`, ``, `error: unexpected end of JSON input`},

	{"int64 survives", `{"a":9007199254740993,"b":1e400}`, `[{"op":"copy","from":"/a","path":"/c"}]`, `{"a":9007199254740993,"b":1e400,"c":9007199254740993}`},

	{"a list with null cannot be tested", `{"a":[null]}`, `[{"op":"test","path":"/a","value":[null]}]`, `error: runtime error: invalid memory address or nil pointer dereference`},
	{"a test of the document without value", `{}`, `[{"op":"test","path":""}]`, `error: runtime error: invalid memory address or nil pointer dereference`},
	{"a replace of the document without value", `{}`, `[{"op":"replace","path":""}]`, `error: runtime error: invalid memory address or nil pointer dereference`},
}

func TestJSON(t *testing.T) {
	for _, tt := range jsonCases {
		t.Run(tt.reason, func(t *testing.T) {
			if got := answer(JSON([]byte(tt.doc), []byte(tt.patch))); !sameAnswer(got, tt.want) {
				t.Errorf("JSON(%s, %s)\n got %s\nwant %s", tt.doc, tt.patch, got, tt.want)
			}
			if got := answer(oracle(tt.doc, tt.patch)); !sameAnswer(got, tt.want) {
				t.Errorf("json-patch v4: Apply(%s, %s)\n got %s\nwant %s", tt.doc, tt.patch, got, tt.want)
			}
		})
	}
}

// The limit is that of kube-apiserver's default options.
func TestJSONCopyLimit(t *testing.T) {
	doc := `{"a":"` + strings.Repeat("x", 1<<20) + `"}`
	patch := `[{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/b"},{"op":"copy","from":"/a","path":"/b"}]`
	want := "error: Unable to complete the copy, the accumulated size increase of copy is 3145734, exceeding the limit 3145728"
	if got := answer(JSON([]byte(doc), []byte(patch))); got != want {
		t.Errorf("got %.200s, want %s", got, want)
	}
}

func TestErrors(t *testing.T) {
	for patch, want := range map[string]OperationError{
		`[{"op":"test","path":"/a","value":2}]`:                                   {Index: 0, TestFailed: true},
		`[{"op":"add","path":"/b","value":2},{"op":"test","path":"/c/d"}]`:        {Index: 1},
		`[{"op":"test","path":"/a","value":1},{"op":"remove","path":"/missing"}]`: {Index: 1},
	} {
		_, err := JSON([]byte(`{"a":1}`), []byte(patch))
		got, ok := errors.AsType[*OperationError](err)
		if !ok || got.Index != want.Index || got.TestFailed != want.TestFailed {
			t.Errorf("the error of %s is %#v, want %#v", patch, err, want)
		}
	}
	_, err := JSON([]byte(`{"a":[null]}`), []byte(`[{"op":"test","path":"/a","value":[1]}]`))
	if !errors.Is(err, ErrPanic) {
		t.Errorf("a test of a list with null is %v, want ErrPanic", err)
	}
}

// The null of a policy is not the null of a decoded patch (W-306).
func TestOf(t *testing.T) {
	null := json.RawMessage("null")
	for _, tt := range []struct {
		reason, doc string
		op          Operation
		want        string
	}{
		{"a missing value is null", `{}`, Operation{Op: "add", Path: "/a"}, `{"a":null}`},
		{"a missing op", `{}`, Operation{Path: "/a"}, `error: Unexpected kind: `},
		{"a test for null fails on a missing key", `{}`, Operation{Op: "test", Path: "/a", Value: null}, `error: testing value /a failed: test failed`},
		{"and on null", `{"a":null}`, Operation{Op: "test", Path: "/a", Value: null}, `error: testing value /a failed: test failed`},
		{"without a value the test holds", `{}`, Operation{Op: "test", Path: "/a"}, `{}`},
		{"an empty object passes for null", `{"a":{}}`, Operation{Op: "test", Path: "/a", Value: null}, `{"a":{}}`},
		{"a copy has a from", `{"a":1}`, Operation{Op: "copy", From: "/a", Path: "/b"}, `{"a":1,"b":1}`},
		{"null replaces the document", `{"a":1}`, Operation{Op: "replace", Path: "", Value: null}, `null`},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if got := answer(Of(tt.op).Apply([]byte(tt.doc))); !sameAnswer(got, tt.want) {
				t.Errorf("got %s, want %s", got, tt.want)
			}
			op := jsonpatchv4.Operation{"op": quote(tt.op.Op), "path": quote(tt.op.Path)}
			if tt.op.From != "" {
				op["from"] = quote(tt.op.From)
			}
			if tt.op.Value != nil {
				op["value"] = &tt.op.Value
			}
			if got := answer(jsonpatchv4.Patch{op}.Apply([]byte(tt.doc))); !sameAnswer(got, tt.want) {
				t.Errorf("json-patch v4: got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestPatchMarshalJSON(t *testing.T) {
	for _, tt := range []struct{ reason, patch, want, sent string }{
		{"W-245: members are sorted; values are compact and escaped, or as sent",
			`[ {"value" : {"z":1.50, "a":"<&>"}, "path":"/a", "op":"add", "extra": [ 1 ]} ]`,
			`[{"extra":[1],"op":"add","path":"/a","value":{"z":1.50,"a":"\u003c\u0026\u003e"}}]`,
			`[{"extra":[ 1 ],"op":"add","path":"/a","value":{"z":1.50, "a":"<&>"}}]`},
		{"null values stay", `[{"op":"add","path":"/a","value":null}]`, `[{"op":"add","path":"/a","value":null}]`, ``},
		{"of two equal names the last counts", `[{"op":"add","op":"test","path":"/a"}]`, `[{"op":"test","path":"/a"}]`, ``},
		{"names are escaped", `[{"<":1},{}]`, `[{"\u003c":1},{}]`, ``},
		{"no operations", `null`, `[]`, ``},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			p, err := DecodeJSON([]byte(tt.patch))
			if err != nil {
				t.Fatal(err)
			}
			got, err := json.Marshal(p)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, string(got)); diff != "" {
				t.Errorf("Marshal(%s): -want +got\n%s", tt.patch, diff)
			}
			sent, err := p.MarshalJSON()
			if err != nil {
				t.Fatal(err)
			}
			if tt.sent == "" {
				tt.sent = tt.want
			}
			if diff := cmp.Diff(tt.sent, string(sent)); diff != "" {
				t.Errorf("MarshalJSON of %s: -want +got\n%s", tt.patch, diff)
			}
		})
	}
}

// Up to 1.22, no operation is on the whole document, and an item cannot be read by a negative index; up to 1.15, errors say
// less (W-208).
func TestAs(t *testing.T) {
	const doc = `{"a":["b"],"c":1}`
	for _, tt := range []struct{ patch, today, parts, terse string }{
		{`[{"op":"replace","path":"","value":{}}]`, `{}`,
			`replace operation does not apply: doc is missing path: : missing value`, `jsonpatch replace operation does not apply: doc is missing path: `},
		{`[{"op":"test","path":"","value":{"a":["b"],"c":1}}]`, doc,
			`test operation does not apply: is missing path: : missing value`, `jsonpatch test operation does not apply: is missing path: `},
		{`[{"op":"test","path":"/a/-1","value":"b"}]`, doc, ErrPanic.Error(), ErrPanic.Error()},
		{`[{"op":"copy","from":"/a/-1","path":"/d"}]`, `{"a":["b"],"c":1,"d":"b"}`, ErrPanic.Error(), ErrPanic.Error()},
		{`[{"op":"add","path":"/a/-1/x","value":1}]`, `add operation does not apply: doc is missing path: "/a/-1/x": missing value`, ErrPanic.Error(), ErrPanic.Error()},
		{`[{"op":"remove","path":"/a/-1"}]`, `{"a":[],"c":1}`, `{"a":[],"c":1}`, `{"a":[],"c":1}`},
		{`[{"op":"add","value":1}]`, `add operation failed to decode path: missing value`,
			`add operation failed to decode path: missing value`, `jsonpatch add operation does not apply: doc is missing path: "unknown"`},
		{`[{"op":"test","path":"/c","value":2}]`, `testing value /c failed: test failed`, `testing value /c failed: test failed`, `Testing value /c failed`},
		{`[{"op":"add","path":"/a/x","value":2}]`, `error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`,
			`error in add for path: '/a/x': value was not a proper array index: 'x': strconv.Atoi: parsing "x": invalid syntax`, `strconv.Atoi: parsing "x": invalid syntax`},
	} {
		p, err := DecodeJSON([]byte(tt.patch))
		if err != nil {
			t.Fatal(err)
		}
		for _, as := range []struct {
			patch Patch
			want  string
		}{{p, tt.today}, {p.As(false, true), tt.parts}, {p.As(false, false), tt.terse}} {
			got, err := as.patch.Apply([]byte(doc))
			if err != nil {
				got = []byte(err.Error())
			}
			if string(got) != as.want {
				t.Errorf("%s (%+v) = %s, want %s", tt.patch, as.patch, got, as.want)
			}
		}
	}
}
