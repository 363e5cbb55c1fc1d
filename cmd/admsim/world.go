package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/apimachinery/pkg/util/uuid"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/gitfiles"
	"github.com/admsim/admsim/internal/linter"
	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/serving"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// worldFlags are the flags that describe the cluster.
type worldFlags struct {
	paths           []string
	over            []string // replaces what has the same name in paths
	release         string
	allowUnknown    bool
	allowUnmatched  bool
	unexplained     bool              // do not find out why a webhook was not called
	partial         bool              // custom resources without their definition are left out
	invalid         *[]linter.Invalid // collects invalid parts of files, which are then left out; nil: they are errors
	unanswered      dispatch.Backend  // answers for webhooks without a backend; nil: see unmatched
	controllers     bool
	plugins         simulator.Plugins
	configuration   string                           // file with the admission configuration
	configured      *scenario.AdmissionConfiguration // what it contains; nil: there is none
	authorization   authorizationFlags
	variables       bool
	exclude         projectfiles.Exclusions
	live            bool
	cluster         *clusterFlags        // nil: no running cluster is read
	commit          *gitfiles.Files      // the commit that paths are read from; nil: they are on disk
	living          bool                 // with a running clock, and random UIDs
	door            func() backends.Door // for programs; nil: a door to whichever cluster calls them
	stderr          io.Writer
	services        serviceFlag
	gates, apis     switchFlag
	consent         *consentFlags
	noTimeouts      bool
	endpointRouting bool
	unmeasured      bool // calls of programs and URLs take no time, so that the same input has the same output
	webhookLog      string

	says     func(flag string) bool // reports whether a flag was given
	released bool                   // the release was given by another flag
}

func (f *worldFlags) add(c *cobra.Command) { ofCluster(c, func() { f.addAll(c) }) }

func (f *worldFlags) addAll(c *cobra.Command) {
	flags := c.Flags()
	f.says = flags.Changed
	flags.StringArrayVarP(&f.paths, "cluster", "C", nil, "`PATH` of manifests (file, folder, kustomization or Helm chart) of the cluster, and of the backends of its webhooks; repeatable")
	flags.StringVar(&f.release, "kubernetes-version", kubeversion.Default().Version, "Kubernetes `VERSION` to simulate")
	f.apis.bare = true
	flags.Var(&f.gates, "feature-gates", "feature gates to set, as for kube-apiserver")
	flags.Var(&f.apis, "runtime-config", "API groups and versions to serve or not, as for kube-apiserver: batch/v2alpha1=true, api/beta=false")
	flags.BoolVar(&f.allowUnknown, "allow-unknown", false, "warn about kinds and fields in manifests that the cluster does not know, such as those of another release, instead of failing")
	flags.StringSliceVar(&f.plugins.Enable, "enable-admission-plugins", nil, "`PLUGINS` to run in addition to the default ones, as for kube-apiserver")
	flags.StringSliceVar(&f.plugins.Disable, "disable-admission-plugins", nil, "`PLUGINS` not to run, as for kube-apiserver")
	flags.StringSliceVar(&f.plugins.Only, "admission-control", nil, "run exactly these `PLUGINS`, in this order, as kube-apiserver did before 1.10; --enable-admission-plugins, whose order does not matter, has replaced it")
	flags.StringVar(&f.configuration, "admission-control-config-file", "", "`FILE` with the configuration of admission plugins, as for kube-apiserver")
	f.authorization.add(c)
	flags.BoolVar(&f.controllers, "assume-controllers", true, "assume the objects that the controllers of a running cluster would have created, such as default service accounts")
	flags.BoolVar(&f.live, "live", false, "call webhooks without a backend at the address in their configuration")
	flags.Var(&f.services, "service", "`NS/NAME:PORT=HOST:PORT`: real address of a webhook's service; repeatable")
	f.addCalls(flags)
	f.consent = newConsentFlags(c)
	setCompletions(c, "kubernetes-version", kubeversion.Versions())
	f.addExclude(flags)
	normalize(flags)
	c.MarkFlagsMutuallyExclusive("admission-control", "enable-admission-plugins")
	c.MarkFlagsMutuallyExclusive("admission-control", "disable-admission-plugins")
}

// addExclude adds the flag that excludes files when folders are read.
func (f *worldFlags) addExclude(flags *pflag.FlagSet) {
	flags.Var(&excludeFlag{&f.exclude}, "exclude", "leave files and folders out whose path ends in this `GLOB`, such as values.yaml or 'ci/*.yaml', where folders are read; repeatable")
}

// reading returns the options for reading manifests, with the exclusions of the flags.
func (f *worldFlags) reading(stdin io.Reader, opened func(name string)) scenario.Options {
	o := reading(stdin, opened)
	o.Exclude = f.exclude
	return o
}

// addCluster adds the flags that read a running cluster. Requests that name no namespace are then in the namespace of
// the context, as with kubectl.
func (f *worldFlags) addCluster(c *cobra.Command, requests *requestFlags) {
	f.cluster = &clusterFlags{}
	ofCluster(c, func() {
		f.cluster.addFrom(c)
		f.cluster.addKubeconfig(c)
		f.cluster.addContext(c)
	})
	requests.cluster = f.cluster
}

// addCalls adds the flags that say how the programs of webhooks are called.
func (f *worldFlags) addCalls(flags *pflag.FlagSet) {
	flags.BoolVar(&f.endpointRouting, "enable-aggregator-routing", false, "call webhooks at an endpoint of their service and not at its cluster IP, as kube-apiserver with this flag")
	flags.BoolVar(&f.noTimeouts, "no-timeouts", false, "wait for webhooks as long as they take, as for one in a debugger; their time is not counted")
	flags.StringVar(&f.webhookLog, "webhook-log", "", "`FILE` to which the output of the programs of webhooks is appended")
}

// addUnmatched adds the flag that accepts webhooks without a backend, for commands that do not call them anyway.
func (f *worldFlags) addUnmatched(c *cobra.Command) {
	c.Flags().BoolVar(&f.allowUnmatched, "allow-unmatched", false, "let webhooks without a backend allow everything, and convert nothing but the apiVersion, instead of failing")
	c.MarkFlagsMutuallyExclusive("allow-unmatched", "live")
}

// normalize makes flags known under further names.
func normalize(flags *pflag.FlagSet) {
	aliases := map[string]string{"kube-version": "kubernetes-version", "operation": "verb", "authorization-mode": "authorization", "colour": "color"}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if full, ok := aliases[name]; ok {
			name = full
		}
		return pflag.NormalizedName(name)
	})
}

// A loaded world is ready to answer requests.
type loaded struct{ *worlds.Loaded }

// releaseGiven reports whether a flag says which release is simulated.
func (f *worldFlags) releaseGiven() bool { return f.released || f.says("kubernetes-version") }

// load reads the cluster from the paths of the flags and further ones. Warnings go to stderr. All errors in the files
// are returned at once, together with what could be read.
func (f *worldFlags) load(ctx context.Context, further []string, o scenario.Options, stderr io.Writer) (*loaded, error) {
	w := &loaded{&worlds.Loaded{}}
	f.stderr = stderr
	allowed, err := f.consent.allowed(slices.Concat(f.paths, f.over, further)...)
	if err != nil {
		return w, err
	}
	var live *clusterCopy
	if f.cluster != nil {
		if live, err = f.cluster.copy(ctx, stderr); err != nil {
			return w, err
		}
	}
	version := f.release
	if live != nil && !f.releaseGiven() {
		version = live.release
	}
	release, err := kubeversion.Parse(version)
	if err != nil {
		return w, err
	}
	if release, err = release.With(f.switches()); err != nil {
		return w, err
	}
	w.Release = release
	unconfigured := f.configure(release, o, stderr)
	authorizers := f.authorization.load(o)
	credentials, unauthorized := worlds.Credentials(f.plugins)
	paths, files := slices.Concat(f.paths, further), o
	if f.commit != nil {
		if paths, err = f.inCommit(stderr); err != nil {
			return w, err
		}
		files.FS = f.commit
	}
	manifests, unread := loadObjects(paths, files, stderr)
	bag, unsorted := scenario.Sort(manifests, files)
	shadowed := backends.Shadowed(bag.Backends.List)
	if f.commit != nil {
		unsorted = joinSorted(unsorted, f.runInCheckout(bag.Backends.List))
	}
	if live != nil {
		below, err := scenario.Sort(live.manifests, o)
		bag, unsorted = world.Overlaid(below, bag), joinSorted(err, unsorted)
	}
	over, overErr := f.overlay(o, stderr)
	shadowed = append(shadowed, backends.Shadowed(over.Backends.List)...) // what it replaces in bag is no mistake
	bag, unread = world.Overlaid(bag, over), joinSorted(unread, unsorted, overErr)
	if f.invalid != nil {
		var unreadable, misconfigured []linter.Invalid
		unreadable, unread = linter.Unreadable(unread)
		misconfigured, unauthorized = linter.Misconfigured(unauthorized)
		*f.invalid = slices.Concat(*f.invalid, unreadable, misconfigured)
	}
	f.defined(&bag, release, stderr)
	wrong := joinSorted(unconfigured, authorizers, unauthorized, unread)
	options := world.Options{
		Release:       release,
		Plugins:       f.plugins,
		Unexplained:   f.unexplained,
		Controllers:   f.controllers,
		IgnoreUnknown: f.allowUnknown || live != nil, // the simulated release may not be the one of the cluster
		Incomplete:    wrong != nil || f.invalid != nil && len(*f.invalid) > 0,
		Variables:     f.variables,
		Unchecked:     f.partial, // a lint rule reports it
		Authorization: f.authorization.loaded,
	}
	if f.living {
		options.Now, options.NewUID = time.Now, uuid.NewUUID
	}
	backends := f.backends()
	backends.Consent, backends.Credentials = allowed, credentials
	var warnings []*scenario.Error
	w.Loaded, warnings, err = worlds.NewLoaded(ctx, bag, worlds.Options{World: options, Backends: backends})
	for wrong == nil && err != nil && f.invalid != nil && f.leaveOut(&bag, err) {
		options.Incomplete, options.Plugins = true, f.plugins
		if w.Backends != nil {
			w.Backends.Close()
		}
		f.defined(&bag, release, io.Discard)
		w.Loaded, warnings, err = worlds.NewLoaded(ctx, bag, worlds.Options{World: options, Backends: backends})
	}
	if err := joinSorted(wrong, err); err != nil {
		return w, err
	}
	if !f.partial { // lint rules report these
		warnings = append(warnings, w.Unbound()...)
		warnings = append(warnings, w.Ruleless()...)
	}
	warnings = append(warnings, shadowed...)
	if names, err := f.plugins.Names(release); err == nil && slices.Contains(names, "PodSecurity") {
		warnings = append(warnings, w.Mislabelled()...)
	}
	warnings = append(warnings, w.Unevaluated()...)
	warnings = append(warnings, w.Ungated()...)
	printWarnings(stderr, warnings)
	return w, nil
}

// leaveOut leaves out what err is about, and reports it as invalid. ok is false if there is more in err.
func (f *worldFlags) leaveOut(bag *scenario.Bag, err error) (ok bool) {
	left, invalid, rest := linter.LeaveOut(bag.Objects, err)
	static, invalidStatic, rest := linter.LeaveOut(f.static(), rest)
	misconfigured, rest := linter.Misconfigured(rest)
	if rest != nil || len(invalid)+len(invalidStatic)+len(misconfigured) == 0 {
		return false
	}
	bag.Objects = left
	*f.invalid = append(*f.invalid, slices.Concat(invalid, invalidStatic)...)
	if f.configured == nil {
		return true
	}
	f.configured.Keep(static)
	without := map[string]bool{}
	for _, one := range misconfigured {
		first, known := without[one.Plugin]
		if !known {
			first = f.configured.LeaveOut(one.Plugin)
			without[one.Plugin] = first
		}
		if first {
			*f.invalid = append(*f.invalid, one)
		} else { // the plugin cannot be without a configuration
			f.switchOff(one.Plugin)
		}
	}
	world.Configure(&f.plugins, f.configured)
	return true
}

// switchOff removes a plugin from those that run.
func (f *worldFlags) switchOff(plugin string) {
	is := func(one string) bool { return one == plugin }
	f.plugins.Enable, f.plugins.Only = slices.DeleteFunc(f.plugins.Enable, is), slices.DeleteFunc(f.plugins.Only, is)
	if f.plugins.Only == nil {
		f.plugins.Disable = append(f.plugins.Disable, plugin)
	}
}

// defined leaves out custom resources without their definition, if partial is set.
func (f *worldFlags) defined(bag *scenario.Bag, release *kubeversion.Release, stderr io.Writer) {
	if f.partial {
		leaveOutUndefined(bag, release, stderr)
	}
}

// leaveOutUndefined leaves out custom resources without their definition, with a warning.
func leaveOutUndefined(bag *scenario.Bag, release *kubeversion.Release, stderr io.Writer) {
	var unknown []string
	if bag.Objects, unknown = world.Defined(bag.Objects, release); len(unknown) > 0 {
		fmt.Fprintf(stderr, "admsim: warning: custom resources without their definition are left out: %s\n", strings.Join(unknown, ", "))
	}
}

// inCommit returns the paths with their names in the commit. A folder that the commit does not have is no error: the
// change under review may add it. A path that no commit can have is an error.
func (f *worldFlags) inCommit(stderr io.Writer) (paths []string, err error) {
	for _, name := range f.named() {
		switch _, err := f.commit.Stat(name); {
		case errors.Is(err, gitfiles.ErrOutside):
			return nil, hinted(fmt.Errorf("%s is outside of the git repository: no revision has it", f.commit.Path(name)),
				"run admsim in the repository of these files; or name both worlds, with --base and --head")
		case err != nil:
			printWarning(stderr, name+" does not exist: it counts as empty", "")
			continue
		}
		paths = append(paths, name)
	}
	return paths, nil
}

// named returns the paths as they appear in the places of what was read from them.
func (f *worldFlags) named() (names []string) {
	if f.commit == nil {
		return f.paths
	}
	for _, p := range f.paths {
		names = append(names, f.commit.Name(p))
	}
	return names
}

// titles names what the world was read from.
func (f *worldFlags) titles() []string {
	if f.cluster == nil || f.cluster.copied == nil {
		return f.named()
	}
	return slices.Concat([]string{f.cluster.copied.title()}, f.named())
}

// title returns the name of the world.
func (f *worldFlags) title() string { return strings.Join(f.titles(), ", ") }

// empty reports whether no source of the world is named.
func (f *worldFlags) empty() bool {
	return len(f.paths) == 0 && (f.cluster == nil || !f.cluster.from)
}

// runInCheckout sets the working directory of programs that files of the commit name to the matching folder of the
// checkout: a commit has no folder to run them in.
func (f *worldFlags) runInCheckout(backends []scenario.Backend) error {
	for _, b := range backends {
		if b.Command == nil || filepath.IsAbs(b.Command.Dir) {
			continue
		}
		folder, err := filepath.Abs(filepath.Join(filepath.Dir(f.commit.Path(b.Source.File)), b.Command.Dir))
		if err != nil {
			return fmt.Errorf("where %s runs: %w", b.Command.Args, err)
		}
		b.Command.Dir = folder
	}
	return nil
}

// backends returns the options that the flags give for backends.
func (f *worldFlags) backends() backends.Options {
	door := f.door
	if door == nil {
		door = func() backends.Door { return serving.NewDoor(f.warn) }
	}
	return backends.Options{Services: f.services, Proxy: true, Live: f.live, Unmatched: f.unmatched(), Now: f.clock(), Door: door, NoTimeouts: f.noTimeouts, Log: f.webhookLog, EndpointRouting: f.endpointRouting}
}

// clock returns the clock that measures real calls of webhooks. Nil: they take no time.
func (f *worldFlags) clock() func() time.Time {
	if f.unmeasured {
		return nil
	}
	return time.Now
}

// warn reports what admsim could not do for a program.
func (f *worldFlags) warn(err error) { fmt.Fprintf(f.stderr, "admsim: warning: %v\n", err) }

// overlay returns what is added to the files of the world, or replaces them.
func (f *worldFlags) overlay(o scenario.Options, stderr io.Writer) (scenario.Bag, error) {
	manifests, unread := loadObjects(f.over, o, stderr)
	over, unsorted := scenario.Sort(manifests, o)
	return over, joinSorted(unread, unsorted)
}

// close stops the backends, and reports failures of programs.
func (w *loaded) close(stderr io.Writer) {
	failures := w.Backends.Failures()
	w.Backends.Close()
	for _, err := range failures {
		fmt.Fprintf(stderr, "admsim: warning: %v\n", err)
	}
}

// configure reads the admission configuration for the plugins that run.
func (f *worldFlags) configure(r *kubeversion.Release, o scenario.Options, stderr io.Writer) error {
	if f.configuration == "" {
		return nil
	}
	names, err := f.plugins.Names(r)
	if err != nil {
		return nil // reported with the world
	}
	o.Root = projectfiles.RootOf(f.configuration)
	configuration, err := scenario.LoadAdmissionConfiguration(f.configuration, names, r, o)
	if f.invalid != nil {
		misconfigured, rest := linter.Misconfigured(err)
		for _, one := range misconfigured {
			configuration.LeaveOut(one.Plugin)
		}
		unreadable, rest := linter.Unreadable(rest)
		*f.invalid = slices.Concat(*f.invalid, linter.Ignored(configuration.Warnings), misconfigured, unreadable)
		err = rest
	} else {
		printWarnings(stderr, configuration.Warnings)
	}
	world.Configure(&f.plugins, configuration)
	f.configured = configuration
	return err
}

// static returns the manifests in the folders that the admission configuration names.
func (f *worldFlags) static() []scenario.Manifest {
	if f.configured == nil {
		return nil
	}
	return f.configured.Static()
}

// folders returns these folders, which a server reads again while it runs.
func (f *worldFlags) folders() []serving.Folder {
	return serving.Folders(f.plugins.Manifests, func(plugin string) ([]simulator.Manifest, error) { return world.Reread(f.configured, plugin) })
}

// unmatched returns the backend for webhooks without one: with --allow-unmatched, a backend that allows everything.
func (f *worldFlags) unmatched() dispatch.Backend {
	if f.unanswered == nil && f.allowUnmatched {
		f.unanswered = &backends.Assumed{}
	}
	return f.unanswered
}

// A serviceFlag maps services to addresses.
type serviceFlag map[string]string

func (f *serviceFlag) String() string { return "" }
func (f *serviceFlag) Type() string   { return "service" }

func (f *serviceFlag) Set(text string) error {
	name, address, ok := strings.Cut(text, "=")
	if !ok {
		return want("namespace/name:port=host:port")
	}
	key, err := scenario.CheckService(name, address)
	if err != nil {
		return err
	}
	if *f == nil {
		*f = serviceFlag{}
	}
	(*f)[key] = address
	return nil
}
