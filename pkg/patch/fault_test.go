package patch

import (
	"errors"
	"testing"
)

// What is said to be missing is what makes the operation fail: with it, the operation applies.
func TestFault(t *testing.T) {
	for _, tt := range []struct{ operation, remedy, doc string }{
		{`{"op":"add","path":"/b/c"}`, "add needs the parent of its path; in a list, an index up to its length, or -", `{"b":{}}`},
		{`{"op":"remove","path":"/b"}`, "remove needs something at its path", `{"b":1}`},
		{`{"op":"replace","path":"/b/c"}`, "replace needs the parent of its path; in a list, an item at its path", `{"b":{}}`},
		{`{"op":"replace","path":"/b/0"}`, "replace needs the parent of its path; in a list, an item at its path", `{"b":[1]}`},
		{`{"op":"move","from":"/b","path":"/c"}`, "move needs something at its from, and the parent of its path", `{"b":1}`},
		{`{"op":"copy","from":"/b/d","path":"/c"}`, "copy needs the parents of its from and its path; in a list, an item at its from", `{"b":{}}`},
		{`{"op":"test","path":"/b/c"}`, "test needs the parent of its path; in a list, an item at its path", `{"b":{}}`},
		{`{"op":"test","path":"/b","value":1}`, "the object has no such value where the patch tests it", `{"b":1}`},
		{`{"op":"copy","path":"/b"}`, "copy has no from, such as from: /metadata/labels", ""},
		{`{"op":"add","path":"b"}`, "path begins with a slash: path: /b", ""},
		{`{"op":"append","path":"/b"}`, "the operations are add, remove, replace, move, copy and test", ""},
	} {
		p, err := DecodeJSON([]byte("[" + tt.operation + "]"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = p.Apply([]byte(`{"a":1}`))
		failed, ok := errors.AsType[*OperationError](err)
		if !ok {
			t.Errorf("%s does not fail: %v", tt.operation, err)
			continue
		}
		if _, remedy := p.Fault(failed); remedy != tt.remedy {
			t.Errorf("Fault(%s) = %q, want %q", tt.operation, remedy, tt.remedy)
		}
		if tt.doc == "" {
			continue
		}
		if _, err := p.Apply([]byte(tt.doc)); err != nil {
			t.Errorf("%s does not apply to %s: %v", tt.operation, tt.doc, err)
		}
	}
}
