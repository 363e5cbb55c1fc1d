// Command serving compares the performance of admsim serve with a real kube-apiserver with etcd, in one run: each piece
// of work is done against one and then against the other, several times.
package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/reference"
)

const usage = `Usage: serving [-version 1.37.2] [-admsim bin/admsim] [-rounds 3] [-o docs/serve.md]

It compares admsim serve with the real kube-apiserver of a release with etcd, and writes the table between the
marks of the document.

Flags:
`

func main() { command.Main("serving", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := command.Flags("serving", usage, progress)
	version := flags.String("version", "1.37.2", "the release of the real server")
	admsim := flags.String("admsim", "bin/admsim", "the program to measure")
	rounds := flags.Int("rounds", 3, "how often each piece of work is done")
	last := flags.Duration("last", 2*time.Second, "how long objects are created in each round")
	objects := flags.Int("objects", 10_000, "how many objects are listed and watched")
	document := flags.String("o", "", "the document that gets the table")
	nothing := flags.String("nothing", "", "only run a server at this `ADDRESS` that does nothing")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *nothing != "" {
		return serveNothing(*nothing)
	}
	binary, err := reference.Build(ctx, *version, progress)
	if err != nil {
		return err
	}
	if *admsim, err = filepath.Abs(*admsim); err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "serving-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(folder) }()

	webhook, err := newWebhook()
	if err != nil {
		return err
	}
	defer webhook.close()
	b := &bench{last: *last, objects: *objects, webhook: webhook, progress: progress}
	table := &results{}
	for round := range *rounds {
		b.round = round
		var ours, theirs *server
		if ours, err = startAdmsim(ctx, *admsim); err != nil {
			return err
		}
		if theirs, err = startReference(ctx, binary, filepath.Join(folder, strconv.Itoa(round))); err != nil {
			return errors.Join(err, ours.stop())
		}
		table.add("first answer after the start", "s", ours.started.Seconds(), theirs.started.Seconds())
		if err = b.all(ctx, ours, theirs, table); err == nil {
			err = b.most(ctx, table)
		}
		if err = errors.Join(err, ours.stop(), theirs.stop()); err != nil {
			return err
		}
	}
	text := table.markdown(*version, *rounds, *objects)
	fmt.Fprint(out, text)
	if *document == "" {
		return nil
	}
	return replace(*document, text)
}

// A server is a server to be measured.
type server struct {
	name    string
	url     string
	token   string
	pids    []int
	started time.Duration // time until its first answer
	stop    func() error
}

func startReference(ctx context.Context, binary, folder string) (*server, error) {
	if err := os.MkdirAll(filepath.Join(folder, "etcd"), 0o755); err != nil {
		return nil, err
	}
	began := time.Now()
	etcd, err := reference.StartEtcd(ctx, filepath.Join(folder, "etcd"))
	if err != nil {
		return nil, err
	}
	// A client-go client waits until this point, but not for the post-start hooks that /readyz waits for.
	real, err := reference.Start(ctx, reference.Options{Binary: binary, Folder: folder, Etcd: etcd})
	if err != nil {
		etcd.Stop()
		return nil, err
	}
	s := &server{name: "kube-apiserver", url: real.URL(), token: reference.Setup, pids: []int{real.PID(), etcd.PID()}}
	s.stop = func() error { real.Stop(); etcd.Stop(); return nil }
	if err := s.await(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	s.started = time.Since(began)
	return s, nil
}

const token = "bench"

func startAdmsim(ctx context.Context, binary string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	cmd := command.Child(ctx, binary, "serve", "--listen", address, "--token", token, "--live", "--allow-network")
	var words bytes.Buffer
	cmd.Stderr = &words
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	s := &server{name: "admsim serve", url: "https://" + address, token: token, pids: []int{cmd.Process.Pid}}
	s.stop = func() error {
		_ = cmd.Process.Signal(os.Interrupt)
		if err := cmd.Wait(); err != nil {
			return fmt.Errorf("%w: %s", err, words.String())
		}
		return nil
	}
	if err := s.await(ctx); err != nil {
		return nil, errors.Join(err, s.stop())
	}
	s.started = time.Since(began)
	return s, nil
}

// await waits for the first answer about a resource.
func (s *server) await(ctx context.Context) error {
	c := newClient(s)
	for deadline := time.Now().Add(time.Minute); ; {
		code, err := c.do(ctx, "GET", "/api/v1/namespaces/default", nil, nil)
		switch {
		case err == nil && code == 200:
			return nil
		case time.Now().After(deadline):
			return fmt.Errorf("%s does not answer: %d, %w", s.name, code, err)
		case ctx.Err() != nil:
			return ctx.Err()
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// memory returns how much RAM the processes of a server use.
func (s *server) memory() (bytes float64, err error) {
	for _, pid := range s.pids {
		status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
		if err != nil {
			return 0, err
		}
		_, rest, _ := strings.Cut(string(status), "VmRSS:")
		fields := strings.Fields(rest)
		if len(fields) == 0 {
			return 0, fmt.Errorf("process %d has no VmRSS", pid)
		}
		kib, err := strconv.ParseFloat(fields[0], 64)
		if err != nil {
			return 0, err
		}
		bytes += kib * 1024
	}
	return bytes, nil
}

// processor returns how many seconds of processor time the processes of a server have used.
func (s *server) processor() (seconds float64, err error) {
	const ticks = 100 // per second, on every Linux
	for _, pid := range s.pids {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			return 0, err
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // after the name
		fields := strings.Fields(rest)
		if len(fields) < 13 {
			return 0, fmt.Errorf("process %d has no times", pid)
		}
		for _, field := range fields[11:13] { // in user mode, and in the kernel
			n, err := strconv.ParseFloat(field, 64)
			if err != nil {
				return 0, err
			}
			seconds += n / ticks
		}
	}
	return seconds, nil
}

// A row is a piece of work, with its figures in each round.
type row struct {
	work, unit   string
	ours, theirs []float64
}

type results struct {
	rows []*row
	most []*row // of a server that does nothing, instead of ours
}

func (r *results) add(work, unit string, ours, theirs float64) {
	r.rows = added(r.rows, work, unit, ours, theirs)
}

func added(rows []*row, work, unit string, ours, theirs float64) []*row {
	at := slices.IndexFunc(rows, func(one *row) bool { return one.work == work })
	if at < 0 {
		at = len(rows)
		rows = append(rows, &row{work: work, unit: unit})
	}
	rows[at].ours, rows[at].theirs = append(rows[at].ours, ours), append(rows[at].theirs, theirs)
	return rows
}

// figures returns the columns of a table after the first. Each ratio is of two figures from the same round.
func (r *row) figures() string {
	ratios := make([]float64, len(r.ours))
	for i := range ratios {
		ratios[i] = r.theirs[i] / r.ours[i]
		if r.unit == "/s" {
			ratios[i] = 1 / ratios[i]
		}
	}
	return fmt.Sprintf("%s | %s | **%.3g** (%.3g to %.3g) |\n", shown(median(r.ours), r.unit), shown(median(r.theirs), r.unit), median(ratios), slices.Min(ratios), slices.Max(ratios))
}

// markdown returns the table.
func (r *results) markdown(version string, rounds, objects int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Medians of %d rounds, beside kube-apiserver %s with etcd; %s on %s/%s, %d cores, load %s.\n\n",
		rounds, version, runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), load())
	b.WriteString("| work | admsim serve | kube-apiserver and etcd | ratio (lowest to highest) |\n|---|--:|--:|--:|\n")
	for _, one := range r.rows {
		fmt.Fprintf(&b, "| %s | %s", one.work, one.figures())
	}
	fmt.Fprintf(&b, "\nThe ratio says how many times as good admsim is: sooner, more, or smaller. Clients, webhooks and servers share the cores; the\n"+
		"rows by processor time leave out what clients and webhooks take. Lists and watches are of %d ConfigMaps.\n", objects)
	b.WriteString("\nWhat a server can reach at most on these cores, as measured with one that only reads each request and sends it back, with the\n" +
		"same TLS and HTTP/2 of Go:\n\n| work | does nothing | kube-apiserver and etcd | ratio (lowest to highest) |\n|---|--:|--:|--:|\n")
	for _, one := range r.most {
		fmt.Fprintf(&b, "| %s | %s", one.work, one.figures())
	}
	return b.String()
}

func shown(v float64, unit string) string {
	switch unit {
	case "/s":
		return fmt.Sprintf("%.0f/s", v)
	case "B":
		return fmt.Sprintf("%.0f MiB", v/(1<<20))
	}
	return time.Duration(v * float64(time.Second)).Round(100 * time.Microsecond).String()
}

func median(of []float64) float64 {
	sorted := slices.Sorted(slices.Values(of))
	return sorted[len(sorted)/2]
}

func load() string {
	text, _ := os.ReadFile("/proc/loadavg")
	first, _, _ := strings.Cut(string(text), " ")
	return cmp.Or(first, "unknown")
}

const (
	opens  = "<!-- served: written by make bench-serve -->\n"
	closes = "<!-- end of served -->\n"
)

// replace replaces the table between the marks of a document.
func replace(document, table string) error {
	text, err := os.ReadFile(document)
	if err != nil {
		return err
	}
	before, rest, ok := strings.Cut(string(text), opens)
	_, after, closed := strings.Cut(rest, closes)
	if !ok || !closed {
		return fmt.Errorf("%s has no %s", document, strings.TrimSpace(opens))
	}
	return os.WriteFile(document, []byte(before+opens+table+closes+after), 0o644)
}
