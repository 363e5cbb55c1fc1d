package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// archiveFiles makes a txtar file of files that are called as in it, with .in behind.
func archiveFiles() {
	a := &txtar.Archive{Comment: []byte("# made by a test\n")}
	for _, name := range os.Args[2:] {
		data, err := os.ReadFile(name + ".in")
		if err != nil {
			panic(err)
		}
		a.Files = append(a.Files, txtar.File{Name: name, Data: data})
	}
	if err := os.WriteFile(os.Args[1], txtar.Format(a), 0o666); err != nil {
		panic(err)
	}
}

// Suites run again when a file changes, also one that was wrong, until the end.
func TestWatch(t *testing.T) {
	t.Chdir(t.TempDir())
	suite := func(expect string) {
		text := "apiVersion: admsim.dev/v1alpha1\nkind: Suite\ncases:\n- name: a\n" +
			"  request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}}}\n  expect: " + expect + "\n"
		if err := os.WriteFile(filepath.Join("a_admsim.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	suite("{allowed: false}")
	ctx, cancel := context.WithCancel(t.Context())
	var out shared
	ended := make(chan int)
	go func() { ended <- run(ctx, []string{"test", "--watch", "--timings=false"}, nil, &out, &out) }()
	for _, step := range []struct{ want, next string }{
		{"1 failed\nadmsim: watching", "{alowed: true}"},
		{"unknown key \"cases[0].expect.alowed\"", "{allowed: true}"},
		{"1 passed\nadmsim: watching", ""},
	} {
		out.wait(t, step.want)
		if step.next != "" {
			suite(step.next)
		}
	}
	cancel()
	if code := <-ended; code != exitAdmitted {
		t.Errorf("exit code %d, want %d", code, exitAdmitted)
	}
}

// Suites run again when a file in testdata changes.
func TestWatchTestdata(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("testdata", 0o777); err != nil {
		t.Fatal(err)
	}
	write("a_admsim.yaml", "apiVersion: admsim.dev/v1alpha1\nkind: Suite\ncases:\n- name: a\n  request: {object: testdata/a.yaml}\n  expect: {allowed: true}\n")
	write("testdata/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: A}\n")
	ctx, cancel := context.WithCancel(t.Context())
	var out shared
	ended := make(chan int)
	go func() { ended <- run(ctx, []string{"test", "--watch", "--timings=false"}, nil, &out, &out) }()
	out.wait(t, "1 failed\nadmsim: watching")
	write("testdata/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	out.wait(t, "1 passed\nadmsim: watching")
	cancel()
	if code := <-ended; code != exitAdmitted {
		t.Errorf("exit code %d, want %d", code, exitAdmitted)
	}
}

// shared is text that several goroutines write and read.
type shared struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) wait(t *testing.T, want string) {
	t.Helper()
	for range 2400 { // two minutes, for machines that are busy
		s.mu.Lock()
		found := strings.Contains(s.text.String(), want)
		s.mu.Unlock()
		if found {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no %q in\n%s", want, s.text.String())
}
