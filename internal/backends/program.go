package backends

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/process"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/pkg/dispatch"
)

// A program is the program of a webhook. It is started for the first call, and shared by all backends with the same
// command.
type program struct {
	source  scenario.Source
	command scenario.Command
	options process.Options
	start   func(first dispatch.Call) (consent.Exec, *process.Process, error)

	mu      sync.Mutex
	allowed consent.Exec
	door    Door             // nil: none
	process *process.Process // nil: not started, or failed to start
	err     error
	ended   bool
}

// program returns the backend that calls the program of d, which b may already have.
func (b *Backends) program(ctx context.Context, d scenario.Backend, o Options) *real {
	p := b.same(d, o)
	for _, name := range servicesOf(d.Webhook, o.Objects) {
		p.options.Hosts = append(p.options.Hosts, name...)
	}
	p.start = func(first dispatch.Call) (allowed consent.Exec, running *process.Process, err error) {
		if allowed, err = o.Consent.Exec(programAct(p.source, d.Webhook, p.command)); err != nil {
			return allowed, nil, err
		}
		if o.Door != nil {
			p.door = o.Door()
		}
		if p.door != nil {
			if p.options.Server, p.options.Account, err = p.door.Open(first, p.options.NamesCluster(p.command.Args)); err != nil {
				return allowed, nil, err
			}
		}
		running, err = process.Start(ctx, allowed, p.command.Args, p.options)
		return allowed, running, err
	}
	r := &real{insecure: d.Insecure, trusts: true, program: p}
	r.connect = func(first dispatch.Call) (consent.Network, dispatch.ClientOptions, error) {
		allowed, running, err := p.running(first)
		if err != nil {
			return consent.Network{}, dispatch.ClientOptions{}, err
		}
		r.door = p.door
		c := o.clientOptions(d.Insecure)
		c.Address, c.CABundle = running.Address(), running.CABundle()
		return allowed.Network(), c, nil
	}
	return r
}

// same returns the program of d, shared with earlier backends that have the same command.
func (b *Backends) same(d scenario.Backend, o Options) *program {
	c := commandOf(d)
	for _, p := range b.programs {
		if fmt.Sprint(p.command) == fmt.Sprint(c) {
			return p
		}
	}
	p := &program{source: d.Source, command: c, options: process.Options{
		Name:         d.Webhook,
		Dir:          c.Dir,
		Env:          c.Env,
		Port:         c.Port,
		Ready:        process.Ready(c.Ready),
		StartTimeout: c.StartTimeout,
		Log:          o.Log,
	}}
	b.programs = append(b.programs, p)
	return p
}

// commandOf returns the command of d with the folder that it really runs in.
func commandOf(d scenario.Backend) scenario.Command {
	c := *d.Command
	c.Dir = d.Folder()
	return c
}

func (p *program) running(first dispatch.Call) (consent.Exec, *process.Process, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil && p.err == nil && !p.ended {
		if p.allowed, p.process, p.err = p.start(first); p.err != nil {
			p.err = refusedAt(p.source, p.err, process.Hint(p.err, p.command.Args, p.options))
		}
	}
	return p.allowed, p.process, p.err
}

// settle waits until the program has written what has to exist before its first call.
func (p *program) settle(ctx context.Context, c dispatch.Call) error {
	if p == nil || p.door == nil || len(p.command.Until) == 0 {
		return nil
	}
	limit := cmp.Or(p.command.StartTimeout, process.DefaultStartTimeout)
	if err := p.door.Await(ctx, c, p.command.Until, limit); err != nil {
		return refusedAt(p.source, fmt.Errorf("its program is not ready after %s: %w", limit, err), "--webhook-log FILE keeps its output; or set another startTimeout")
	}
	return nil
}

func (p *program) stop() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.process != nil {
		p.process.Stop()
	}
	if p.door != nil {
		p.door.Close()
	}
}

// How long to wait for what explains why a call failed, since output and the end of a program arrive separately from the
// answer: for either, and for the rest of a program that has ended.
const (
	outputGrace = 100 * time.Millisecond
	endGrace    = 2 * time.Second
)

// explain waits for what a program writes about a failed call, or until all of it has ended if it does.
func explain(ctx context.Context, running *process.Process) {
	select {
	case <-running.Exited():
	case <-time.After(outputGrace):
		return
	case <-ctx.Done():
		return
	}
	select {
	case <-running.Done():
	case <-time.After(endGrace):
	case <-ctx.Done():
	}
}

// listen returns a function that returns the program's output from now on and, if it has ended, how.
func (p *program) listen() (said func(context.Context) string) {
	if p == nil {
		return func(context.Context) string { return "" }
	}
	p.mu.Lock()
	running := p.process
	p.mu.Unlock()
	if running == nil {
		return func(context.Context) string { return "" }
	}
	before := running.Written()
	return func(ctx context.Context) string {
		explain(ctx, running)
		text := relevantLines(running.Since(before))
		if err := running.Err(); err != nil {
			problem, _, _ := strings.Cut(err.Error(), "; ")
			if text == "" {
				return problem
			}
			return problem + "; it wrote: " + text
		}
		if text == "" {
			return ""
		}
		return "its program wrote: " + text
	}
}

// fewLines is how many lines of a program's output a message contains.
const fewLines = 3

// relevantLines returns the lines of an output that are most likely to explain a failure: from a panic on, otherwise
// the last ones.
func relevantLines(output string) string {
	lines := strings.FieldsFunc(output, func(r rune) bool { return r == '\n' || r == '\r' })
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	from := max(len(lines)-fewLines, 0)
	if i := slices.IndexFunc(lines, func(line string) bool {
		return strings.Contains(line, "panic") || strings.HasPrefix(line, "Traceback")
	}); i >= 0 {
		from = i
	}
	few := lines[from:min(from+fewLines, len(lines))]
	text := strings.Join(few, " | ")
	if left := len(lines) - len(few); left > 0 {
		text += fmt.Sprintf(" (%d more lines: --webhook-log FILE)", left)
	}
	return text
}

// failure says why the program ended on its own. If it failed to start, the caller knows already.
func (p *program) failure() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.process == nil {
		return nil
	}
	return p.process.Err()
}

// servicesOf returns the names of the services behind the webhooks that a pattern matches, according to the
// configurations among the objects.
func servicesOf(pattern string, objects []scenario.Manifest) (names [][]string) {
	route, err := dispatch.NewBackends(dispatch.Route{Webhook: pattern})
	if err != nil {
		return nil
	}
	for _, m := range objects {
		if m.Group != "admissionregistration.k8s.io" {
			continue
		}
		var configuration struct {
			Webhooks []struct {
				Name         string
				ClientConfig struct {
					Service *struct{ Namespace, Name string }
				}
			}
		}
		if json.Unmarshal(m.JSON, &configuration) != nil {
			continue // reported when it is read
		}
		for _, w := range configuration.Webhooks {
			if s := w.ClientConfig.Service; s != nil && route.Declares(m.Name, w.Name) {
				names = append(names, certificate.ServiceNames(s.Namespace, s.Name))
			}
		}
	}
	return names
}
