// Package integration runs Kubernetes' own integration tests with the kube-apiserver of admsim.
//
// Start with [Run]. The tests are those of the published module, in a copy in which the function that starts a server starts
// admsim instead. Nothing of them is in this repository, except for the names of those that fail, with the reasons.
package integration

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/harvest/tests"
	"github.com/admsim/admsim/internal/release/reference"
)

// Options say which tests are run.
type Options struct {
	Version  string // the release of the tests, such as 1.37.2
	Folder   string // for the sources, and what is built from them
	Assets   string // the folder that admsim envtest has created
	List     string // the file with the tests that fail or are unfair
	Only     *regexp.Regexp
	Progress io.Writer
}

// packages are those whose tests are run, below test/integration.
var packages = []string{"apiserver", "apiserver/admissionwebhook", "apiserver/apply", "apiserver/cel", "dryrun", "quota"}

// A Result is the outcome of the tests of a package.
type Result struct {
	Package string
	Passed  int // tests and subtests
	Wrong   []string
}

// Run runs the tests. Wrong are those that fail and are not listed, and those that are listed as open and pass.
func Run(ctx context.Context, o Options) (results []Result, err error) {
	known, err := readList(o.List)
	if err != nil {
		return nil, err
	}
	if err := prepare(ctx, o.Version, o.Folder, o.Progress); err != nil {
		return nil, err
	}
	etcd, err := reference.StartEtcd(ctx, o.Folder)
	if err != nil {
		return nil, err
	}
	defer etcd.Stop()
	for _, name := range packages {
		if !o.Only.MatchString(name) {
			continue
		}
		result, err := o.test(ctx, name, known.of(name), etcd.URL())
		if err != nil {
			return nil, err
		}
		results = append(results, result)
	}
	return results, nil
}

// test builds the tests of a package, and runs those that are not unfair.
func (o Options) test(ctx context.Context, name string, known list, etcd string) (Result, error) {
	began := time.Now()
	binary := filepath.Join(o.Folder, strings.ReplaceAll(name, "/", "_")+".test")
	build := tests.GoCommand(ctx, filepath.Join(o.Folder, "module"), "test", "-mod=mod", "-vet=off", "-ldflags=-s -w", "-c", "-o", binary, "k8s.io/kubernetes/test/integration/"+name)
	if out, err := build.CombinedOutput(); err != nil {
		return Result{}, errors.Join(ctx.Err(), fmt.Errorf("building the tests of %s: %w\n%s", name, err, out))
	}
	args := []string{"-test.v", "-test.timeout=30m"}
	if skipped := known.pattern(unfair); skipped != "" {
		args = append(args, "-test.skip="+skipped)
	}
	cmd := command.Child(ctx, binary, args...)
	cmd.Dir = filepath.Join(o.Folder, "kubernetes", "test", "integration", filepath.FromSlash(name))
	cmd.Env = append(os.Environ(), "ADMSIM_ASSETS="+o.Assets, "KUBE_INTEGRATION_ETCD_URL="+etcd)
	out, err := o.tidily(cmd)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return Result{}, err
	}
	log := binary + ".log"
	if err := os.WriteFile(log, out, 0o644); err != nil {
		return Result{}, err
	}
	result := judge(name, out, known)
	if err != nil && !bytes.Contains(out, []byte("--- FAIL: ")) {
		result.Wrong = append(result.Wrong, fmt.Sprintf("the tests ended early (%v), see %s", err, log))
	}
	fmt.Fprintf(o.Progress, "%s: %d pass (%s, %s)\n", name, result.Passed, time.Since(began).Round(time.Second), log)
	return result, nil
}

// tidily runs tests, and returns their output. Tests that crash, or are ended, leave programs and folders behind. The
// programs are ended, and the folders removed; if this process is killed, that is done before the next tests.
func (o Options) tidily(tests *exec.Cmd) (output []byte, err error) {
	folder := filepath.Join(o.Folder, "tmp")
	if err := errors.Join(os.RemoveAll(folder), os.MkdirAll(folder, 0o700)); err != nil {
		return nil, err
	}
	tests.Env = append(tests.Env, "TMPDIR="+folder)
	output, err = tests.CombinedOutput()
	command.EndOrphans(tests)
	_ = os.RemoveAll(folder) // or before the next tests
	return output, err
}

var outcome = regexp.MustCompile(`^\s*--- (PASS|FAIL): (\S+) \(`)

// judge reads the output of tests.
func judge(name string, out []byte, known list) Result {
	result := Result{Package: name}
	failed := map[string]bool{} // the innermost ones
	ended := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(out))
	lines.Buffer(nil, 64<<20)
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "panic: ") {
			result.Wrong = append(result.Wrong, lines.Text())
		}
		m := outcome.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		ended[m[2]] = true
		if m[1] == "PASS" {
			result.Passed++
		} else {
			failed[m[2]] = true
		}
	}
	for _, e := range known {
		switch {
		case e.kind == open && !ended[e.test]:
			result.Wrong = append(result.Wrong, e.test+" is listed as open, and does not run")
		case e.kind == open && !failed[e.test]:
			result.Wrong = append(result.Wrong, e.test+" is listed as open, and passes")
		}
	}
	for test := range failed {
		for parent := parentOf(test); parent != ""; parent = parentOf(parent) {
			delete(failed, parent)
		}
	}
	for _, test := range slices.Sorted(maps.Keys(failed)) {
		if !known.isOpen(test) {
			result.Wrong = append(result.Wrong, test+" fails, and is not listed")
		}
	}
	return result
}

// parentOf returns the test that a subtest belongs to, or nothing for other tests.
func parentOf(test string) string { return test[:max(strings.LastIndexByte(test, '/'), 0)] }
