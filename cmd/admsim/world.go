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

// worldFlags say what the cluster is.
type worldFlags struct {
	paths          []string
	over           []string // what takes the place of that of the same name in paths
	release        string
	allowUnknown   bool
	allowUnmatched bool
	unexplained    bool              // nobody asks why a webhook was not called
	partial        bool              // custom resources without their definition are left out
	invalid        *[]linter.Invalid // takes what is wrong with files, which are then read without it; nil: it is an error
	unanswered     dispatch.Backend  // who answers where nobody else does; nil: see unmatched
	controllers    bool
	plugins        simulator.Plugins
	configuration  string // the file of it
	authorization  authorizationFlags
	variables      bool
	exclude        projectfiles.Exclusions
	live           bool
	cluster        *clusterFlags        // nil: no running one is read
	commit         *gitfiles.Files      // which has the files of paths; nil: they are on the disk
	living         bool                 // with a clock that goes, and uids of its own
	door           func() backends.Door // for programs; nil: to whichever cluster asks them
	stderr         io.Writer
	services       serviceFlag
	gates, apis    switchFlag
	consent        *consentFlags
	noTimeouts     bool
	unmeasured     bool // calls of programs and URLs take no time, so that the same input has the same output
	webhookLog     string

	says     func(flag string) bool // it was given
	released bool                   // the release was given otherwise
}

func (f *worldFlags) add(c *cobra.Command) {
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
	completes(c, "kubernetes-version", kubeversion.Versions())
	f.addExclude(flags)
	normalize(flags)
	c.MarkFlagsMutuallyExclusive("admission-control", "enable-admission-plugins")
	c.MarkFlagsMutuallyExclusive("admission-control", "disable-admission-plugins")
}

// addExclude leaves files out of folders.
func (f *worldFlags) addExclude(flags *pflag.FlagSet) {
	flags.Var(&excludeFlag{&f.exclude}, "exclude", "leave files and folders out whose path ends in this `GLOB`, such as values.yaml or 'ci/*.yaml', where folders are read; repeatable")
}

// reading are the options for manifests, without what is excluded.
func (f *worldFlags) reading(stdin io.Reader, opened func(name string)) scenario.Options {
	o := reading(stdin, opened)
	o.Exclude = f.exclude
	return o
}

// addCluster lets the world be that of a running cluster. Requests that name no namespace are in that of the
// context, as with kubectl.
func (f *worldFlags) addCluster(c *cobra.Command, requests *requestFlags) {
	f.cluster = &clusterFlags{}
	f.cluster.addFrom(c)
	f.cluster.addKubeconfig(c)
	f.cluster.addContext(c)
	requests.cluster = f.cluster
}

// addCalls says how the programs of webhooks are called.
func (f *worldFlags) addCalls(flags *pflag.FlagSet) {
	flags.BoolVar(&f.noTimeouts, "no-timeouts", false, "wait for webhooks as long as they take, as for one in a debugger; their time is not counted")
	flags.StringVar(&f.webhookLog, "webhook-log", "", "`FILE` to add all to that the programs of webhooks write")
}

// addUnmatched lets webhooks be without a backend, where it is not said already that they are called.
func (f *worldFlags) addUnmatched(c *cobra.Command) {
	c.Flags().BoolVar(&f.allowUnmatched, "allow-unmatched", false, "let webhooks without a backend allow everything, and convert nothing but the apiVersion, instead of failing")
	c.MarkFlagsMutuallyExclusive("allow-unmatched", "live")
}

// normalize has flags known by further names.
func normalize(flags *pflag.FlagSet) {
	aliases := map[string]string{"kube-version": "kubernetes-version", "operation": "verb", "authorization-mode": "authorization", "colour": "color"}
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if full, ok := aliases[name]; ok {
			name = full
		}
		return pflag.NormalizedName(name)
	})
}

// A loaded world is ready for requests.
type loaded struct{ *worlds.Loaded }

// load reads the cluster from the paths of the flags and further ones. Warnings go to
// stderr. All that is wrong with the files is told at once, and what could be read of them is
// returned beside it.
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
	if live != nil && !f.released && !f.says("kubernetes-version") {
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
	credentials, unauthorized := worlds.Credentials(f.plugins.Configuration)
	paths, files := slices.Concat(f.paths, further), o
	if f.commit != nil {
		if paths, err = f.inCommit(stderr); err != nil {
			return w, err
		}
		files.FS = f.commit
	}
	manifests, unread := loadObjects(paths, files, stderr)
	bag, unsorted := scenario.Sort(manifests, files)
	if f.commit != nil {
		unsorted = together(unsorted, f.runInCheckout(bag.Backends.List))
	}
	if live != nil {
		below, err := scenario.Sort(live.manifests, o)
		bag, unsorted = world.Overlaid(below, bag), together(err, unsorted)
	}
	bag, overlayErr := overlaid(bag, f.over, o)
	unread = together(unread, unsorted, overlayErr)
	if f.invalid != nil {
		*f.invalid, unread = linter.Unreadable(unread)
	}
	f.defined(&bag, release, stderr)
	wrong := together(unconfigured, authorizers, unauthorized, unread)
	options := world.Options{
		Release:       release,
		Plugins:       f.plugins,
		Unexplained:   f.unexplained,
		Controllers:   f.controllers,
		IgnoreUnknown: f.allowUnknown || live != nil, // another release may be simulated than the one that wrote them
		Incomplete:    wrong != nil || f.invalid != nil && len(*f.invalid) > 0,
		Variables:     f.variables,
		Unchecked:     f.partial, // a rule says so
		Authorization: f.authorization.loaded,
	}
	if f.living {
		options.Now, options.NewUID = time.Now, uuid.NewUUID
	}
	if unconfigured != nil {
		options.Plugins = simulator.Plugins{} // objects do not depend on them
	}
	backends := f.backends()
	backends.Consent, backends.Credentials = allowed, credentials
	var warnings []*scenario.Error
	w.Loaded, warnings, err = worlds.NewLoaded(ctx, bag, worlds.Options{World: options, Backends: backends})
	for wrong == nil && err != nil && f.invalid != nil {
		left, invalid, rest := linter.SetAside(bag.Objects, err)
		if rest != nil || len(left) == len(bag.Objects) {
			break
		}
		*f.invalid = append(*f.invalid, invalid...)
		bag.Objects, options.Incomplete = left, true
		if w.Backends != nil {
			w.Backends.Close()
		}
		f.defined(&bag, release, io.Discard)
		w.Loaded, warnings, err = worlds.NewLoaded(ctx, bag, worlds.Options{World: options, Backends: backends})
	}
	if err := together(wrong, err); err != nil {
		return w, err
	}
	if !f.partial { // a rule says so
		warnings = append(warnings, w.Unbound()...)
		warnings = append(warnings, w.Ruleless()...)
	}
	warnings = append(warnings, w.Unevaluated()...)
	warnings = append(warnings, w.Ungated()...)
	printWarnings(stderr, warnings)
	return w, nil
}

// defined leaves custom resources out that nothing defines, if that is wanted.
func (f *worldFlags) defined(bag *scenario.Bag, release *kubeversion.Release, stderr io.Writer) {
	if !f.partial {
		return
	}
	var unknown []string
	if bag.Objects, unknown = world.Defined(bag.Objects, release); len(unknown) > 0 {
		fmt.Fprintf(stderr, "admsim: warning: custom resources without their definition are left out: %s\n", strings.Join(unknown, ", "))
	}
}

// inCommit are the paths as they are called in the commit. Folders that it does not have yet are no reason to fail: the
// change that is looked at may be the one that brings them. What no commit can have is an error.
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

// named are the paths as places of what is in them begin.
func (f *worldFlags) named() (names []string) {
	if f.commit == nil {
		return f.paths
	}
	for _, p := range f.paths {
		names = append(names, f.commit.Name(p))
	}
	return names
}

// titles are what the world was read from.
func (f *worldFlags) titles() []string {
	if f.cluster == nil || f.cluster.copied == nil {
		return f.named()
	}
	return slices.Concat([]string{f.cluster.copied.title()}, f.named())
}

// title is what the world is called.
func (f *worldFlags) title() string { return strings.Join(f.titles(), ", ") }

// empty reports whether nothing is named that the world could be read from.
func (f *worldFlags) empty() bool {
	return len(f.paths) == 0 && (f.cluster == nil || !f.cluster.from)
}

// runInCheckout has the programs that files of the commit name run where they do for those of the checkout: a commit
// has no folder to run them in.
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

// backends are what flags say of them.
func (f *worldFlags) backends() backends.Options {
	door := f.door
	if door == nil {
		door = func() backends.Door { return serving.NewDoor(f.warn) }
	}
	return backends.Options{Services: f.services, Proxy: true, Live: f.live, Unmatched: f.unmatched(), Now: f.clock(), Door: door, NoTimeouts: f.noTimeouts, Log: f.webhookLog}
}

// clock measures how long webhooks take that are really called. Nil: they take no time.
func (f *worldFlags) clock() func() time.Time {
	if f.unmeasured {
		return nil
	}
	return time.Now
}

// warn tells of what admsim could not do for a program.
func (f *worldFlags) warn(err error) { fmt.Fprintf(f.stderr, "admsim: warning: %v\n", err) }

// overlaid is a bag with what is in these paths in the place of what has the same name.
func overlaid(bag scenario.Bag, paths []string, o scenario.Options) (scenario.Bag, error) {
	if len(paths) == 0 {
		return bag, nil
	}
	manifests, unread := scenario.Load(paths, o)
	over, unsorted := scenario.Sort(manifests, o)
	return world.Overlaid(bag, over), together(unread, unsorted)
}

// close ends what answered for webhooks, and reports what went wrong with programs.
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
		return err
	}
	o.Root = projectfiles.RootOf(f.configuration)
	configuration, err := scenario.LoadAdmissionConfiguration(f.configuration, names, r, o)
	if err != nil {
		return err
	}
	printWarnings(stderr, configuration.Warnings)
	world.Configure(&f.plugins, configuration)
	return nil
}

// unmatched is who answers for a webhook that has no backend: with --allow-unmatched
// somebody who allows everything.
func (f *worldFlags) unmatched() dispatch.Backend {
	if f.unanswered == nil && f.allowUnmatched {
		f.unanswered = &backends.Assumed{}
	}
	return f.unanswered
}

// A serviceFlag says where services are.
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
