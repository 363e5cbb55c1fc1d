// Package golden compares the output of a test with files, and rewrites the files if the test runs with -update. Commit
// only what you understand.
//
// [File] compares a whole file, and [Section] a part of one. [Play] runs a test for each of many txtar files, each of
// which shows a behavior, and [Folders] does the same for txtar files that are folders to work on. [Updating] is for
// tests that keep something else in files.
//
// The package is only for tests, and does not know what they test.
package golden

import (
	"flag"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite what the tests compare with; commit only what you understand")

// Updating reports whether the test runs with -update.
func Updating() bool { return *update }

// File compares a result with a file.
func File(t testing.TB, name, got string) {
	t.Helper()
	if *update {
		write(t, name, []byte(got))
		return
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s is out of date, -update rewrites it (-want +got):\n%s", name, diff)
	}
}

// Section compares a result with the part of a file between the lines begin and end.
func Section(t testing.TB, name, begin, end, got string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, _ := strings.Cut(string(text), begin+"\n")
	_, after, ok := strings.Cut(rest, end+"\n")
	if !ok {
		t.Fatalf("%s has nothing between %q and %q", name, begin, end)
	}
	File(t, name, before+begin+"\n"+got+end+"\n"+after)
}

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
