package patch

import "testing"

// Members are in the order in which the server's library writes them: sorted where a patch looked, unchanged elsewhere.
func TestSorted(t *testing.T) {
	const doc = `{"b":{"z":1,"a":{"y":1,"x":2}},"a":[{"d":1,"c":2}]}`
	for _, test := range []struct{ reason, patch, want string }{
		{"the root", `[{"op":"add","path":"/c","value":{"2":0,"1":0}}]`, `{"a":[{"d":1,"c":2}],"b":{"z":1,"a":{"y":1,"x":2}},"c":{"2":0,"1":0}}`},
		{"on the way", `[{"op":"add","path":"/b/m","value":1}]`, `{"a":[{"d":1,"c":2}],"b":{"a":{"y":1,"x":2},"m":1,"z":1}}`},
		{"in a list", `[{"op":"add","path":"/a/0/b","value":1}]`, `{"a":[{"b":1,"c":2,"d":1}],"b":{"z":1,"a":{"y":1,"x":2}}}`},
		{"not the added value", `[{"op":"add","path":"/a/-","value":{"2":0,"1":0}}]`, `{"a":[{"d":1,"c":2},{"2":0,"1":0}],"b":{"z":1,"a":{"y":1,"x":2}}}`},
	} {
		p, err := DecodeJSON([]byte(test.patch))
		if err != nil {
			t.Fatal(err)
		}
		patched, err := p.Apply([]byte(doc))
		if err != nil {
			t.Fatal(err)
		}
		if got := string(p.Sorted(patched)); got != test.want {
			t.Errorf("%s: %s leaves\n     %s\nwant %s", test.reason, test.patch, got, test.want)
		}
	}
}

func TestSortedMerge(t *testing.T) {
	const (
		merged = `{"b":{"z":[{"2":1.0,"1":0}],"a":{"y":1,"x":2}},"a":{"d":1,"c":2}}`
		patch  = `{"b":{"z":[{"2":1.0,"1":0}]}}`
		want   = `{"a":{"d":1,"c":2},"b":{"a":{"y":1,"x":2},"z":[{"1":0,"2":1.0}]}}`
	)
	if got := string(SortedMerge([]byte(merged), []byte(patch))); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
