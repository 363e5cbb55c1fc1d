// Package apiserver is the program kube-apiserver in a folder for envtest: the server of package serving, with the
// flags of the real one, and only the controllers that are part of a real kube-apiserver. Package etcd also keeps what
// clients write, so that a restarted kube-apiserver finds it.
//
// Start with [Parse], then [Server.Run]. The package does not know what happens to requests.
package apiserver

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/internal/bootstrap"
	"github.com/admsim/admsim/internal/consent"
	"github.com/admsim/admsim/internal/door"
	"github.com/admsim/admsim/internal/envtest/credentials"
	"github.com/admsim/admsim/internal/envtest/etcd"
	"github.com/admsim/admsim/internal/envtest/flags"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/store"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A Server is a kube-apiserver as configured by its flags.
type Server struct {
	Release *kubeversion.Release

	flags         *flags.Given
	address       string // host:port to listen on
	advertised    string
	services      []string // address ranges
	authorization scenario.Authorization
	plugins       simulator.Plugins
	configured    *scenario.AdmissionConfiguration // nil: plugins are not configured
	clients       credentials.Clients
}

// flagTable defines what is done with each flag.
//
//go:embed flags.txt
var flagTable string

func newFlags() *flags.Given {
	given := flags.New("kube-apiserver", flags.Table(flagTable))
	given.Hide("insecure-port") // envtest sets the flag if it is listed
	return given
}

// Help returns the output of --help.
func Help() string {
	return "kube-apiserver of admsim: the API server of a simulated cluster, with the flags of the real one.\n\nFlags:\n" + newFlags().Usage()
}

// Parse parses the command line of kube-apiserver. release is simulated unless --emulated-version names another. The
// error is [pflag.ErrHelp] if help was requested.
func Parse(args []string, release *kubeversion.Release) (_ *Server, err error) {
	given := newFlags()
	if err := given.Parse(args); err != nil {
		return nil, err
	}
	s := &Server{Release: release, flags: given}
	if err := s.emulate(); err != nil {
		return nil, err
	}
	s.address = net.JoinHostPort(given.One("bind-address", "0.0.0.0"), given.One("secure-port", "6443"))
	s.advertised = given.One("advertise-address", given.One("bind-address", "127.0.0.1"))
	services := given.List("service-cluster-ip-range")
	if services == nil {
		services = []string{bootstrap.DefaultServiceRange}
	}
	if s.services, err = bootstrap.CheckServiceRanges(services, s.Release); err != nil {
		return nil, fmt.Errorf("--service-cluster-ip-range: %w", err)
	}
	authorization := scenario.AuthorizationFlags{Modes: given.List("authorization-mode"), PolicyFile: given.One("authorization-policy-file", ""),
		WebhookFile: given.One("authorization-webhook-config-file", ""), WebhookVersion: given.One("authorization-webhook-version", ""), ConfigFile: given.One("authorization-config", "")}
	if len(authorization.Modes) == 0 && authorization.ConfigFile == "" {
		authorization.Modes = []string{"AlwaysAllow"}
	}
	if s.authorization, err = authorization.Load(scenario.Options{}); err != nil {
		return nil, err
	}
	s.plugins = simulator.Plugins{
		Enable: given.List("enable-admission-plugins"), Disable: given.List("disable-admission-plugins"), Only: given.List("admission-control"),
	}
	if s.clients, err = credentials.Read(given); err != nil {
		return nil, err
	}
	if err := checkHSTS(given.List("strict-transport-security-directives")); err != nil {
		return nil, err
	}
	// If everybody may do everything, anonymous requests are not allowed:
	// kubernetes/kubernetes:pkg/kubeapiserver/options/authentication.go, ApplyAuthorization.
	s.clients.NoAnonymous = given.One("anonymous-auth", "true") != "true" || slices.Contains(s.authorization.Modes, "AlwaysAllow")
	return s, s.configure()
}

// Audit returns the files of the policy and of the audit log, empty where a flag is not set. Without a policy a server
// writes no log.
func (s *Server) Audit() (policy, path string) {
	return s.flags.One("audit-policy-file", ""), s.flags.One("audit-log-path", "")
}

// Flags returns the flags that were given, and where clients find the server.
func (s *Server) Flags() map[string][]string {
	all := s.flags.Values()
	all["advertise-address"] = []string{s.advertised}
	return all
}

// emulate determines the simulated release, with the feature gates and APIs that flags switch on or off.
func (s *Server) emulate() error {
	for _, text := range s.flags.List("emulated-version") {
		component, version, ok := strings.Cut(text, "=")
		if !ok {
			component, version = "kube", text
		}
		if component != "kube" {
			continue
		}
		release, err := kubeversion.Parse(version)
		if err != nil {
			return fmt.Errorf("--emulated-version: %w", err)
		}
		s.Release = release
	}
	gates, err := s.flags.Switches("feature-gates", false)
	if err != nil {
		return err
	}
	apis, err := s.flags.Switches("runtime-config", true)
	if err != nil {
		return err
	}
	s.Release, err = s.Release.With(kubeversion.Flags{FeatureGates: gates, RuntimeConfig: apis})
	return err
}

// configure reads the configuration of admission plugins.
func (s *Server) configure() error {
	file := s.flags.One("admission-control-config-file", "")
	if file == "" {
		return nil
	}
	names, err := s.plugins.Names(s.Release)
	if err != nil {
		return err
	}
	if s.configured, err = scenario.LoadAdmissionConfiguration(file, names, s.Release, scenario.Options{Root: filepath.Dir(file)}); err != nil {
		return err
	}
	world.Configure(&s.plugins, s.configured)
	return nil
}

// Manifests returns the static manifests that plugins began with, by plugin.
func (s *Server) Manifests() map[string][]simulator.Manifest { return s.plugins.Manifests }

// Reread reads the static manifests of a plugin again.
func (s *Server) Reread(plugin string) ([]simulator.Manifest, error) {
	return world.Reread(s.configured, plugin)
}

// Surroundings holds what a program gets in addition to its flags.
type Surroundings struct {
	// Consent is the permission to call the webhooks of clients at the locations that they configure.
	Consent *consent.Policy

	// Start starts the cluster for clients.
	Start func(*simulator.Simulator, credentials.Clients) (Cluster, error)

	// Say is called with one-line messages for the user. May be nil.
	Say func(format string, args ...any)
}

// A Cluster is a served cluster.
type Cluster interface {
	Store() *store.Store
	Handler() door.Handler
	Close()
}

// Controllers returns the names of the controllers that are part of a kube-apiserver.
func Controllers() []string {
	return []string{"customresourcedefinition-controller", "apiservice-status-available-controller", "ipallocator-repair-controller", "portallocator-repair-controller"}
}

func (s Surroundings) say(format string, args ...any) {
	if s.Say != nil {
		s.Say(format, args...)
	}
}

// Run serves until ctx is done.
func (s *Server) Run(ctx context.Context, around Surroundings) (err error) {
	host, _, _ := net.SplitHostPort(s.address)
	pair, clients, err := credentials.Certificates(s.flags, host, s.advertised)
	if err != nil {
		return err
	}
	listener, err := door.Listen(s.address)
	if err != nil {
		return fmt.Errorf("--bind-address and --secure-port: %w", err)
	}
	port := 0
	if at, ok := listener.Addr().(*net.TCPAddr); ok {
		port = at.Port
	}
	cluster, storage, err := s.start(ctx, around, port, clients)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	defer cluster.close()
	around.say("serving Kubernetes %s on https://%s", s.Release.Version, listener.Addr())
	keeping, stop := context.WithCancel(context.Background())
	kept := make(chan error, 1)
	go func() { kept <- storage.Follow(keeping, cluster.Store()) }()
	handler := strict{cluster.Handler(), strings.Join(s.flags.List("strict-transport-security-directives"), "; ")}
	err = door.Serve(ctx, listener, handler, pair, clients)
	stop()
	if lost := <-kept; lost != nil {
		around.say("%v", lost)
	}
	return err
}

// at returns where clients find the server, according to the server itself.
func (s *Server) at(port int, clients []byte) bootstrap.Address {
	return bootstrap.Address{Host: s.advertised, Port: port, Services: s.services, Clients: clients, Now: time.Now()}
}

// A running cluster includes the backends of its webhooks.
type running struct {
	Cluster
	world *worlds.Loaded
}

func (r *running) close() {
	r.Close()
	r.world.Backends.Close()
}

// start starts the cluster with the state in etcd.
func (s *Server) start(ctx context.Context, around Surroundings, port int, clients []byte) (*running, *etcd.Storage, error) {
	credentials, err := worlds.Credentials(s.plugins)
	if err != nil {
		return nil, nil, err
	}
	var o worlds.Options
	o.World.Release, o.World.Plugins, o.World.Authorization = s.Release, s.plugins, s.authorization
	o.World.Now, o.World.NewUID = time.Now, uuid.NewUUID
	o.Backends.Release, o.Backends.Consent, o.Backends.Credentials = s.Release, around.Consent, credentials
	o.Backends.Live, o.Backends.Proxy, o.Backends.Now = true, true, time.Now
	o.Backends.EndpointRouting = s.flags.One("enable-aggregator-routing", "false") == "true"
	w, _, err := worlds.NewLoaded(ctx, scenario.Bag{}, o)
	if err != nil {
		return nil, nil, err
	}
	storage, err := etcd.Open(s.flags.List("etcd-servers"))
	if err != nil {
		return nil, nil, err
	}
	state := bootstrap.WithAddress(w.Simulator().State(), s.Release, s.at(port, clients))
	sim, err := w.Simulator().With(bootstrap.WithIPAddresses(state, s.Release))
	if err == nil {
		sim, err = storage.Restore(ctx, sim)
	}
	if err != nil {
		return nil, nil, err
	}
	cluster, err := around.Start(sim, s.clients)
	if err != nil {
		return nil, nil, err
	}
	storage.Begin(cluster.Store())
	return &running{cluster, w}, storage, nil
}
