package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// build compiles the benchmarks of a package once for all rounds.
func (m *measurement) build(ctx context.Context, pkg string) error {
	if m.binaries[pkg] != "" {
		return nil
	}
	binary := filepath.Join(m.dir, strings.NewReplacer("./", "", "/", "-").Replace(pkg)+".test")
	build := exec.CommandContext(ctx, "go", "test", "-c", "-o", binary, ".")
	build.Dir = pkg // it may be in another module
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building the benchmarks of %s: %w\n%s", pkg, err, out)
	}
	m.binaries[pkg] = binary
	return nil
}

// bench runs the benchmarks of a suite and keeps their results.
func (m *measurement) bench(ctx context.Context, s benchmarks) error {
	benchtime := m.benchtime
	if s.once {
		benchtime = "1x"
	}
	args := []string{"-test.run=^$", "-test.bench=" + s.pattern, "-test.benchtime=" + benchtime, "-test.benchmem"}
	if s.cores > 0 {
		args = append(args, "-test.cpu="+strconv.Itoa(s.cores))
	}
	cmd := exec.CommandContext(ctx, m.binaries[s.pkg], args...)
	cmd.Dir = s.pkg
	cmd.Env = append(os.Environ(), s.env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("benchmarks of %s: %w\n%s", s.pkg, err, out)
	}
	m.samples.parse(s.pkg, out)
	return nil
}

// A quantity is a number that a benchmark reports: its package, its name, a unit.
type quantity struct{ pkg, benchmark, unit string }

// samples holds the results of the rounds, in order.
type samples map[quantity][]float64

var procs = regexp.MustCompile(`-\d+$`)

// parse reads the output of a benchmark run.
func (s samples) parse(pkg string, out []byte) {
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(fields[0], "")
		for i := 2; i+1 < len(fields); i += 2 {
			if value, err := strconv.ParseFloat(fields[i], 64); err == nil {
				q := quantity{pkg, name, fields[i+1]}
				s[q] = append(s[q], value)
			}
		}
	}
}
