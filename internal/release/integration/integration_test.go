package integration

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/command/commandtest"
)

const output = `=== RUN   TestA
--- PASS: TestA (0.01s)
--- FAIL: TestB (0.01s)
    --- PASS: TestB/one (0.00s)
    --- FAIL: TestB/two (0.00s)
--- FAIL: TestC (0.01s)
    --- FAIL: TestC/three (0.00s)
panic: oh
`

func listOf(t *testing.T, text string) list {
	t.Helper()
	file := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	known, err := readList(file)
	if err != nil {
		t.Fatal(err)
	}
	return known
}

// What is reported are failures that are not listed, open tests that pass, and panics.
func TestJudge(t *testing.T) {
	known := listOf(t, "# text\nopen p TestA it failed\nopen p TestC it fails as a whole\nopen p TestD it is gone\nopen q TestB another package\n").of("p")
	got := judge("p", []byte(output), known)
	want := []string{"panic: oh", "TestA is listed as open, and passes", "TestD is listed as open, and does not run", "TestB/two fails, and is not listed"}
	if got.Passed != 2 || !slices.Equal(got.Wrong, want) {
		t.Errorf("%d pass, wrong: %q, want 2, %q", got.Passed, got.Wrong, want)
	}
}

func TestPattern(t *testing.T) {
	known := listOf(t, "unfair p TestA/b.c x\nunfair p TestD y\nopen p TestE z\n")
	if got, want := known.pattern(unfair), `^TestA$/^b\.c$|^TestD$`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestBadList(t *testing.T) {
	file := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(file, []byte("\nlater p TestA why\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readList(file); err == nil || !strings.Contains(err.Error(), "list:2: want open or unfair") {
		t.Errorf("got the error %v", err)
	}
}

// A cut fails if the source has changed, and imports that only the removed text used are removed.
func TestCuts(t *testing.T) {
	text := "import (\n\t\"a/errors\"\n\tb \"c/d\"\n\t\"e/v2\"\n)\n// errors.New\nfrom\n\tb.X()\nto\n\te.Y()\n"
	got, err := cut{"from\n", "to\n", "new\n"}.apply(text)
	if err != nil {
		t.Fatal(err)
	}
	want := "import (\n\t\"e/v2\"\n)\n// errors.New\nnew\nto\n\te.Y()\n"
	if got := withoutUnused(got); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := (cut{"nowhere", "to", ""}).apply(text); err == nil {
		t.Error("a cut in another source succeeds")
	}
}

// Tests that crash or are interrupted leave neither folders nor programs behind, and what a killed run has left is
// removed before the next one.
func TestTidily(t *testing.T) {
	for how, script := range map[string]string{
		"crashes":        "mktemp -d; sleep 600 > /dev/null 2>&1 & echo $!; kill -9 $$",
		"is interrupted": "mktemp -d; sleep 600 > /dev/null 2>&1 & echo $!; wait",
	} {
		folder := t.TempDir()
		left := filepath.Join(folder, "tmp", "left")
		if err := os.MkdirAll(left, 0o700); err != nil {
			t.Fatal(err)
		}
		ctx, interrupt := context.WithCancel(context.Background())
		if how == "is interrupted" {
			time.AfterFunc(time.Second, interrupt)
		}
		cmd := command.Child(ctx, "sh", "-c", script)
		cmd.Env = os.Environ()
		out, err := Options{Folder: folder}.tidily(cmd)
		interrupt()
		words := strings.Fields(string(out))
		if err == nil || len(words) != 2 || !strings.HasPrefix(words[0], folder) {
			t.Fatalf("a test that %s: %q, %v", how, out, err)
		}
		if found, err := os.ReadDir(folder); err != nil || len(found) > 0 {
			t.Errorf("a test that %s leaves %v, %v", how, found, err)
		}
		if pid, err := strconv.Atoi(words[1]); err != nil || !commandtest.Ended(pid) {
			t.Errorf("a test that %s leaves process %s, %v", how, words[1], err)
		}
	}
}
