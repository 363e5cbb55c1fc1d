package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/admsim/admsim/internal/certificate"
	"github.com/admsim/admsim/internal/controllers"
	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/process"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/serve"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/pkg/admission"
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
  admsim serve -C world/ --kubeconfig kubeconfig.yaml`

type serveCommand struct {
	world      worldFlags
	listen     string
	kubeconfig string
	token      string
	hosts      []string
	latency    time.Duration
	which      []string
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
	}
	s.world.add(c)
	s.world.addUnmatched(c)
	flags := c.Flags()
	flags.StringVar(&s.listen, "listen", "127.0.0.1:0", "`ADDRESS` to listen on; port 0 is any that is free")
	flags.StringVar(&s.kubeconfig, "kubeconfig", "", "`FILE` to write the kubeconfig for clients to (default one that is gone at the end)")
	flags.StringVar(&s.token, "token", "", "let clients use this `TOKEN` instead of a certificate; they are an administrator")
	flags.StringArrayVar(&s.hosts, "host", nil, "additional `NAME` or address for the server's certificate; repeatable")
	flags.DurationVar(&s.latency, "latency", 0, "let each answer wait for so long")
	flags.StringSliceVar(&s.which, "controllers", []string{"*"}, "`CONTROLLERS` that run, as for kube-controller-manager: * is all, -NAME all but that one; of "+strings.Join(controllers.Names(), ", "))
	return c
}

func (s *serveCommand) run(c *cobra.Command, paths, command []string) error {
	if c.ArgsLenAtDash() >= 0 && len(command) == 0 {
		return hinted(errors.New("there is no command behind --"), "write one, such as -- kubectl get pods, or leave -- out to serve until Ctrl-C")
	}
	stderr := c.ErrOrStderr()
	ctx, planned := signal.NotifyContext(c.Context(), os.Interrupt, syscall.SIGTERM)
	defer planned()
	s.world.unexplained, s.world.living = true, true
	w, err := s.world.load(ctx, paths, scenario.Options{Stdin: c.InOrStdin()}, stderr)
	if err != nil {
		return err
	}
	defer w.close(stderr)
	cluster, err := store.New(w.Simulator(), store.Options{})
	if err != nil {
		return err
	}
	if err := (controllers.Options{Which: s.which}).Check(); err != nil {
		return fmt.Errorf("--controllers: %w", err)
	}
	acting, retire := context.WithCancel(context.WithoutCancel(ctx))
	working, err := controllers.Start(acting, cluster, controllers.Options{Which: s.which, Failed: func(err error) {
		fmt.Fprintf(stderr, "admsim: warning: %v\n", err)
	}})
	if err != nil {
		retire()
		return err
	}
	defer working.Wait()
	defer retire()
	opened, err := s.open(cluster, working, stderr)
	if err != nil {
		return err
	}
	defer opened.remove()
	serving, stop := context.WithCancel(ctx)
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- door.Serve(serving, opened.listener, opened.handler, opened.pair, opened.authority) }()
	if command == nil {
		fmt.Fprintf(stderr, "admsim: serving Kubernetes %s on %s\nadmsim: clients need KUBECONFIG=%s\n", w.Release.Version, opened.config.Server, opened.path)
		return <-ended
	}
	code, err := process.Foreground{
		Args: command, Env: []string{"KUBECONFIG=" + opened.path}, Stdin: c.InOrStdin(), Stdout: c.OutOrStdout(), Stderr: stderr,
	}.Run(ctx)
	stop()
	if err = errors.Join(err, <-ended); err != nil {
		return err
	}
	if code != 0 {
		return &exitError{code}
	}
	return nil
}

// An opened server has all that clients need.
type opened struct {
	handler   *serve.Handler
	listener  net.Listener
	authority *certificate.Authority
	pair      certificate.Pair
	config    door.Kubeconfig
	path      string // of the kubeconfig
	remove    func()
}

// open listens, and writes the kubeconfig with which clients get in.
func (s *serveCommand) open(cluster *store.Store, working *controllers.Controllers, stderr io.Writer) (*opened, error) {
	host, _, err := net.SplitHostPort(s.listen)
	if err != nil {
		return nil, hinted(fmt.Errorf("--listen: %w", err), "give host and port, such as 127.0.0.1:6443, or only a port, such as :6443")
	}
	now := time.Now()
	d := &opened{remove: func() {}}
	if d.authority, err = certificate.NewAuthority(now); err != nil {
		return nil, err
	}
	names := append(certificate.Local(), certificate.ServiceNames("default", "kubernetes")...)
	if ip := net.ParseIP(host); host != "" && (ip == nil || !ip.IsUnspecified()) {
		names = append(names, host)
	}
	if d.pair, err = d.authority.Issue(now, append(names, s.hosts...)...); err != nil {
		return nil, err
	}
	if d.listener, err = door.Listen(s.listen); err != nil {
		return nil, err
	}
	address := d.listener.Addr().String()
	d.config = door.Kubeconfig{Server: door.Reached(address), CA: d.authority.Bundle(), Token: s.token}
	administrator := admission.Administrator()
	tokens := map[string]authenticationv1.UserInfo{}
	if s.token != "" {
		tokens[s.token] = administrator
	} else if d.config.Client, err = d.authority.IssueClient(now, administrator.Username, "system:masters"); err != nil {
		return nil, errors.Join(err, d.listener.Close())
	}
	if err := d.write(s.kubeconfig); err != nil {
		return nil, errors.Join(err, d.listener.Close())
	}
	d.handler = serve.New(cluster, serve.Options{
		Tokens: tokens, Address: address, Latency: s.latency, Settled: working.Settled,
		Failed: func(r *http.Request, err error) {
			fmt.Fprintf(stderr, "admsim: warning: %s %s: %v\n", r.Method, r.URL.Path, err)
		},
	})
	return d, nil
}

// write writes the kubeconfig, to a file of its own where none is named.
func (d *opened) write(path string) error {
	text, err := d.config.YAML()
	if err != nil {
		return err
	}
	d.path = path
	if path == "" {
		folder, err := os.MkdirTemp("", "admsim-serve-")
		if err != nil {
			return err
		}
		d.path, d.remove = filepath.Join(folder, "kubeconfig"), func() { _ = os.RemoveAll(folder) }
	}
	if absolute, err := filepath.Abs(d.path); err == nil {
		d.path = absolute
	}
	return wholefile.Write(d.path, text, 0o600)
}

// newUID is a random UUID.
func newUID() types.UID {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return types.UID(fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:]))
}
