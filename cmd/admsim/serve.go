package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/bug"
	"github.com/admsim/admsim/internal/controllers"
	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/fault"
	"github.com/admsim/admsim/internal/process"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/pkg/simulator"
)

const serveUsage = `serve is the API server of a simulated cluster, for kubectl, client-go, Helm and every other client. Each
request goes through all of admission, as with the other commands: built-in plugins, webhooks, policies.

The cluster is what the manifests of -C and of the PATHs describe. It lives in memory, and what clients
change is gone at the end. Nothing runs in it: there are no kubelets, and no controllers but those that
docs/serve.md lists.

With a COMMAND behind --, serve runs it with KUBECONFIG set, and ends with its exit code. Without one it
serves until it is interrupted.`

const serveExample = `  admsim serve -C world/ -- kubectl apply -f app/
  admsim serve -C world/ -- go test ./...
  admsim serve -C world/ --kubeconfig kubeconfig.yaml
  admsim serve -C world/ --log audit.log --log-format audit -- ./test.sh`

type serveCommand struct {
	world      worldFlags
	listen     string
	kubeconfig string
	token      string
	hosts      []string
	services   []string // ranges of the addresses of services
	latency    time.Duration
	which      []string
	realTime   bool
	faults     faultFlag
	log        logFlags
	audit      auditFlags
}

func newServe() *cobra.Command {
	s := &serveCommand{}
	c := &cobra.Command{
		Use:     "serve [-C PATH]... [PATH]... [-- COMMAND...]",
		Short:   "Serve the simulated cluster to kubectl and other clients",
		Long:    serveUsage,
		Example: serveExample,
		RunE: func(c *cobra.Command, args []string) error {
			paths, command := args, []string(nil)
			if at := c.ArgsLenAtDash(); at >= 0 {
				paths, command = args[:at], args[at:]
			}
			return s.run(c, paths, command)
		},
		Annotations: taking(manifests),
	}
	s.world.add(c)
	s.world.addUnmatched(c)
	s.world.cluster = &clusterFlags{} // here --kubeconfig names the file to write
	ofCluster(c, func() {
		s.world.cluster.addFrom(c)
		s.world.cluster.addContext(c)
	})
	flags := c.Flags()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 is any that is free")
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "`FILE` to write the kubeconfig for clients to (default: a temporary one, removed at the end)")
	flags.StringVar(&s.token, "token", "", "let clients use this `TOKEN` instead of a certificate; they act as an administrator")
	flags.StringArrayVar(&s.hosts, "host", nil, "additional `NAME` or address for the server's certificate; repeatable")
	flags.StringSliceVar(&s.services, "service-cluster-ip-range", nil, "`RANGES` of the addresses of services, at most one for each IP family, as for kube-apiserver (default "+bootstrap.DefaultServiceRange+", unless the manifests have other addresses)")
	flags.DurationVar(&s.latency, "latency", 0, "delay every answer by this long")
	flags.BoolVar(&s.realTime, "real-time", false, "let answers take as long as the mocks of their webhooks say; by default, their latency is only counted")
	flags.Var(&s.faults, "fault", "inject a fault, `"+fault.Form+"`, such as update:configmaps:conflict,every=3; repeatable, see docs/serve.md")
	flags.StringSliceVar(&s.which, "controllers", []string{"*"}, "`CONTROLLERS` that run, as for kube-controller-manager: * is all, -NAME all but that one; of "+strings.Join(controllers.Names(), ", "))
	s.log.add(c)
	s.audit.add(c)
	return c
}

func (s *serveCommand) run(c *cobra.Command, paths, command []string) (err error) {
	if c.ArgsLenAtDash() >= 0 && len(command) == 0 {
		return hinted(errors.New("there is no command after --"), "write one, such as -- kubectl get pods, or leave -- out to serve until Ctrl-C")
	}
	if command == nil && len(paths) > 0 && isProgram(paths[0]) {
		return hinted(fmt.Errorf("%s: no such file", paths[0]), "to run a program, write -- before it: -- "+strings.Join(paths, " "))
	}
	if err := s.log.check(c.Flags().Changed); err != nil {
		return err
	}
	if err := s.audit.check(); err != nil {
		return err
	}
	stderr := c.ErrOrStderr()
	ctx, planned := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer planned()
	var cluster *serving.Cluster
	s.world.unexplained, s.world.living = true, true
	s.world.door = func() backends.Door {
		if cluster == nil {
			return nil // called by a conversion webhook while the world is loaded
		}
		return serving.NewDoorTo(cluster)
	}
	var read readFiles
	w, err := s.world.load(ctx, paths, s.world.reading(c.InOrStdin(), read.add), stderr)
	if err != nil {
		return err
	}
	defer w.close(stderr)
	if err := (controllers.Options{Which: s.which}).Check(); err != nil {
		return fmt.Errorf("--controllers: %w", err)
	}
	if s.latency < 0 {
		return hinted(fmt.Errorf("--latency %v is negative", s.latency), "write a duration such as 50ms")
	}
	if _, _, err := net.SplitHostPort(s.listen); err != nil {
		return hinted(fmt.Errorf("--listen: %w", err), "give host and port, such as 127.0.0.1:6443, or only a port, such as :6443")
	}
	warn := warner(stderr)
	log, err := s.log.open(c.OutOrStdout(), read.names(), warn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.close()) }()
	audit, err := s.audit.open(w.Release, c.OutOrStdout(), read.names(), warn)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, audit.close()) }()
	faults, err := s.plan(w)
	if err != nil {
		return err
	}
	flags := s.given(c)
	missed := missedRequests{bugs: bug.Counter{What: "request"}}
	failed := func(err error) {
		missed.add(err)
		warn(err)
	}
	options := serving.Options{Controllers: s.which, Latency: s.latency, RealTime: s.realTime, Faults: faults, Token: s.token, Created: time.Now(), Flags: flags, Words: textOf, Warn: failed}
	if log != nil {
		options.Answered = log.answered
		if s.log.format == auditFormat { // a replay needs the writes of controllers, which later requests depend on
			options.Wrote = log.wrote
		}
	}
	audit.follow(&options)
	metrics := newServerMetrics(w.Release, s.world.plugins.Manifests)
	metrics.follow(&options)
	defer warnUnmet(faults, warn)
	port, err := door.Listen(s.listen)
	if err != nil {
		return err
	}
	defer port.Close()
	sim, err := s.started(w.Simulator(), port, flags["advertise-address"])
	if err != nil {
		return err
	}
	if cluster, err = serving.Start(sim, options); err != nil {
		return err
	}
	defer cluster.Close()
	entrance, err := cluster.Open(serving.At{Address: s.listen, Port: port, Hosts: s.hosts, Kubeconfig: s.kubeconfig})
	if err != nil {
		return err
	}
	defer metrics.reread(ctx, cluster, s.world.folders(), saying(stderr), warn)()
	if command == nil {
		fmt.Fprintf(stderr, "admsim: serving Kubernetes %s on %s\nadmsim: clients need KUBECONFIG=%s\n", w.Release.Version, entrance.Server, entrance.Kubeconfig)
		select {
		case <-ctx.Done():
		case err = <-entrance.Ended():
			return err
		}
		return entrance.Close()
	}
	code, err := process.Foreground{
		Args: command, Env: []string{"KUBECONFIG=" + entrance.Kubeconfig}, Stdin: c.InOrStdin(), Stdout: c.OutOrStdout(), Stderr: stderr,
	}.Run(ctx)
	if err = errors.Join(err, entrance.Close()); err != nil {
		return err
	}
	if code != 0 {
		return &exitError{code}
	}
	return missed.err()
}

// missedRequests counts the requests that have no answer. It may be used concurrently.
type missedRequests struct {
	mutex sync.Mutex
	count int
	bugs  bug.Counter
}

// add counts a request if err is about one.
func (m *missedRequests) add(err error) {
	failure, panicked := (*serving.Failure)(nil), (*serve.PanicError)(nil)
	if !errors.As(err, &failure) {
		return
	}
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.count++
	if errors.As(err, &panicked) {
		m.bugs.Add(fmt.Errorf("%s: panic: %v", failure.Request, panicked.Value))
	}
}

func (m *missedRequests) err() error {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	switch {
	case m.bugs.Count > 0:
		return m.bugs.Err()
	case m.count == 1:
		return errors.New("one request could not be answered; the warning says why")
	case m.count > 1:
		return fmt.Errorf("%d requests could not be answered; the warnings say why", m.count)
	}
	return nil
}

// started returns the simulator of the cluster with the objects that a server creates from its address when it starts.
func (s *serveCommand) started(sim *simulator.Simulator, port net.Listener, advertised []string) (*simulator.Simulator, error) {
	release := sim.Release()
	at := bootstrap.Address{Services: bootstrap.ServerRanges(sim.State(), release), Now: time.Now()}
	if s.services != nil {
		var err error
		if at.Services, err = bootstrap.CheckServiceRanges(s.services, release); err != nil {
			return nil, hinted(fmt.Errorf("--service-cluster-ip-range: %w", err), "write a range such as "+bootstrap.DefaultServiceRange+", or two of different IP families with a comma between them")
		}
	}
	if tcp, ok := port.Addr().(*net.TCPAddr); ok && len(advertised) > 0 {
		at.Host, at.Port = advertised[0], tcp.Port
	}
	return sim.With(bootstrap.WithIPAddresses(bootstrap.WithAddress(sim.State(), release, at), release))
}

// given returns the flags that were given and that kube-apiserver has, too, and where it listens. Others do no harm:
// nobody looks for them.
func (s *serveCommand) given(c *cobra.Command) map[string][]string {
	all := map[string][]string{}
	c.Flags().Visit(func(f *pflag.Flag) {
		all[f.Name] = []string{f.Value.String()}
		if lists, ok := f.Value.(interface{ GetSlice() []string }); ok {
			all[f.Name] = lists.GetSlice()
		}
	})
	if modes := s.world.authorization.loaded.Modes; len(modes) > 0 {
		all["authorization-mode"] = modes
	}
	var at net.IP
	if address, err := net.ResolveTCPAddr("tcp", s.listen); err == nil && len(address.IP) > 0 {
		at = address.IP
		all["bind-address"] = []string{at.String()}
	}
	if advertised, err := utilnet.ResolveBindAddress(at); err == nil { // that of another machine cannot be a loopback
		all["advertise-address"] = []string{advertised.String()}
	}
	return all
}

// isProgram reports whether arg is a program rather than a path of manifests.
func isProgram(arg string) bool {
	_, err := os.Stat(arg)
	return err != nil && process.Exists(arg)
}
