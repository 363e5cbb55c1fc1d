// Package process runs a user's webhook binary for as long as admsim needs it.
//
// Start with [Start], which needs the permission of the user: it gives the command a free port and a serving certificate, and
// returns once the webhook answers. One [Process] is shared by all requests;
// [Process.Stop] ends it together with every child it has. That happens too when the
// context is cancelled, and even when the calling program dies without a word, see guard.
//
// The package runs in real time and knows nothing of what the webhook is asked.
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

// Options say how a webhook is started. The zero value will do for one that takes its
// port and certificate from the command line or the environment.
type Options struct {
	Name  string   // what messages call it; empty: the command
	Dir   string   // where it runs; empty: here
	Env   []string // NAME=value beside the few variables that every program gets; placeholders can stand in values
	Hosts []string // whom its certificate is for, beside this machine; see [certificate.ServiceNames]
	Port  int      // what it listens on; 0: a free port, to be passed on to it
	Ready Ready    // when it is ready; empty: [TLS]

	// Server is the URL of the API server of the cluster that asks it, and Account a folder with what
	// it needs there: token, ca.crt and namespace, as in a pod, and a kubeconfig. Empty: there is none.
	Server, Account string

	// Log is a file to which all that it writes is added, each line after its name. Empty: none.
	Log string

	StartTimeout time.Duration // until it must be ready; 0: [DefaultStartTimeout]
	StopTimeout  time.Duration // from SIGTERM to SIGKILL; 0: 5 s
}

// DefaultStartTimeout is how long a program may take to be ready, unless somebody says otherwise.
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

// A Process is a webhook that runs. It may be used by many requests at once.
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
	forced    chan struct{} // closed when it is not asked any more
	done      chan struct{} // closed when nothing of it is left
	err       error         // valid after done
	unwatched func() bool
}

// Start starts command and waits until it answers. In each argument these can stand, as in
// --port={{.Port}}: {{.Port}} and {{.Address}} where it is to listen, {{.HealthPort}} for a
// further free port, {{.CertDir}} for a folder with its certificate, and {{.CertFile}}, {{.KeyFile}} and {{.CAFile}} in there, and
// {{.Kubeconfig}} and {{.ServiceAccountDir}} where it can reach a cluster.
// ctx is for the whole life of the process: once it is done, the process is stopped.
//
// Of the environment of admsim the process gets what few programs can do without, see
// [Inherited], and what allowed names.
//
// [Hint] says what to try after an error.
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

// freePorts finds two ports on which nobody listens, or checks that this is so for the first
// one if it is wanted, lest somebody else is taken for the webhook. Somebody may take them before
// the webhook does; then the webhook says so.
func freePorts(ctx context.Context, wanted int) (port, health int, err error) {
	first, err := listen(ctx, wanted)
	if err != nil {
		if wanted != 0 {
			return 0, 0, fmt.Errorf("its port %d is not free: %w", wanted, err)
		}
		return 0, 0, fmt.Errorf("finding a free port: %w", err)
	}
	second, err := listen(ctx, 0) // while the first one is taken
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

// launch makes the certificate and the process, and nothing where it fails.
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

// watch waits for the end of the process and sees to it that nothing is left.
func (p *Process) watch() {
	defer close(p.done)
	exit := p.command.Wait()
	select {
	case <-p.stopping: // its children were asked too, and have as much time as it had
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
	_ = os.RemoveAll(p.folder) // in the folder of temporary files; no reason to fail
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

// Stop ends the process: it is asked to, and killed with all its children if it has not
// ended in time. When Stop returns, nothing is left of it. Stopping twice is fine.
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

// Address is where the webhook listens, as host and port.
func (p *Process) Address() string { return p.address }

// CABundle is what the API server has to trust to call the webhook, in PEM.
func (p *Process) CABundle() []byte { return p.bundle }

// Output is what the webhook wrote to standard output and standard error; only the end of
// it where that is much.
func (p *Process) Output() string { return p.output.String() }

// Written is how many bytes the webhook has written so far.
func (p *Process) Written() int { return p.output.written() }

// Since is what the webhook wrote after as many bytes; only the end of it where that is much.
func (p *Process) Since(written int) string { return p.output.since(written) }

// Done is closed once the process has ended, for whatever reason.
func (p *Process) Done() <-chan struct{} { return p.done }

// Err is nil while the process runs and after it was stopped, and says what went wrong if it ended
// on its own.
func (p *Process) Err() error {
	select {
	case <-p.done:
		return p.err
	default:
		return nil
	}
}
