package suites

import (
	"bytes"
	"context"
	"flag"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var more = flag.String("more", "", "further `PACKAGES` of controller-runtime to test, such as pkg/cache,pkg/manager")

// suites lists packages of controller-runtime, and how many of their specs pass with a real server.
var suites = []struct{ name, passed string }{
	{"pkg/client", "311"},
	{"pkg/webhook", "8"},
	{"pkg/builder", "72"},
	{"pkg/cluster", "15"},
	{"pkg/handler", "96"},
}

var summary = regexp.MustCompile(`(\d+) Passed \| (\d+) Failed`)

// admsim's kube-apiserver and etcd meet controller-runtime's expectations of the real ones.
func TestControllerRuntime(t *testing.T) {
	assets := t.TempDir()
	run := func(dir, name string, args ...string) string {
		t.Helper()
		c := exec.CommandContext(context.Background(), name, args...)
		c.Dir = dir
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	program := filepath.Join(t.TempDir(), "admsim")
	run("../../..", "go", "build", "-ldflags=-w", "-o", program, "./cmd/admsim")
	run(".", program, "envtest", assets)
	t.Setenv("KUBEBUILDER_ASSETS", assets)
	t.Setenv("TMPDIR", t.TempDir()) // for the folders that a suite leaves behind if it crashes
	for _, s := range suites {
		t.Run(s.name, func(t *testing.T) { test(t, s.name, s.passed) })
	}
	for _, name := range strings.FieldsFunc(*more, func(r rune) bool { return r == ',' }) {
		t.Run(name, func(t *testing.T) { test(t, name, "") })
	}
}

func test(t *testing.T, name, passed string) {
	t.Helper()
	specs := func() ([]byte, error) {
		return exec.Command("go", "test", "-vet=off", "-ldflags=-w", "-count=1", "-v", "sigs.k8s.io/controller-runtime/"+name, "-args", "-ginkgo.no-color").CombinedOutput()
	}
	out, err := specs()
	if err != nil && bytes.Contains(out, []byte("address already in use")) {
		out, err = specs() // envtest chooses ports before it listens on them, and another process may be faster
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	found := summary.FindSubmatch(out)
	if found == nil || passed != "" && string(found[1]) != passed {
		t.Errorf("%s passed, want %s specs", found, passed)
	}
	t.Logf("%s", found)
}
