package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// document returns docs/performance.md.
func (m *measurement) document(rounds int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `# How fast admsim is

Written by `+"`make bench-peers`"+`; do not edit it by hand. Number of rounds: %d; nothing runs in
parallel. Each ratio compares two measurements of the same round, so it depends little on the machine. The tables show the
median of all rounds, and the lowest and the highest in parentheses. Everything runs on one core unless the row says otherwise. %s.

## Beside others

With a ratio below 1, admsim is faster. The work that both do is defined in `+"`internal/cmd/bench/plan.go`"+`.

| work | beside | admsim: time, allocations | the other | ratio | goal |
|---|---|---|---|---|---|
`, rounds, m.machine())
	for _, c := range comparisons {
		within := ratios(m.samples[quantity{c.pkg, c.ours, "ns/op"}], m.samples[quantity{c.pkg, c.theirs, "ns/op"}])
		if c.turns != "" {
			within = m.samples[quantity{c.pkg, c.turns, c.unit}]
		}
		row(&b, c.work, c.by, m.cost(c.pkg, c.ours), m.cost(c.pkg, c.theirs), within, c.goal)
	}
	b.WriteString("\n## From the start of a process to its end\n\n| work | time | of the CPU | memory at most | goal |\n|---|---|---|---|---|\n")
	for _, p := range m.programs {
		memory := "less than the benchmark itself"
		if found := m.samples[quantity{benchmark: p.work, unit: "MiB"}]; len(found) > 0 {
			memory = fmt.Sprintf("%.0f MiB", median(found))
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", p.work,
			withSpread(m.samples[quantity{benchmark: p.work, unit: "ns/op"}], duration),
			withSpread(m.samples[quantity{benchmark: p.work, unit: "ns-CPU"}], duration), memory, p.goal)
	}
	b.WriteString("\nCompared with other programs that were found:\n\n| work | beside | admsim | the other | ratio | |\n|---|---|---|---|---|---|\n")
	for _, p := range m.programs {
		if p.against != "" {
			ours, theirs := m.samples[quantity{benchmark: p.against, unit: "ns/op"}], m.samples[quantity{benchmark: p.work, unit: "ns/op"}]
			row(&b, p.work, p.tool+" "+p.version, duration(median(ours)), duration(median(theirs)), ratios(ours, theirs), "")
		}
	}
	if len(m.missing) > 0 {
		fmt.Fprintf(&b, "\nNot installed, and so not measured: %s.\n", strings.Join(m.missing, ", "))
	}
	b.WriteString("\n## Long recordings\n\nAudit logs of level RequestResponse, in a world of 200 webhooks. Each request matches three of them. One run, on all cores.\n\n| what | figure | goal |\n|---|---|---|\n")
	for _, f := range figures {
		format := ratio
		if strings.HasSuffix(f.unit, "/s") {
			format = thousands
		}
		fmt.Fprintf(&b, "| %s | **%s** | %s |\n", f.what, format(median(m.samples[quantity{command, f.benchmark, f.unit}])), f.goal)
	}
	m.growth(&b)
	b.WriteString(repeat)
	return b.String()
}

func row(b *strings.Builder, work, by, ours, theirs string, within []float64, goal string) {
	fmt.Fprintf(b, "| %s | %s | %s | %s | **%s** | %s |\n", work, by, ours, theirs, withSpread(within, ratio), goal)
}

// cost formats the time and the allocations of a benchmark.
func (m *measurement) cost(pkg, benchmark string) string {
	return fmt.Sprintf("%s, %s", duration(median(m.samples[quantity{pkg, benchmark, "ns/op"}])),
		thousands(median(m.samples[quantity{pkg, benchmark, "allocs/op"}])))
}

func withSpread(values []float64, format func(float64) string) string {
	text := format(median(values))
	if s := spread(values, format); s != "" {
		text += " (" + s + ")"
	}
	return text
}

// growth writes the table that shows how costs grow.
func (m *measurement) growth(b *strings.Builder) {
	b.WriteString("\n## How the cost grows\n\n" +
		"The exponent says how the cost grows with the size: 0 is no growth, 1 is linear, 2 is quadratic.\n\n" +
		"| of | size: time, allocations | exponent |\n|---|---|---|\n")
	for _, s := range scaling {
		var points []point
		var cells []string
		for _, size := range m.sizes(s) {
			name := fmt.Sprintf("%s=%d", s.benchmark, size)
			cost := median(m.samples[quantity{s.pkg, name, "ns/op"}])
			points = append(points, point{float64(size), cost})
			cells = append(cells, thousands(float64(size))+": "+m.cost(s.pkg, name))
		}
		seen := "—"
		if e := exponent(points); !math.IsNaN(e) {
			seen = fmt.Sprintf("%.2f", e)
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", s.of, strings.Join(cells, "; "), seen)
	}
}

// sizes returns the sizes in which a series was measured.
func (m *measurement) sizes(s series) []int {
	var all []int
	for q := range m.samples {
		if text, ok := strings.CutPrefix(q.benchmark, s.benchmark+"="); ok && q.pkg == s.pkg && q.unit == "ns/op" {
			if size, err := strconv.Atoi(text); err == nil {
				all = append(all, size)
			}
		}
	}
	slices.Sort(all)
	return all
}

// machine describes the machine and the libraries of the measurement.
func (m *measurement) machine() string {
	text := fmt.Sprintf("%s on %s/%s, %d cores", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if mod, err := os.ReadFile("go.mod"); err == nil {
		for line := range strings.Lines(string(mod)) {
			if f := strings.Fields(line); len(f) >= 2 && f[0] == "k8s.io/apiserver" {
				text += ", k8s.io/apiserver " + f[1]
			}
		}
	}
	if load, err := os.ReadFile("/proc/loadavg"); err == nil {
		text += ", load at the end " + strings.Fields(string(load))[0] + " (if it is above the number of cores, times mean little)"
	}
	return text
}

const repeat = `
## To repeat it

    make bench-peers     # everything above, and this file; programs are found on the PATH
    make bench           # the benchmarks of all packages

conftest, kubectl-validate and gator are measured, too, if they are installed. Their work is defined in
` + "`internal/cmd/bench/process.go`" + `. To install them:

    go install github.com/open-policy-agent/conftest@latest
    go install sigs.k8s.io/kubectl-validate@latest
    go install github.com/open-policy-agent/gatekeeper/v3/cmd/gator@latest

Most of the memory of an admsim process is pages of its binary: Linux counts 64 KiB around every byte that is touched. Two in
three of these places are touched while a package initializes itself: those of k8s.io/api, of CEL, and of the server's
libraries for CRDs. That is why a suite of one case takes a ninth of the memory of
etcd and kube-apiserver, and not a tenth: 31 MiB would be 4 less. In an experiment
with copies of thirteen of these packages (21,000 lines), removing their metrics, feature gates, formats and OpenAPI documents
saved 1.6 MiB.

Times differ from machine to machine; allocations do not. ` + "`internal/performance`" + ` counts those of five pieces of work, and
fails if there are more than in its baseline.
`
