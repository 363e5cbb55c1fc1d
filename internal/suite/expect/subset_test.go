package expect

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissing(t *testing.T) {
	type m = mismatch
	for _, tt := range []struct {
		reason, part, whole string
		want                []mismatch
	}{
		{"the same", `{"a":1}`, `{"a":1}`, nil},
		{"more keys are fine", `{"a":1}`, `{"a":1,"b":2}`, nil},
		{"another value", `{"a":1}`, `{"a":2}`, []m{{".a", "1", "2"}}},
		{"no such key", `{"a":{"b":"x"}}`, `{}`, []m{{".a", `{"b":"x"}`, "nothing"}}},
		{"every key is checked, in order", `{"b":1,"a":1}`, `{"a":2,"b":2}`, []m{{".a", "1", "2"}, {".b", "1", "2"}}},
		{"keys with dots are in brackets", `{"metadata":{"labels":{"a.b/c":"x"}}}`, `{"metadata":{"labels":{}}}`, []m{{".metadata.labels[a.b/c]", `"x"`, "nothing"}}},
		{"null matches a missing key", `{"a":null}`, `{"b":1}`, nil},
		{"null does not accept a value", `{"a":null}`, `{"a":1}`, []m{{".a", "nothing", "1"}}},
		{"items in any order", `{"a":[1,2]}`, `{"a":[3,2,1]}`, nil},
		{"no such item", `{"a":[4]}`, `{"a":[1]}`, []m{{".a[0]", "an item with 4", "[1]"}}},
		{"an item is found by its name", `{"a":[{"name":"x","v":1}]}`, `{"a":[{"name":"w","v":1},{"name":"x","v":2}]}`, []m{{".a[0].v", "1", "2"}}},
		{"an item without a name is contained in one", `{"a":[{"v":1}]}`, `{"a":[{"v":2},{"v":1,"w":1}]}`, nil},
		{"a mapping is not a list", `{"a":{}}`, `{"a":[]}`, []m{{".a", "{}", "[]"}}},
		{"a number is not a text", `{"a":1}`, `{"a":"1"}`, []m{{".a", "1", `"1"`}}},
	} {
		got := missing(json.RawMessage(tt.part), json.RawMessage(tt.whole))
		if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(mismatch{})); diff != "" {
			t.Errorf("%s: missing(%s, %s): -want +got\n%s", tt.reason, tt.part, tt.whole, diff)
		}
	}
}
