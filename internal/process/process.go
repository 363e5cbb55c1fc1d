// Package process runs a user's webhook binary for as long as admsim needs it.
//
// Start with [Start], which requires the user's permission: it gives the command a free port and a serving certificate,
// and returns once the webhook answers. All requests share one [Process]. [Process.Stop] ends it together with all its
// children. That also happens when the context is cancelled, and even when the calling program dies, see guard.
//
// The package runs in real time and does not know what the webhook is asked.
package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/consent"
)

// Options configure how a webhook is started. The zero value suits a webhook that takes its port and certificate from
// the command line or the environment.
type Options struct {
	Name  string   // for messages; empty: the command
	Dir   string   // working directory; empty: the current one
	Env   []string // NAME=value, in addition to the few variables that every program gets; values may have placeholders
	Hosts []string // further names in its certificate, in addition to this machine; see [certificate.ServiceNames]
	Port  int      // the port on which it listens; 0: a free port, which is passed to it
	Ready Ready    // when it is ready; empty: [TLS]

	// Server is the URL of the API server of the calling cluster, and Account a folder with the credentials for it:
	// token, ca.crt and namespace, as in a pod, and a kubeconfig. Empty: none.
	Server, Account string

	// Log is a file to which its output is appended, each line with its name in front. Empty: none.
	Log string

	StartTimeout time.Duration // until it must be ready; 0: [DefaultStartTimeout]
	StopTimeout  time.Duration // from SIGTERM to SIGKILL; 0: 5 s
}

// DefaultStartTimeout is how long a program may take to become ready by default.
const DefaultStartTimeout = 30 * time.Second

const defaultStopTimeout = 5 * time.Second

func (o Options) withDefaults(command []string) Options {
	if o.Name == "" {
		o.Name = command[0]
	}
	if o.Ready == "" {
		o.Ready = TLS
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = DefaultStartTimeout
	}
	if o.StopTimeout == 0 {
		o.StopTimeout = defaultStopTimeout
	}
	return o
}

// A Process is a running webhook. Many requests may use it concurrently.
type Process struct {
	name    string
	address string
	bundle  []byte
	folder  string
	ready   Ready
	grace   time.Duration

	command *exec.Cmd
	group   *group
	guard   *guard
	output  *tail

	stop      sync.Once
	stopping  chan struct{} // closed when it is asked to end
	forced    chan struct{} // closed when it is killed instead
	exited    chan struct{} // closed when the process itself has ended
	done      chan struct{} // closed when everything has ended
	err       error         // valid after done
	unwatched func() bool
}

// Start starts command and waits until it answers. Arguments may have placeholders, as in --port={{.Port}}: {{.Port}}
// and {{.Address}} for where to listen, {{.HealthPort}} for another free port, {{.CertDir}} for a folder with its
// certificate, {{.CertFile}}, {{.KeyFile}} and {{.CAFile}} for the files in it, and {{.Kubeconfig}} and
// {{.ServiceAccountDir}} for access to a cluster. ctx applies to the whole life of the process: when it is done, the
// process is stopped.
//
// Of admsim's environment the process gets the variables that few programs can do without, see [Inherited], and those
// that allowed names.
//
// [Hint] returns what to try after an error.
func Start(ctx context.Context, allowed consent.Exec, command []string, o Options) (*Process, error) {
	if !allowed.Granted() {
		return nil, errors.New("starting programs is not permitted")
	}
	if len(command) == 0 {
		return nil, errors.New("there is no command")
	}
	o = o.withDefaults(command)
	if err := o.Ready.check(); err != nil {
		return nil, err
	}
	p, err := start(ctx, inherited(allowed.PassEnv()), command, o)
	if err != nil {
		return nil, fmt.Errorf("starting webhook %s: %w", o.Name, err)
	}
	if err := p.await(ctx, o); err != nil {
		p.Stop()
		return nil, err
	}
	return p, nil
}

func start(ctx context.Context, environment, command []string, o Options) (p *Process, err error) {
	port, health, err := freePorts(ctx, o.Port)
	if err != nil {
		return nil, err
	}
	p = &Process{
		name:     o.Name,
		address:  net.JoinHostPort("127.0.0.1", strconv.Itoa(port)),
		grace:    o.StopTimeout,
		stopping: make(chan struct{}),
		forced:   make(chan struct{}),
		exited:   make(chan struct{}),
		done:     make(chan struct{}),
	}
	if p.folder, err = os.MkdirTemp("", "admsim-webhook-"); err != nil {
		return nil, err
	}
	v := variablesOf(port, health, p.folder, o)
	if p.ready, err = o.Ready.expand(v); err == nil {
		err = p.launch(environment, command, v, o)
	}
	if err != nil {
		return nil, errors.Join(err, os.RemoveAll(p.folder))
	}
	go p.watch()
	p.unwatched = context.AfterFunc(ctx, p.end)
	return p, nil
}

// freePorts finds two free ports. If the first one is given, it checks that this port is free, so that no other program
// is mistaken for the webhook. Another program may still take a port before the webhook does; then the webhook reports
// it.
func freePorts(ctx context.Context, wanted int) (port, health int, err error) {
	first, err := listen(ctx, wanted)
	if err != nil {
		if wanted != 0 {
			return 0, 0, fmt.Errorf("its port %d is not free: %w", wanted, err)
		}
		return 0, 0, fmt.Errorf("finding a free port: %w", err)
	}
	second, err := listen(ctx, 0) // while the first one is in use
	if err != nil {
		return 0, 0, errors.Join(fmt.Errorf("finding a free port: %w", err), first.Close())
	}
	port, health = first.Addr().(*net.TCPAddr).Port, second.Addr().(*net.TCPAddr).Port
	return port, health, errors.Join(first.Close(), second.Close())
}

func listen(ctx context.Context, port int) (net.Listener, error) {
	var config net.ListenConfig
	return config.Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// launch creates the certificate and the process, or nothing if it fails.
func (p *Process) launch(environment, command []string, v variables, o Options) error {
	if err := p.certify(o.Hosts); err != nil {
		return err
	}
	arguments, err := v.expandAll(command)
	if err != nil {
		return err
	}
	own, err := v.expandAll(o.Env)
	if err != nil {
		return err
	}
	p.command = exec.Command(arguments[0], arguments[1:]...)
	p.command.Dir = o.Dir
	p.command.Env = slices.Concat(environment, inCluster(o.Server), v.environment(), own)
	lead(p.command)
	if p.output, err = capture(p.command); err != nil {
		return err
	}
	if err := p.output.log(o.Log, o.Name); err != nil {
		p.output.started(err)
		return err
	}
	err = p.command.Start()
	p.output.started(err)
	if err != nil {
		return err
	}
	p.group = &group{leader: p.command.Process}
	p.guard = newGuard(p.command.Process.Pid, p.grace, p.folder)
	return nil
}

func (p *Process) certify(hosts []string) error {
	now := time.Now()
	authority, err := certificate.NewAuthority(now)
	if err != nil {
		return err
	}
	pair, err := authority.Issue(now, append(hosts[:len(hosts):len(hosts)], certificate.Local()...)...)
	if err != nil {
		return err
	}
	p.bundle = authority.Bundle()
	return pair.Write(p.folder, p.bundle)
}

// watch waits for the end of the process and makes sure that nothing remains.
func (p *Process) watch() {
	defer close(p.done)
	exit := p.command.Wait()
	close(p.exited)
	select {
	case <-p.stopping: // its children were asked too, and get as much time
		select {
		case <-p.output.closed:
		case <-p.forced:
		}
	default:
		p.err = &runError{Name: p.name, Problem: "ended: " + ending(exit)}
	}
	p.group.end()
	p.output.finish()
	p.guard.dismiss()
	_ = os.RemoveAll(p.folder) // in the folder of temporary files; not a reason to fail
	var ended *runError
	if errors.As(p.err, &ended) {
		ended.Output = p.output.String()
	}
}

func ending(err error) string {
	if err == nil {
		return "exit status 0"
	}
	return err.Error()
}

// Stop ends the process: it asks the process to end, and kills it with all its children if it does not end in time.
// When Stop returns, nothing of it is left. Stop may be called twice.
func (p *Process) Stop() {
	p.unwatched()
	p.end()
}

func (p *Process) end() {
	p.stop.Do(func() {
		close(p.stopping)
		p.group.ask()
		grace := time.NewTimer(p.grace)
		defer grace.Stop()
		select {
		case <-p.done:
		case <-grace.C:
			p.group.kill()
			close(p.forced)
		}
	})
	<-p.done
}

// Address returns where the webhook listens, as host and port.
func (p *Process) Address() string { return p.address }

// CABundle returns what the API server has to trust to call the webhook, in PEM.
func (p *Process) CABundle() []byte { return p.bundle }

// Output returns what the webhook wrote to standard output and standard error, or the end of it if that is long.
func (p *Process) Output() string { return p.output.String() }

// Written returns how many bytes the webhook has written so far.
func (p *Process) Written() int { return p.output.written() }

// Since returns what the webhook wrote after that many bytes, or the end of it if that is long.
func (p *Process) Since(written int) string { return p.output.since(written) }

// Exited returns a channel that is closed once the process itself has ended. Its children may end later, and
// its output may be read later: see Done.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Done returns a channel that is closed once the process has ended, for whatever reason.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err returns nil while the process runs and after it was stopped, or the reason why it ended by itself.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}
