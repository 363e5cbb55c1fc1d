package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

// go test -run Soak -soak 1h, or make soak DURATION=1h
var soak = flag.Duration("soak", 0, "how long TestSoak runs random worlds and requests")

// resources are what the process holds after a garbage collection.
type resources struct {
	heap              uint64
	goroutines, files int
}

func resourcesNow(t *testing.T) (s resources) {
	t.Helper()
	runtime.GC()
	runtime.GC() // frees what the finalizers of the first collection held
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	s.heap, s.goroutines = m.HeapAlloc, runtime.NumGoroutine()
	if open, err := os.ReadDir("/proc/self/fd"); err == nil { // does not exist everywhere
		s.files = len(open)
	}
	return s
}

// Random worlds and requests, one after the other in one process, leave nothing behind: no memory, no goroutines, no
// files.
func TestSoak(t *testing.T) {
	if *soak == 0 {
		t.Skip("runs only with -soak")
	}
	var all []workspace
	var values [][]byte
	scripts, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range scripts {
		script, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		w := workspaceOf(script)
		if w.commands = slices.DeleteFunc(w.commands, func(args []string) bool { return slices.Contains(args, "trust") }); len(w.commands) == 0 {
			continue
		}
		all = append(all, w)
		for _, f := range w.files {
			values = append(values, valuesIn(f.Data)...)
		}
	}
	dir := inFolder(t)
	began := time.Now()
	var samples []resources
	rounds := 0
	for every := *soak / 40; time.Since(began) < *soak; {
		until := time.Now().Add(every)
		for time.Now().Before(until) {
			s := slip{rand.New(rand.NewPCG(uint64(rounds), 1)), values}
			soaked(t, filepath.Join(dir, "round"), all[s.IntN(len(all))], s)
			rounds++
		}
		samples = append(samples, resourcesNow(t))
		last := samples[len(samples)-1]
		t.Logf("%v: %d rounds, %d KiB, %d goroutines, %d files", time.Since(began).Round(time.Second), rounds, last.heap>>10, last.goroutines, last.files)
	}
	grows(t, samples)
}

// soaked runs the commands of a workspace with a slip in one of its files.
func soaked(t *testing.T, dir string, w workspace, s slip) {
	t.Helper()
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755), os.Chdir(dir)); err != nil {
		t.Fatal(err)
	}
	slipped := s.IntN(max(len(w.files), 1))
	for i, f := range w.files {
		if i == slipped && s.IntN(2) == 0 {
			f.Data = s.in(f.Data)
		}
		if !filepath.IsLocal(f.Name) {
			continue
		}
		if err := errors.Join(os.MkdirAll(filepath.Dir(f.Name), 0o755), os.WriteFile(f.Name, f.Data, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	args := w.commands[s.IntN(len(w.commands))]
	var stdout, stderr bytes.Buffer
	if code := run(context.Background(), args, strings.NewReader(""), &stdout, &stderr); code == exitBug {
		t.Errorf("%s: admsim %q: exit code %d\n%s", w.name, args, code, &stderr)
	}
}

// grows fails if the last quarter of the samples holds more than the second one, by more than chance. The first quarter
// is ignored: things that are made only once are made then.
func grows(t *testing.T, samples []resources) {
	t.Helper()
	if len(samples) < 8 {
		t.Fatalf("%d samples are not enough", len(samples))
	}
	n := len(samples)
	early, late := samples[n/4:n/2], samples[n-n/4:]
	least := func(of []resources, what func(resources) int) int {
		all := make([]int, len(of))
		for i, s := range of {
			all[i] = what(s)
		}
		return slices.Min(all)
	}
	for name, what := range map[string]func(resources) int{
		"KiB of memory": func(s resources) int { return int(s.heap >> 10) },
		"goroutines":    func(s resources) int { return s.goroutines },
		"open files":    func(s resources) int { return s.files },
	} {
		before, after := least(early, what), least(late, what)
		if after > before+before/10+8 {
			t.Errorf("%s grow from %d to %d", name, before, after)
		}
		t.Logf("%s: %d, then %d", name, before, after)
	}
}
