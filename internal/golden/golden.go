// Package golden compares the output of a test with files, and rewrites the files if the test runs
// with -update. Commit only what you understand.
//
// [File] compares a whole file. [Play] runs a test for each of many txtar files, each of which shows a behavior, and
// [Folders] does the same for txtar files that are folders to work on. [Updating] is for tests that keep something else
// in files.
//
// The package is only for tests, and does not know what they test.
package golden

import (
	"flag"
	"os"
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

func write(t testing.TB, name string, data []byte) {
	t.Helper()
	if err := os.WriteFile(name, data, 0o644); err != nil {
		t.Fatal(err)
	}
}
