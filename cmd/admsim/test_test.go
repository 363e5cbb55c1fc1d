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

// archiveFiles makes a txtar archive. The contents of each file in it come from the file of that name with .in
// appended.
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

// Suites run again when a file changes, even if it was invalid before, until interrupted.
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
		{"1 failed\n-v shows all steps of each case\nadmsim: watching", "{alowed: true}"},
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
	out.wait(t, "1 failed\n-v shows all steps of each case\nadmsim: watching")
	write("testdata/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	out.wait(t, "1 passed\nadmsim: watching")
	cancel()
	if code := <-ended; code != exitAdmitted {
		t.Errorf("exit code %d, want %d", code, exitAdmitted)
	}
}

// Suites run again when the program of a webhook is rebuilt, wherever it is. Other changes in its folder do not matter.
func TestWatchProgram(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	write("suites/world/backends.yaml", "apiVersion: admsim.dev/v1beta1\nkind: Backends\nbackends:\n- {webhook: policy.example.com, command: [./bin/webhook], dir: ../..}\n")
	write("suites/world/namespace.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n")
	write("suites/a_admsim.yaml", "apiVersion: admsim.dev/v1beta1\nkind: Suite\nworld: {load: [world/]}\ncases:\n- name: a\n  request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: shop}}}\n  expect: {allowed: true}\n")
	write("bin/log", "")
	ctx, cancel := context.WithCancel(t.Context())
	var out shared
	ended := make(chan int)
	go func() {
		ended <- run(ctx, []string{"test", "--watch", "--timings=false", "--allow-unused", "suites"}, nil, &out, &out)
	}()
	out.wait(t, "1 passed\nadmsim: watching")
	write("bin/log", "more")
	time.Sleep(3 * quiet)
	if text := out.String(); strings.Count(text, "1 passed") != 1 {
		t.Errorf("the suites ran again when the log of a program changed:\n%s", text)
	}
	write("bin/webhook", "#!/bin/sh\n")
	out.wait(t, "interrupt to end\nok    a  1 case  suites/a_admsim.yaml:1\n\n1 passed\nadmsim: watching")
	cancel()
	if code := <-ended; code != exitAdmitted {
		t.Errorf("exit code %d, want %d", code, exitAdmitted)
	}
}

// shared is a buffer that several goroutines write and read.
type shared struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func (s *shared) wait(t *testing.T, want string) {
	t.Helper()
	for range 2400 { // two minutes, for busy machines
		if strings.Contains(s.String(), want) {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatalf("no %q in\n%s", want, s)
}
