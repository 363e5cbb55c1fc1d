package main

import (
	"context"
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/admsim/admsim/internal/performance"
)

// A program is started, does one thing and ends.
type program struct {
	work string
	tool string   // what has to be on the PATH; empty: admsim, built from this checkout
	args []string // {dir} is replaced by the folder of the files
	goal string

	// against is the work that this program does in another way.
	against string

	path    string
	version string
}

// programs are measured from start to end. Other tools are measured if they are found.
var programs = []program{
	{work: "admsim version", args: []string{"version"}},
	{work: "admsim run: one request of the quickstart", args: []string{"run", "-C", "examples/quickstart/world", "-f", "examples/quickstart/request.yaml"}, goal: "below 30 ms"},
	{work: "admsim test: a suite of one case", args: []string{"test", "{dir}/suite"}, goal: "below 30 ms, 31 MiB"},
	{work: "admsim run: a Pod and one policy", args: []string{"run", "-C", "{dir}/policy.yaml", "-f", "{dir}/pod.yaml", "-n", "default"}},
	{work: "admsim run: a Pod in a world of 10,000 webhook configurations", args: []string{"run", "-C", "{dir}/configurations.yaml", "-f", "{dir}/pod.yaml", "-n", "default"}, goal: "below 2 s and 300 MB"},

	{work: "conftest: that Pod and the same policy in Rego", tool: "conftest", args: []string{"test", "--policy", "{dir}/images.rego", "{dir}/pod.yaml"}, against: "admsim run: a Pod and one policy"},
	{work: "kubectl-validate: that Pod, its schema only", tool: "kubectl-validate", args: []string{"{dir}/pod.yaml"}, against: "admsim run: a Pod and one policy"},
	{work: "gator: that Pod and the same policy as a template", tool: "gator", args: []string{"test", "-f", "{dir}/gator.yaml", "-f", "{dir}/pod.yaml"}, against: "admsim run: a Pod and one policy"},
}

// writeFiles writes the files that the programs read.
func writeFiles(dir string) error {
	if err := os.Mkdir(filepath.Join(dir, "suite"), 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{
		"suite/admsim.yaml":   suiteFile,
		"suite/policy.yaml":   performance.Policy,
		"suite/pod.yaml":      podFile,
		"pod.yaml":            podFile,
		"policy.yaml":         performance.Policy,
		"images.rego":         regoFile,
		"gator.yaml":          gatorFile,
		"configurations.yaml": string(performance.Configurations(10_000)),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// find looks for the programs, and asks the other tools for their versions.
func (m *measurement) find(ctx context.Context, peers bool) error {
	admsim, err := build(ctx, m.dir)
	if err != nil {
		return err
	}
	for _, p := range programs {
		p.path = admsim
		if p.tool != "" {
			path, err := exec.LookPath(p.tool)
			if err != nil || !peers {
				m.missing = append(m.missing, p.tool)
				continue
			}
			p.path, p.version = path, versionOf(ctx, path)
		}
		for i, a := range p.args {
			p.args[i] = strings.ReplaceAll(a, "{dir}", m.dir)
		}
		m.programs = append(m.programs, p)
	}
	return writeFiles(m.dir)
}

// build builds the command as make build does, and copies it: a newly linked file is in memory in larger pieces than
// one read from disk, and each piece counts as used as soon as a program touches a byte of it.
func build(ctx context.Context, dir string) (string, error) {
	linked, copied := filepath.Join(dir, "linked"), filepath.Join(dir, "admsim")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", linked, "./cmd/admsim")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building admsim: %w\n%s", err, out)
	}
	from, err := os.Open(linked)
	if err != nil {
		return "", err
	}
	defer func() { _ = from.Close() }()
	to, err := os.OpenFile(copied, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, from)
	return copied, errors.Join(err, to.Close())
}

// versionOf returns the version that the go command wrote into a tool, or else what the tool reports about itself, in
// one line.
func versionOf(ctx context.Context, path string) string {
	if info, err := buildinfo.ReadFile(path); err == nil && strings.HasPrefix(info.Main.Version, "v") {
		return info.Main.Version
	}
	for _, flag := range []string{"--version", "version"} {
		if out, err := exec.CommandContext(ctx, path, flag).Output(); err == nil {
			return strings.Join(strings.Fields(string(out)), " ")
		}
	}
	return "of unknown version"
}

// start runs a program from start to end, and records its duration and its peak memory.
func (m *measurement) start(ctx context.Context, p program) error {
	cmd := exec.CommandContext(ctx, p.path, p.args...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	begin := time.Now()
	err := cmd.Run()
	took := time.Since(begin)
	if err != nil {
		return fmt.Errorf("%s %s: %w\n%s", p.path, strings.Join(p.args, " "), err, stderr.String())
	}
	m.samples.add(quantity{benchmark: p.work, unit: "ns/op"}, float64(took.Nanoseconds()))
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	m.samples.add(quantity{benchmark: p.work, unit: "ns-CPU"}, float64(used.Nanoseconds()))
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok && usage.Maxrss > ownMemory() {
		m.samples.add(quantity{benchmark: p.work, unit: "MiB"}, float64(usage.Maxrss)/1024)
	}
	return nil
}

// ownMemory returns the peak memory of this process in KiB, or 0 if the system does not report it. A child process
// starts as a copy of this one, so this memory counts as the child's own.
func ownMemory() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			var most int64
			_, _ = fmt.Sscan(rest, &most)
			return most
		}
	}
	return 0
}

const (
	podFile = `apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec:
  containers:
  - {name: web, image: registry.example/web:1}
`
	suiteFile = `apiVersion: admsim.dev/v1beta1
kind: Suite
metadata: {name: images}
world: {load: [policy.yaml]}
cases:
- name: ours
  request: pod.yaml
  expect: {allowed: true}
`
	regoFile = `package main

deny contains msg if {
	some container in input.spec.containers
	not startswith(container.image, "registry.example/")
	msg := sprintf("%s is from elsewhere", [container.image])
}
`
	gatorFile = `apiVersion: templates.gatekeeper.sh/v1
kind: ConstraintTemplate
metadata: {name: images}
spec:
  crd: {spec: {names: {kind: Images}}}
  targets:
  - target: admission.k8s.gatekeeper.sh
    rego: |
      package images
      violation[{"msg": msg}] {
        container := input.review.object.spec.containers[_]
        not startswith(container.image, "registry.example/")
        msg := sprintf("%s is from elsewhere", [container.image])
      }
---
apiVersion: constraints.gatekeeper.sh/v1beta1
kind: Images
metadata: {name: images}
spec: {match: {kinds: [{apiGroups: [""], kinds: [Pod]}]}}
`
)
