// Package golden compares the output of a test with files, and rewrites the files if the test runs
// with -update. Commit only what you understand.
//
// [File] compares a file as a whole. [Play] is a test for each of many txtar files, of which
// each shows a behaviour, and [Folders] is the same where a txtar file is a folder to work
// on. [Updating] is for tests that keep something else in files.
//
// The package is for tests alone, and does not know what they test.
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

// File compares what was made with a file.
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
