package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A change that breaks a kept package, or a type that it mentions, is reported. Other changes are listed, additions are
// not.
func TestRun(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(text), 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	do := func(args ...string) {
		t.Helper()
		if _, err := git(root, args...); err != nil {
			t.Fatal(err)
		}
	}
	compare := func(accepted string) (string, bool) {
		t.Helper()
		var out strings.Builder
		breaks, err := run(root, accepted, &out)
		if err != nil {
			t.Fatal(err)
		}
		return out.String(), breaks
	}
	write("go.mod", "module "+module+"\n\ngo 1.26\n")
	write("pkg/rest/rest.go", "package rest\n\ntype Request struct{ Name, User string }\n\ntype Answer struct{ Code int }\n\nfunc (*Request) Key() string { return \"\" }\n")
	write("pkg/simulator/simulator.go", `package simulator

import "`+module+`/pkg/rest"

type Options struct{ Requests []rest.Request }

func New(o Options) error { return nil }

func Old() {}
`)
	do("init", "--quiet")
	do("config", "user.email", "test@example.com")
	do("config", "user.name", "test")
	do("add", ".")
	do("commit", "--quiet", "-m", "first")
	if out, breaks := compare(""); breaks || !strings.HasPrefix(out, "no version is tagged yet") {
		t.Errorf("without a tag: %v, %s", breaks, out)
	}
	do("tag", "v0.1.0")
	if out, breaks := compare(""); breaks || out != "compared with v0.1.0: 0 incompatible changes in pkg/\n" {
		t.Errorf("without a change: %v, %s", breaks, out)
	}

	write("pkg/rest/rest.go", "package rest\n\ntype Request struct{ Name, Group string }\n\ntype Answer struct{ Status int }\n")
	write("pkg/simulator/simulator.go", `package simulator

import "`+module+`/pkg/rest"

type Options struct {
	Requests []rest.Request
	More     int
}

func New(o *Options) error { return nil }

func Added() {}
`)
	write("accepted.txt", "# announced in v0.1.0\npkg/simulator: Old: removed\n")
	out, breaks := compare(filepath.Join(root, "accepted.txt"))
	want := `breaks: pkg/rest: (*Request).Key: removed
changes: pkg/rest: Answer.Code: removed
breaks: pkg/rest: Request.User: removed
breaks: pkg/simulator: New: changed from func(Options) error to func(*Options) error
accepted: pkg/simulator: Old: removed
compared with v0.1.0: 5 incompatible changes in pkg/
`
	if !breaks || out != want {
		t.Errorf("breaks: %v, got\n%swant\n%s", breaks, out, want)
	}
	if left, err := git(root, "worktree", "list"); err != nil || strings.Contains(left, "before") {
		t.Errorf("the worktree still exists: %s, %v", left, err)
	}
}
