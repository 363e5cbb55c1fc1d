package performance

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/golden"
)

// margin is how many more allocations than in the baseline are allowed: caches and maps of libraries vary a little.
const margin = 1.1

// key is the work whose allocations are counted. Each item is prepared first, and then run.
var key = []struct {
	name    string
	prepare func(t *testing.T) (work func())
}{
	{"create a pod", func(t *testing.T) func() {
		w := load(t, nil)
		return func() { create(t, w, pod(3)) }
	}},
	{"create a pod that 10 mutating and 10 validating mocks see", func(t *testing.T) func() {
		w := load(t, webhooks(10, 10))
		return func() { create(t, w, pod(3)) }
	}},
	{"create a pod with a policy on it", func(t *testing.T) func() {
		w := load(t, []byte(Policy))
		return func() { create(t, w, pod(3)) }
	}},
	{"load 100 webhook configurations", func(t *testing.T) func() {
		return func() { load(t, Configurations(100)) }
	}},
	{"load 100 ConfigMaps", func(t *testing.T) func() {
		return func() { load(t, settings(100)) }
	}},
}

// The allocations of the most common uses of admsim must not grow unnoticed. Unlike times, they are the same on every
// machine.
func TestAllocations(t *testing.T) {
	const file = "testdata/allocations.txt"
	counted := map[string]float64{}
	var text strings.Builder
	for _, k := range key {
		work := k.prepare(t)
		counted[k.name] = math.Round(testing.AllocsPerRun(20, work))
		fmt.Fprintf(&text, "%.0f\t%s\n", counted[k.name], k.name)
	}
	if golden.Updating() {
		if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	baseline, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(baseline)) {
		var allowed float64
		number, name, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if _, err := fmt.Sscan(number, &allowed); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		got, known := counted[name]
		delete(counted, name)
		switch {
		case !known:
			t.Errorf("%s: unknown name %q", file, name)
		case got > allowed*margin:
			t.Errorf("%s: %.0f allocations, %.0f in %s: find out why, then run go test ./internal/performance -update", name, got, allowed, file)
		case got < allowed/margin:
			t.Logf("%s: %.0f allocations, %.0f in %s: run go test ./internal/performance -update", name, got, allowed, file)
		}
	}
	for name := range counted {
		t.Errorf("%s: %q is missing: run go test ./internal/performance -update", file, name)
	}
}
