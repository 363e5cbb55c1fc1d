package tutorial

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestFollow(t *testing.T) {
	page := filepath.Join(t.TempDir(), "page.md")
	text := strings.ReplaceAll(`# A page

'''yaml folder/a.yaml
a: 1
'''

'''console
$ cat folder/a.yaml
a: 1
$ printf 'first\nsecond\nlast, after 3ms\n'
…
last, after …
$ echo a \
  b
a b
$ ls missing 2>/dev/null
$ echo $?
2
'''

'''sh
exit 1
'''
`, "'''", "```")
	if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	Follow(t, page)
}

func TestFits(t *testing.T) {
	for _, c := range []struct {
		shown, printed string
		want           bool
	}{
		{"a\n", "a\n", true},
		{"", "a\n", false},
		{"a\n", "", false},
		{"a\n…\nd\n", "a\nb\nc\nd\n", true},
		{"a\n  …\nd\n", "a\nd\n", true},
		{"a\n…\n", "a\nb\n", true},
		{"a\n…\nd\n", "a\nb\n", false},
		{"took …, fine\n", "took 3ms, fine\n", true},
		{"took …, fine\n", "took 3ms,\nfine\n", false},
		{"a.c\n", "abc\n", false},
	} {
		if got := fits(c.shown, c.printed); got != c.want {
			t.Errorf("fits(%q, %q) = %v, want %v", c.shown, c.printed, got, c.want)
		}
	}
}

// Output that differs from the page is an error, and so is a failure that the page hides.
func TestFollowFails(t *testing.T) {
	for _, c := range []struct{ block, want string }{
		{"$ echo a\nb\n", "$ echo a\nis not what the page shows"},
		{"echo a\n", "does not begin with a command"},
		{"$ false\n$ true\n", "does not show that this command fails, $ echo $? does: $ false\nexit code 1"},
	} {
		if os.Getenv("TUTORIAL_BLOCK") != "" {
			r := reader{t: t, folder: t.TempDir()}
			r.session(os.Getenv("TUTORIAL_BLOCK"))
			return
		}
		t.Run(c.block, func(t *testing.T) {
			t.Setenv("TUTORIAL_BLOCK", c.block)
			r := reader{t: t, folder: t.TempDir()}
			out := r.run(os.Args[0] + " -test.run '^TestFollowFails$'")
			if r.exit == 0 || !strings.Contains(strings.ReplaceAll(out, "        ", ""), c.want) {
				t.Errorf("exit code %d, want an error with %q:\n%s", r.exit, c.want, out)
			}
		})
	}
}
