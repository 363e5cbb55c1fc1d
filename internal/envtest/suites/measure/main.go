//go:build linux

// Command measure runs controller-runtime's own tests against a real kube-apiserver with etcd and against those of
// admsim, and writes the table of docs/envtest.md: how many specs pass, and what resources they take.
//
// Run it with make suites-table REAL=DIR, where DIR is a folder for envtest with the real programs.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// packages lists the packages whose tests start a control plane.
var packages = []string{
	"pkg/webhook", "pkg/client", "pkg/builder", "pkg/cluster", "pkg/source", "pkg/handler", "pkg/controller", "pkg/internal/recorder",
	"pkg/internal/controller", "pkg/envtest", "pkg/cache", "pkg/manager", "pkg/manager/internal/integration",
}

func main() {
	real := flag.String("real", "", "`FOLDER` with a real etcd, kube-apiserver and kubectl")
	only := flag.String("only", strings.Join(packages, ","), "`PACKAGES` of controller-runtime to run")
	document := flag.String("document", "", "`FILE` whose table is rewritten; empty: only print it")
	flag.Parse()
	if err := run(*real, strings.Split(*only, ","), *document); err != nil {
		fmt.Fprintln(os.Stderr, "measure:", err)
		os.Exit(1)
	}
}

func run(real string, packages []string, document string) error {
	folder, err := os.MkdirTemp("", "measure-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program, simulated := filepath.Join(folder, "admsim"), filepath.Join(folder, "assets")
	build := exec.Command("go", "build", "-ldflags=-w", "-o", program, "./cmd/admsim")
	build.Dir = filepath.Join("..", "..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	if out, err := exec.Command(program, "envtest", simulated).CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	version, err := output("go", "list", "-m", "-f", "{{.Version}}", module)
	if err != nil {
		return err
	}
	table := fmt.Sprintf("| controller-runtime %s | specs that pass: real | admsim | seconds: real | admsim | of a processor, the tests | real programs | admsim | MB: real | admsim |\n|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n",
		strings.TrimPrefix(version, "v"))
	for _, name := range packages {
		test := filepath.Join(folder, "test")
		if out, err := exec.Command("go", "test", "-c", "-vet=off", "-ldflags=-w", "-o", test, module+"/"+name).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", name, err, out)
		}
		dir, err := output("go", "list", "-f", "{{.Dir}}", module+"/"+name)
		if err != nil {
			return err
		}
		theirs, err := measure(test, dir, real)
		if err != nil {
			return fmt.Errorf("%s with the real programs: %w", name, err)
		}
		ours, err := measure(test, dir, simulated)
		if err != nil {
			return fmt.Errorf("%s with admsim: %w", name, err)
		}
		row := fmt.Sprintf("| `%s` | %s | %s | %.1f | %.1f | %.1f | %.1f | %.1f | %d | %d |\n", name, theirs.specs(), ours.specs(),
			theirs.took.Seconds(), ours.took.Seconds(), ours.own.Seconds(), theirs.programs.Seconds(), ours.programs.Seconds(), theirs.megabytes, ours.megabytes)
		fmt.Print(row)
		table += row
	}
	if document == "" {
		return nil
	}
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	place := regexp.MustCompile(`(?m)^\| controller-runtime .*\n(\|.*\n)+`)
	if !place.Match(text) {
		return fmt.Errorf("%s has no table of controller-runtime", document)
	}
	return os.WriteFile(document, place.ReplaceAllLiteral(text, []byte(table)), 0o644)
}

const module = "sigs.k8s.io/controller-runtime"

func output(name string, args ...string) (string, error) {
	out, err := exec.Command(name, args...).Output()
	return strings.TrimSpace(string(out)), err
}

// A result is the result of a test.
type result struct {
	passed, failed string
	took           time.Duration
	own, programs  time.Duration // processor time: of the test itself, and of all programs that it waited for
	megabytes      int64         // of the largest of these programs
}

func (r result) specs() string {
	if r.failed != "0" {
		return r.passed + ", " + r.failed + " fail"
	}
	return r.passed
}

var summary = regexp.MustCompile(`(\d+) Passed \| (\d+) Failed`)

// measure runs a test with the programs in a folder. Failing specs are not an error.
func measure(test, dir, assets string) (r result, err error) {
	var out bytes.Buffer
	c := exec.Command(test, "-ginkgo.no-color", "-test.timeout=20m")
	c.Dir, c.Stdout, c.Stderr = dir, &out, &out
	c.Env = append(os.Environ(), "TMPDIR="+filepath.Dir(test), "KUBEBUILDER_ASSETS="+assets, "KUBEBUILDER_CONTROLPLANE_START_TIMEOUT=2m")
	begin := time.Now()
	if err := c.Start(); err != nil {
		return r, err
	}
	if err := unix.Waitid(unix.P_PID, c.Process.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil); err != nil {
		return r, err
	}
	if r.own, err = processorOf(c.Process.Pid); err != nil {
		return r, err
	}
	failure := c.Wait()
	r.took = time.Since(begin)
	found := summary.FindSubmatch(out.Bytes())
	if found == nil {
		return r, fmt.Errorf("%w\n%s", failure, out.Bytes())
	}
	r.passed, r.failed = string(found[1]), string(found[2])
	usage, ok := c.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		return r, fmt.Errorf("the system does not report what processes use")
	}
	r.programs = c.ProcessState.UserTime() + c.ProcessState.SystemTime() - r.own
	r.megabytes = usage.Maxrss / 1024 // Linux reports kilobytes
	return r, nil
}

// processorOf returns the processor time of a process itself, without that of its children.
func processorOf(pid int) (time.Duration, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, behind, _ := strings.Cut(string(text), ") ") // after the name of the program, which may contain spaces
	fields := strings.Fields(behind)
	if len(fields) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat: %s", pid, text)
	}
	user, err1 := strconv.Atoi(fields[11])
	kernel, err2 := strconv.Atoi(fields[12])
	return time.Duration(user+kernel) * 10 * time.Millisecond, errors.Join(err1, err2) // Linux counts hundredths of a second
}
