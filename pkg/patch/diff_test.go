package patch

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/golden"
)

// Each file in testdata/diff is one difference, and one behavior.
func TestDiff(t *testing.T) {
	golden.Play(t, "testdata/diff/*.txtar", func(t *testing.T, a *golden.Archive) {
		before, after := a.Files[0].Data, a.Files[1].Data
		ops, err := Diff(before, after)
		if err != nil {
			t.Fatal(err)
		}
		a.Whole(t, transcript(ops))
		checkDiff(t, string(before), string(after), ops)
	})
}

func transcript(ops []Operation) string {
	var b strings.Builder
	for _, op := range ops {
		path := op.Path
		if path == "" {
			path = `""`
		}
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-7s %s %s", op.Op, path, op.Value), " ") + "\n")
	}
	return b.String()
}

// checkDiff applies the operations, both as they are and as an encoded patch.
func checkDiff(t *testing.T, before, after string, ops []Operation) {
	t.Helper()
	if got := answer(Of(ops...).Apply([]byte(before))); !sameAnswer(got, after) {
		t.Errorf("before %s\nafter  %s\ngot    %s\nfrom\n%s", before, after, got, transcript(ops))
	}
	sent, err := json.Marshal(ops)
	if err != nil {
		t.Fatal(err)
	}
	if got := answer(JSON([]byte(before), sent)); !sameAnswer(got, after) {
		t.Errorf("before %s\nafter  %s\ngot    %s\nfrom %s", before, after, got, sent)
	}
}

func TestDiffOfLongLists(t *testing.T) {
	item := func(i int) string { return fmt.Sprint(i) }
	list := func(from, to int) string {
		var items []string
		for i := from; i < to; i++ {
			items = append(items, item(i))
		}
		return "[" + strings.Join(items, ",") + "]"
	}
	before, after := list(0, 1500), list(1000, 3000)
	ops, err := Diff([]byte(before), []byte(after))
	if err != nil {
		t.Fatal(err)
	}
	checkDiff(t, before, after, ops)
}

// An operation also has the value that it removes, for readers.
func TestDiffOld(t *testing.T) {
	ops, err := Diff([]byte(`{"a":1,"b":["x","y"],"c":{}}`), []byte(`{"a":2,"b":["y"],"d":0}`))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, op := range ops {
		got[op.Op+" "+op.Path] = string(op.Old)
	}
	want := map[string]string{"replace /a": "1", "remove /b/0": `"x"`, "remove /c": "{}", "add /d": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDiffErrors(t *testing.T) {
	for _, tt := range []struct{ before, after, want string }{
		{``, `{}`, "the document before: EOF"},
		{`{}`, `1`, "the document after: neither an object nor a list"},
		{`{}`, `{} {}`, "the document after: more than one JSON value"},
	} {
		if _, err := Diff([]byte(tt.before), []byte(tt.after)); err == nil || err.Error() != tt.want {
			t.Errorf("Diff(%s, %s) = %v, want %s", tt.before, tt.after, err, tt.want)
		}
	}
}

// The result of Diff turns before into after, and Diff of equal documents is empty.
func FuzzDiff(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, b []byte) {
		c := &choices{b}
		before, after := c.object(4), c.object(4)
		ops, err := Diff([]byte(before), []byte(after))
		if err != nil {
			t.Fatal(err)
		}
		checkDiff(t, before, after, ops)
		if ops, err := Diff([]byte(after), []byte(after)); err != nil || len(ops) != 0 {
			t.Errorf("Diff of %s and itself = %v, %v", after, ops, err)
		}
	})
}
