package compare

import (
	"encoding/json"
	"reflect"
	"testing"

	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/steady"
)

func TestSameText(t *testing.T) {
	for _, test := range []struct {
		a, b   string
		want   bool
		reason string
	}{
		{`{"a":1}`, ` { "a" : 1 } `, true, "space"},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, false, "another order has to be compared by value"},
		{`{"metadata":{"uid":"x","resourceVersion":"1"}}`, `{"metadata":{"uid":"y","resourceVersion":"2"}}`, true, "normalized"},
		{`{"metadata":{"uid":"x"}}`, `{"metadata":{"uid":""}}`, false, "that there is one is compared"},
		{`{"metadata":{"uid":"x"}}`, `{"metadata":{}}`, false, "one is missing"},
		{`{"managedFields":[{"a":{"b":["}"]}}],"a":1}`, `{"a":1}`, true, "not compared"},
		{`{"a":1,"managedFields":[]}`, `{"a":1}`, true, "not compared at the end either"},
		{`{"a":[1,2]}`, `{"a":[1]}`, false, "shorter"},
		{`{"a":[]}`, `{"a":[]}`, true, "empty"},
		{`{"a":"kube-api-access-abcde"}`, `{"a":"kube-api-access-fghij"}`, true, "generated"},
		{`{"a":"in scheme \\"x\\" b"}`, `{"a":"in scheme \\"y\\" b"}`, false, "escapes"},
		{`{"a":1`, `{"a":1`, false, "broken"},
		{`{"a":true}`, `{"a":false}`, false, "words"},
		{``, ``, false, "nothing"},
	} {
		if got := sameText([]byte(test.a), []byte(test.b)); got != test.want {
			t.Errorf("sameText(%s, %s) = %v, want %v: %s", test.a, test.b, got, test.want, test.reason)
		}
	}
}

// Texts that sameText finds to be the same have the same value, and it never panics.
func FuzzSameText(f *testing.F) {
	f.Add([]byte(`{"a":["x",1,null,{"uid":"u"}],"managedFields":[{}]}`), []byte(`{"a":["x",1,null,{"uid":"v"}]}`))
	f.Add([]byte(`[{"message":"in scheme \\"x\\""}]`), []byte(`[]`))
	f.Fuzz(func(t *testing.T, a, b []byte) {
		if !sameText(a, b) {
			return
		}
		var va, vb any
		if json.Unmarshal(a, &va) != nil || json.Unmarshal(b, &vb) != nil {
			return // sameText is only called with valid JSON
		}
		if va, vb = steady.Value(va), steady.Value(vb); !reflect.DeepEqual(va, vb) {
			t.Errorf("not the same:\n%s\n%s", a, b)
		}
	})
}

// Every object in the real log is found to be the same as itself without decoding.
func TestSameTextOfRealLog(t *testing.T) {
	sources, err := recording.Find([]string{"../testdata/webhooks.log.gz"}, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	r, err := recording.NewReader(sources, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	objects := 0
	for {
		rec, err := r.Next()
		if err != nil {
			break
		}
		if raw := rec.Answer.Object; raw != nil {
			if objects++; !sameText(raw, raw) {
				t.Errorf("%s: not the same as itself: %.300s", rec.Position, raw)
			}
		}
	}
	if objects < 800 {
		t.Errorf("%d objects", objects)
	}
}
