package patch

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	jsonpatchv4 "gopkg.in/evanphx/json-patch.v4"
)

// oracle applies the patch with the library that kube-apiserver 1.36 uses.
func oracle(doc, patch string) (result []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	p, err := jsonpatchv4.DecodePatch([]byte(patch))
	if err != nil {
		return nil, err
	}
	return p.Apply([]byte(doc))
}

func answer(result []byte, err error) string {
	if err != nil {
		return "error: " + err.Error()
	}
	return string(result)
}

// sameAnswer compares documents by their contents, with numbers as they are written, and errors by their text.
func sameAnswer(a, b string) bool {
	if strings.HasPrefix(a, "error: ") || strings.HasPrefix(b, "error: ") {
		// The name of the Go type differs.
		const theirs, ours = "jsonpatch.partial", "patch.partial"
		return a == b || strings.ReplaceAll(a, theirs, ours) == strings.ReplaceAll(b, theirs, ours)
	}
	return reflect.DeepEqual(decoded(a), decoded(b))
}

// decoded returns a document as Go values, or its text if it is not a document.
func decoded(doc string) any {
	d := json.NewDecoder(strings.NewReader(doc))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return doc
	}
	return v
}

// Results and error texts are those of the server's library.
func FuzzJSONOracle(f *testing.F) {
	for _, tt := range jsonCases {
		f.Add(tt.doc, tt.patch)
	}
	f.Fuzz(agree)
}

// The same with patches that mostly apply.
func FuzzJSONOracleGenerated(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &choices{b}
		doc := c.object(3)
		for range 4 {
			agree(t, doc, c.patch())
		}
	})
}

func agree(t *testing.T, doc, patch string) {
	if writtenNull(patch) {
		return
	}
	want := answer(oracle(doc, patch))
	if strings.Contains(want, "assignment to entry in nil map") {
		want = answer(nil, ErrPanic)
	}
	if got := answer(JSON([]byte(doc), []byte(patch))); !sameAnswer(got, want) {
		t.Errorf("JSON(%s, %s)\n got %s\nwant %s", doc, patch, got, want)
	}
}

// writtenNull reports the one known difference: the server's library remembers that a null was written by the same
// patch. It then treats a copy of that null as an object, and a test without a value as failed.
func writtenNull(patch string) bool {
	p, err := DecodeJSON([]byte(patch))
	if err != nil {
		return false
	}
	var null, looked bool
	for _, op := range p.ops {
		_, valued := op["value"]
		switch op.Kind() {
		case "add", "replace":
			null = null || bytes.Equal(valueOf(op), []byte("null"))
		case "test":
			looked = looked || !valued
		case "copy":
			looked = true
		}
	}
	return null && looked
}
