package patch

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	jsonpatchv4 "gopkg.in/evanphx/json-patch.v4"
)

var mergeCases = []struct{ reason, doc, patch, want string }{
	{"RFC 7386: members are set and null removes", `{"a":1,"b":{"x":1,"y":2}}`, `{"a":null,"b":{"y":3,"z":4}}`, `{"b":{"x":1,"y":3,"z":4}}`},
	{"RFC 7386: a missing member may be removed", `{"a":1}`, `{"b":null}`, `{"a":1}`},
	{"RFC 7386: lists are replaced", `{"a":[1,2]}`, `{"a":[3]}`, `{"a":[3]}`},
	{"RFC 7386: nulls in a new object are left out", `{}`, `{"a":{"b":null,"c":{"d":null}}}`, `{"a":{"c":{}}}`},
	{"RFC 7386: they are also left out if a scalar becomes an object", `{"a":1}`, `{"a":{"b":null,"c":1}}`, `{"a":{"c":1}}`},
	{"RFC 7386: null is not an object", `{"a":null}`, `{"a":{"b":null}}`, `{"a":{}}`},
	{"nulls in a list stay, those in its objects are removed", `{}`, `{"a":[null,{"b":null}]}`, `{"a":[null,{}]}`},
	{"but not if the list replaces an object", `{"a":{}}`, `{"a":[{"b":null}]}`, `{"a":[{"b":null}]}`},
	{"a list replaces the document", `{"a":1}`, `[{"b":null}]`, `[{}]`},
	{"an object replaces a list", `[1]`, `{"a":{"b":null}}`, `{"a":{}}`},
	{"int64 survives", `{"a":9007199254740993}`, `{"b":9007199254740995}`, `{"a":9007199254740993,"b":9007199254740995}`},
	{"a patch that is null", `{}`, ` null `, `error: Invalid JSON Patch`},
	{"a patch that is a scalar", `{}`, `"x"`, `error: Invalid JSON Patch`},
	{"an empty patch", `{}`, ``, `error: Invalid JSON Patch`},
	{"a patch that is not JSON", `{}`, `{`, `error: Invalid JSON Patch`},
	{"a document that is not JSON", `{`, `{`, `error: Invalid JSON Document`},
	{"a document that is null", `null`, `1`, `error: Invalid JSON Document`},
}

func TestMerge(t *testing.T) {
	for _, tt := range mergeCases {
		t.Run(tt.reason, func(t *testing.T) {
			if got := answer(Merge([]byte(tt.doc), []byte(tt.patch))); !sameAnswer(got, tt.want) {
				t.Errorf("Merge(%s, %s)\n got %s\nwant %s", tt.doc, tt.patch, got, tt.want)
			}
			if got := answer(jsonpatchv4.MergePatch([]byte(tt.doc), []byte(tt.patch))); !sameAnswer(got, tt.want) {
				t.Errorf("json-patch v4: MergePatch(%s, %s)\n got %s\nwant %s", tt.doc, tt.patch, got, tt.want)
			}
		})
	}
}

func TestMergeToJSON(t *testing.T) {
	ops, err := MergeToJSON(
		[]byte(`{"metadata":{"name":"a","labels":{"old":"1"}},"spec":{"containers":[{"name":"c"}]}}`),
		[]byte(`{"metadata":{"labels":{"old":null,"new":"2"}},"spec":{"containers":[{"name":"c"},{"name":"d"}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	const want = `add     /metadata/labels/new "2"
remove  /metadata/labels/old
add     /spec/containers/1 {"name":"d"}
`
	if diff := cmp.Diff(want, transcript(ops)); diff != "" {
		t.Errorf("MergeToJSON: -want +got\n%s", diff)
	}
	if _, err := MergeToJSON([]byte(`{}`), []byte(`1`)); err != errBadJSONPatch {
		t.Errorf("MergeToJSON of a scalar = %v, want ErrBadJSONPatch", err)
	}
}

// Results and error texts are those of the server's library.
func FuzzMergeOracle(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &choices{b}
		doc, patch := c.value(3), c.value(3)
		want := answer(jsonpatchv4.MergePatch([]byte(doc), []byte(patch)))
		if got := answer(Merge([]byte(doc), []byte(patch))); !sameAnswer(got, want) {
			t.Errorf("Merge(%s, %s)\n got %s\nwant %s", doc, patch, got, want)
		}
	})
}
