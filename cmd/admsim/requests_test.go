package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/admsim/admsim/pkg/report"
)

// If there are more requests than are kept, they are read again, one at a time: all are answered, in order, and none is
// answered if one of them is invalid.
func TestManyRequests(t *testing.T) {
	inFolder(t)
	const many = mostKept + 100
	var file strings.Builder
	for i := range many {
		fmt.Fprintf(&file, "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: c%d, namespace: default}\n", i)
	}
	said := func(code int, args ...string) (stdout, stderr string) {
		t.Helper()
		var out, err bytes.Buffer
		if got := run(t.Context(), args, strings.NewReader(file.String()), &out, &err); got != code {
			t.Fatalf("admsim %s: exit code %d, want %d\n%s", args, got, code, &err)
		}
		return out.String(), err.String()
	}
	if err := os.WriteFile("maps.yaml", []byte(file.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	fromFile, _ := said(exitAdmitted, "run", "-f", "maps.yaml", "-o", "jsonl")
	results := decodedLines[report.Result](t, fromFile)
	if len(results) != many {
		t.Fatalf("%d requests were answered, want %d", len(results), many)
	}
	for i, r := range results {
		if want := fmt.Sprintf("c%d", i); r.Request.Name != want {
			t.Fatalf("request %d is %s, want %s", i, r.Request.Name, want)
		}
	}
	fromStdin, _ := said(exitAdmitted, "run", "-f", "-", "-o", "jsonl")
	if got := strings.ReplaceAll(fromStdin, "<stdin>", "maps.yaml"); got != fromFile {
		t.Error("requests from standard input are answered differently from those of a file")
	}
	if _, stderr := said(exitUnknown, "run", "-f", "maps.yaml", "-n", "shop"); !strings.Contains(stderr, "-n asks for") {
		t.Errorf("stderr: %s", stderr)
	}
	if err := os.WriteFile("maps.yaml", []byte(file.String()+"---\nkind: [\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if stdout, _ := said(exitUnknown, "run", "-f", "maps.yaml"); stdout != "" {
		t.Errorf("requests were answered although the last document is broken:\n%.300s", stdout)
	}
}
