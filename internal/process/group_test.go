//go:build unix

package process

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// alive reports whether a process runs. A zombie does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return runtime.GOOS != "linux" // for systems without /proc
	}
	_, state, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(state, "Z")
}

// family reads the IDs of the processes from their output.
func family(t *testing.T, output string) []int {
	t.Helper()
	var pids []int
	for _, found := range regexp.MustCompile(`(?:child|family of) (\d+)`).FindAllStringSubmatch(output, -1) {
		pid, _ := strconv.Atoi(found[1])
		pids = append(pids, pid)
	}
	if len(pids) < 2 {
		t.Fatalf("no process IDs in %q", output)
	}
	return pids
}

// A process that ignores SIGTERM is killed.
func TestStubborn(t *testing.T) {
	noLeaks(t)
	p, err := Start(t.Context(), allowed(), command(), Options{Env: behaving("stubborn"), StopTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	p.Stop()
	if took := time.Since(began); took < 300*time.Millisecond || took > 40*time.Second {
		t.Errorf("Stop took %s", took)
	}
	if alive(p.command.Process.Pid) {
		t.Error("the process is alive")
	}
}

// Children end with their parent, even those that ignore signals.
func TestChildren(t *testing.T) {
	noLeaks(t)
	p, err := Start(t.Context(), allowed(), command(), Options{Env: behaving("family"), StopTimeout: 300 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if !soon(func() bool { return strings.Contains(p.Output(), "family of") }) {
		t.Fatal(p.Output())
	}
	p.Stop()
	for _, pid := range family(t, p.Output()) {
		if !soon(func() bool { return !alive(pid) }) {
			t.Errorf("process %d is alive", pid)
		}
	}
}

// Children end when their parent dies by itself.
func TestOrphans(t *testing.T) {
	noLeaks(t)
	p, err := Start(t.Context(), allowed(), command(), Options{Env: behaving("family, leader exits on demand")})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Stop()
	_, _ = get(t, p, "localhost", "/die")
	<-p.Done()
	for _, pid := range family(t, p.Output()) {
		if !soon(func() bool { return !alive(pid) }) {
			t.Errorf("process %d is alive", pid)
		}
	}
}

// The webhook ends, whatever happens to the program that started it.
func TestCallerDies(t *testing.T) {
	for _, how := range []string{"caller killed", "caller interrupted", "caller panics"} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), behaviour+"="+how, "TMPDIR="+folder)
			var output strings.Builder
			c.Stdout = &output
			if err := c.Run(); err == nil {
				t.Fatal("the caller lives")
			}
			for _, pid := range family(t, output.String()) {
				if !soon(func() bool { return !alive(pid) }) {
					t.Errorf("process %d is alive", pid)
				}
			}
			if !soon(func() bool {
				left, _ := os.ReadDir(folder)
				return len(left) == 0
			}) {
				t.Error("its folder still exists")
			}
		})
	}
}
