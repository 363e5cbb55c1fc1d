package gitfiles

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// repository changes to a new repository with two commits; the second changes the files of the first.
func repository(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	folder := t.TempDir()
	t.Chdir(folder)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.com"}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	git("init", "-q", "-b", "main")
	write("world/a.yaml", "a: 1\n")
	write("world/deep/b.yaml", "b: 1\n")
	for name, target := range map[string]string{"world/linked.yaml": "deep/b.yaml", "world/out.yaml": "/etc/passwd", "world/up.yaml": "../../up", "world/round.yaml": "round.yaml"} {
		if err := os.Symlink(target, name); err != nil {
			t.Fatal(err)
		}
	}
	git("add", "-A")
	git("commit", "-q", "-m", "first")
	git("tag", "v1")
	write("world/a.yaml", "a: 2\n")
	write("world/new.yaml", "new: 1\n")
	git("add", "-A")
	git("commit", "-q", "-m", "second")
	write("world/a.yaml", "a: 3\n")
}

func opened(t *testing.T, revision string) *Files {
	t.Helper()
	f, err := Open(context.Background(), revision)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Each commit has its own files, whatever the checkout has, from every folder and for every form of a name.
func TestFiles(t *testing.T) {
	repository(t)
	whole, err := filepath.EvalSymlinks(".")
	if err != nil {
		t.Fatal(err)
	}
	if whole, err = filepath.Abs(whole); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ folder, revision, name, want string }{
		{".", "v1", "world/a.yaml", "a: 1\n"},
		{".", "main", "world/a.yaml", "a: 2\n"},
		{".", "HEAD~1", "./world/../world/a.yaml", "a: 1\n"},
		{"world", "v1", "a.yaml", "a: 1\n"},
		{"world/deep", "v1", "../a.yaml", "a: 1\n"},
		{"world", "v1", filepath.Join(whole, "world", "a.yaml"), "a: 1\n"},
		{".", "v1", "world/linked.yaml", "b: 1\n"},
	} {
		t.Chdir(filepath.Join(whole, c.folder))
		f := opened(t, c.revision)
		got, err := fs.ReadFile(f, f.Name(c.name))
		if err != nil || string(got) != c.want {
			t.Errorf("%s in %s: %q, %v, want %q", f.Name(c.name), c.folder, got, err, c.want)
		}
	}
}

// A folder lists what the commit has. Links that lead out of the commit, to nothing or to themselves are left out.
func TestFolders(t *testing.T) {
	repository(t)
	f := opened(t, "v1")
	var names []string
	err := fs.WalkDir(f, f.Name("world"), func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, name)
		}
		return err
	})
	if got, want := strings.Join(names, " "), "v1:world/a.yaml v1:world/deep/b.yaml v1:world/linked.yaml"; err != nil || got != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
	if f.Has("v1:world/new.yaml") || !f.Has("v1:world/deep") {
		t.Error("v1 has a later file, or lacks one of its own")
	}
	for _, name := range []string{"v1:../outside", "v1:world/out.yaml", "v1:world/up.yaml", "v1:world/round.yaml", "v1:world", "v1:none"} {
		if _, err := f.Open(name); err == nil {
			t.Errorf("%s can be opened", name)
		}
	}
}

// Closing a file before its end leaves no git process behind.
func TestCloseEarly(t *testing.T) {
	repository(t)
	f := opened(t, "v1")
	one, err := f.Open("v1:world/a.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Close(); err != nil {
		t.Error(err)
	}
	if one.(*file).command.ProcessState == nil {
		t.Error("git is still running")
	}
}

// Errors say what to do about them.
func TestUnknown(t *testing.T) {
	repository(t)
	for revision, want := range map[string]string{
		"mian":     `git does not know the revision "mian"`,
		"--all":    `git does not know the revision "--all"`,
		"v1:world": `git does not know the revision "v1:world"`,
	} {
		_, err := Open(context.Background(), revision)
		var wrong *RevisionError
		if !errors.As(err, &wrong) || wrong.Message != want || !strings.Contains(wrong.Hint, "git fetch") {
			t.Errorf("%s: %v, want %s", revision, err, want)
		}
	}
	t.Chdir(t.TempDir())
	t.Setenv("GIT_CEILING_DIRECTORIES", "/")
	_, err := Open(context.Background(), "main")
	var wrong *RevisionError
	if !errors.As(err, &wrong) || !strings.Contains(wrong.Message, "no git repository") || !strings.Contains(wrong.Message, "git says: ") {
		t.Errorf("outside of a repository: %v", err)
	}
	if err := exec.Command("git", "init", "--quiet").Run(); err != nil {
		t.Fatal(err)
	}
	_, err = Open(context.Background(), "HEAD")
	if wrong = nil; !errors.As(err, &wrong) || !strings.Contains(wrong.Message, "no commit yet") {
		t.Errorf("without a commit: %v", err)
	}
}
