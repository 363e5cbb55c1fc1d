package main

import (
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// mostAtStart is how many bytes the packages of the command may allocate before it starts, whatever it is asked to do:
// a tenth more than they do. Whoever needs more has to say why; a package variable that is created on first use needs
// nothing.
const mostAtStart = 3_920_000

// No command pays at its start for what only other commands need. Unlike times, bytes are the same on every machine,
// except for a few in a thousand.
func TestStart(t *testing.T) {
	packages, err := exec.Command("go", "list", "-deps", ".").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	of := strings.Fields(string(packages)) // without packages that only tests need
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "version")
	cmd.Args[0] = "admsim"
	cmd.Env = append(cmd.Environ(), "GODEBUG=inittrace=1")
	var trace strings.Builder
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("admsim version: %v\n%s", err, &trace)
	}
	type share struct {
		name  string
		bytes int
	}
	var shares []share
	sum, deep := 0, false
	for _, line := range regexp.MustCompile(`(?m)^init (\S+) .* (\d+) bytes, `).FindAllStringSubmatch(trace.String(), -1) {
		name, err := url.PathUnescape(line[1])
		if err != nil || !slices.Contains(of, name) {
			continue
		}
		bytes, err := strconv.Atoi(line[2])
		if err != nil {
			t.Fatal(err)
		}
		shares = append(shares, share{name, bytes})
		sum += bytes
		if name == "github.com/admsim/admsim/internal/deepstack" {
			deep = true
			if sum > mostAtStart/50 {
				t.Errorf("%d bytes are allocated before the stack is deep: has deepstack imports?", sum)
			}
		}
	}
	if !deep {
		t.Error("no package makes the stack deep")
	}
	if sum < mostAtStart/2 {
		t.Errorf("the packages of admsim allocate %d bytes at its start: lower mostAtStart, or find out what is not counted", sum)
	}
	if sum <= mostAtStart {
		return
	}
	slices.SortFunc(shares, func(a, b share) int { return b.bytes - a.bytes })
	t.Errorf("the packages of admsim allocate %d bytes at its start, more than %d; most of it by", sum, mostAtStart)
	for _, s := range shares[:min(10, len(shares))] {
		t.Logf("%8d %s", s.bytes, s.name)
	}
}

// BenchmarkStart starts the command alternately with and without delaying the first garbage collection, and compares
// the CPU time.
func BenchmarkStart(b *testing.B) {
	program, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	for name, args := range map[string][]string{
		"work=version": {"version"},
		"work=run":     {"run", "-C", "../../examples/quickstart/world", "-f", "../../examples/quickstart/request.yaml"},
	} {
		b.Run(name, func(b *testing.B) {
			var took [2]time.Duration
			for b.Loop() {
				for i, gogc := range []string{"GOGC=", "GOGC=100"} { // latecollection respects GOGC
					cmd := exec.Command(program, args...)
					cmd.Args[0] = "admsim"
					cmd.Env = append(cmd.Environ(), gogc)
					_ = cmd.Run() // the request is denied
					took[i] += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
				}
			}
			b.ReportMetric(float64(took[1])/float64(took[0]), "early/late")
		})
	}
}
