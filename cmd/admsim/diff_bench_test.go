//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// BenchmarkDiff compares two measurements, each in a process of its own on all processors: comparing a generated log
// between two worlds, and replaying it in one. It also compares the memory for a long log with that for a short one.
// Two in three events are requests that run: ADMSIM_BENCH_EVENTS=150000 is 100,000 of them.
func BenchmarkDiff(b *testing.B) {
	events := benchEvents(b)
	dir := b.TempDir()
	world, head := filepath.Join(dir, "world.yaml"), filepath.Join(dir, "head.yaml")
	for file, text := range map[string]string{world: busyWorld(), head: busyChange} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			b.Fatal(err)
		}
	}
	small, large := filepath.Join(dir, "small.log"), filepath.Join(dir, "large.log")
	writeBusyLog(b, world, small, events/10)
	writeBusyLog(b, world, large, events)

	for b.Loop() {
		once := timed(b, "replay", "-C", world, large, "-j", "2")
		short := timed(b, "diff", "-C", world, "--head", head, small, "-j", "2")
		twice := timed(b, "diff", "-C", world, "--head", head, large, "-j", "2")
		b.ReportMetric(twice.took.Seconds()/once.took.Seconds(), "times-replay")
		b.ReportMetric(twice.cpu.Seconds()/once.cpu.Seconds(), "times-replay-by-cpu")
		b.ReportMetric(float64(twice.cpu.Microseconds())/float64(events*2/3), "cpu-µs/request")
		b.ReportMetric(twice.took.Seconds(), "s")
		b.ReportMetric(twice.peak, "peak-MB")
		b.ReportMetric(twice.peak/short.peak, "large/small")
	}
}

// busyChange is the difference between the worlds that diff compares: one more policy, which one team violates.
const busyChange = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: settings}
spec:
  matchConstraints: {resourceRules: [{operations: [CREATE, UPDATE], apiGroups: [""], apiVersions: [v1], resources: [configmaps]}]}
  validations: [{expression: "object.metadata.namespace != 'team-7'", message: not for team 7}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: settings}
spec: {policyName: settings, validationActions: [Deny]}
`

// A spent is the resources that a process used.
type spent struct {
	took, cpu time.Duration
	peak      float64 // MB
}

// timed runs admsim in a process of its own, which has to succeed.
func timed(b *testing.B, args ...string) spent {
	b.Helper()
	c := exec.Command("admsim", args...)
	start := time.Now()
	out, err := c.CombinedOutput()
	if err != nil {
		b.Fatalf("%v\n%.3000s", err, out)
	}
	if testing.Verbose() {
		b.Logf("%.2000s", out)
	}
	usage, _ := c.ProcessState.SysUsage().(*syscall.Rusage)
	return spent{time.Since(start), c.ProcessState.UserTime() + c.ProcessState.SystemTime(), float64(usage.Maxrss) / 1024}
}
