package golden

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

const expected = `A section want is what is seen of the one before it.
-- first --
a
-- want --
seen a
-- second --
b
-- want --
seen b
`

// setUpdating makes the test run as with -update, or without.
func setUpdating(t *testing.T, updating bool) {
	before := *update
	t.Cleanup(func() { *update = before })
	*update = updating
}

func put(t *testing.T, text string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "file.txtar")
	write(t, file, []byte(text))
	return file
}

// Rewritten files are the expected result: the same test passes afterwards.
func TestUpdate(t *testing.T) {
	steps := put(t, strings.ReplaceAll(expected, "\nseen", "\nnot seen"))
	folder := put(t, "No section says yet what is to be seen.\n-- a.txt --\na\n")
	whole := put(t, "old\n")
	for _, updating := range []bool{true, false} {
		setUpdating(t, updating)
		Play(t, steps, func(t *testing.T, a *Archive) {
			a.Steps(t, func(_ string, body []byte) string { return "seen " + string(body) })
		})
		Folders(t, folder, func(_ *testing.T, files fstest.MapFS) string { return string(files["a.txt"].Data) })
		File(t, whole, "new\n")
	}
	if got, _ := os.ReadFile(steps); string(got) != expected {
		t.Errorf("rewritten as\n%s, want\n%s", got, expected)
	}
}

// A noting is a test that records whether it failed.
type noting struct {
	*testing.T
	failed bool
}

func (n *noting) Errorf(string, ...any) { n.failed = true }

func TestFile(t *testing.T) {
	setUpdating(t, false)
	file := put(t, "a\n")
	for got, differs := range map[string]bool{"a\n": false, "b\n": true} {
		n := &noting{T: t}
		if File(n, file, got); n.failed != differs {
			t.Errorf("File of %q with %q failed: %t", "a\n", got, n.failed)
		}
	}
}

// Only the part between the lines is compared, and rewritten.
func TestSection(t *testing.T) {
	file := put(t, "before\nbegin\na\nend\nafter\n")
	for _, updating := range []bool{false, true, false} {
		setUpdating(t, updating)
		n := &noting{T: t}
		if Section(n, file, "begin", "end", "b\n"); n.failed != (string(read(t, file)) != "before\nbegin\nb\nend\nafter\n") {
			t.Errorf("Section failed: %t, with the file\n%s", n.failed, read(t, file))
		}
	}
	if got, want := string(read(t, file)), "before\nbegin\nb\nend\nafter\n"; got != want {
		t.Errorf("rewritten as\n%s, want\n%s", got, want)
	}
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// A difference from its section makes the test fail, and the file is not changed.
func TestCompare(t *testing.T) {
	setUpdating(t, false)
	file := put(t, expected)
	Play(t, file, func(t *testing.T, a *Archive) {
		n := &noting{T: t}
		a.compare(n, 1, "first", "seen c\n")
		if !n.failed {
			t.Error("compare did not report the difference")
		}
	})
	if got, _ := os.ReadFile(file); string(got) != expected {
		t.Errorf("the file is now\n%s", got)
	}
}
