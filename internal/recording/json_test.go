package recording

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// values holds valid and broken JSON, one value per line.
const values = `{}
[]
{"a":1,"b":[true,false,null],"c":{"d":"e"}}
"\u00e9\n\"\\"
-0.5e+10
01
1.
-
+1
"\u12g4"
"\x"
{"a":1,}
[1,]
{"a" 1}
{a:1}
nul
tru e
"tab	inside"
{"a":1}}
["long enough for eight bytes at once, with a \" and an é inside"]`

func TestSkipValueAgreesWithTheLibrary(t *testing.T) {
	deep := strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)
	for _, v := range append(strings.Split(values, "\n"), deep, "["+deep+"]", "", " ") {
		checkValid(t, []byte(v))
	}
}

func checkValid(t *testing.T, data []byte) {
	t.Helper()
	i := skipSpace(data, 0)
	end, err := skipValue(data, i, 0)
	got := err == nil && skipSpace(data, end) == len(data)
	if want := json.Valid(data); got != want {
		t.Errorf("%.100q is JSON: %v, want %v (%v)", data, got, want, err)
	}
}

// The package accepts the same JSON as encoding/json, and finds the same fields in it.
func FuzzJSON(f *testing.F) {
	for v := range strings.SplitSeq(values, "\n") {
		f.Add([]byte(v))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		checkValid(t, data)
		var want map[string]json.RawMessage
		if json.Unmarshal(data, &want) != nil || want == nil {
			return
		}
		got := map[string]json.RawMessage{}
		eachField(data, func(key, value []byte) { got[string(key)] = value })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("fields of %q (-library +ours):\n%s", data, diff)
		}
		var s string
		for _, value := range got {
			if value[0] == '"' && json.Unmarshal(value, &s) == nil && s != unquote(value) {
				t.Errorf("unquote(%s) = %q, want %q", value, unquote(value), s)
			}
		}
	})
}
