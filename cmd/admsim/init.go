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
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/scaffold"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/internal/worlds"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const initUsage = `init writes a suite for admsim test to start from. It is small, and it passes with the
command that init prints: the flags in it accept that its cases do not reach every webhook, policy and
backend.

From the manifests of webhooks and policies it makes a case for each of them: an object that it is called
for, and what happens today. From a CustomResourceDefinition it makes a case for each version that is
served, with a custom resource that has what the schema requires; if a webhook converts it, the case
expects that. The object is put into an existing namespace that the selectors match and
that has the params, or else into a new one; init reports every namespace other than default. Webhooks
without a backend get a mock that allows everything; conversion webhooks get one that only changes
apiVersion, and init reports which fields are lost because of that. If no case can be made for a webhook
or policy, because its match conditions ask for another object, if one of its expressions fails, or if a
custom resource breaks a rule in CEL, init reports why.

With --from-recording it makes one case of the first denied request in a recording: a line of admsim
record, an AdmissionReview, or an audit event. Secrets are removed. The webhook that denied the request
becomes a mock that gives the same answer. If the recording does not tell which webhook it was, init takes
the one in the manifests that the request goes to; without manifests, it makes up a configuration.

If the new folder is inside a folder of manifests, the world of the suite names the files of that folder
one by one. It does the same for a folder that has other suites, to leave out their files. Files that
init makes up for the world are in a folder of their own: world, or made if world exists.

Existing files are not overwritten. If manifests are outside of the new folder, and nothing (.git,
go.mod) marks a project that contains both, init writes an empty .admsim.yaml to the current folder.`

const initExample = `  admsim init config/webhook config/crd/bases
  admsim init --from-recording denied.jsonl -o admission
  admsim init world/ --from-recording audit.log -o admission`

type initCommand struct {
	cluster   []string
	output    string
	name      string
	recording string
	webhook   string
	release   string
	force     bool
	unknown   bool
	redaction redactFlags
	consent   *consentFlags
}

func newInit() *cobra.Command {
	i := &initCommand{}
	c := &cobra.Command{
		Use:     "init [PATH]... [--from-recording FILE] [-o DIR]",
		Short:   "Write a first suite, from manifests or from a recorded denial",
		Long:    initUsage,
		Example: initExample,
		RunE: func(c *cobra.Command, args []string) error {
			return i.run(c.Context(), append(i.cluster, args...), c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
		},
		Annotations: taking(manifests),
	}
	flags := c.Flags()
	flags.StringArrayVarP(&i.cluster, "cluster", "C", nil, "`PATH` of manifests (file or folder), the same as an argument; repeatable")
	flags.StringVarP(&i.output, "output", "o", "admission", "`DIR` to write to")
	flags.StringVar(&i.name, "name", "", "`NAME` of the suite (default that of the folder)")
	flags.StringVar(&i.recording, "from-recording", "", "`FILE` with the denied request, or - for standard input")
	flags.StringVar(&i.webhook, "webhook", "", "`NAME` of the webhook that denied it, if the recording does not say")
	flags.StringVar(&i.release, "kubernetes-version", "", "Kubernetes `VERSION` to write into the suite (default "+kubeversion.Default().Version+")")
	flags.BoolVar(&i.unknown, "allow-unknown", false, "leave objects out of the world whose kind the cluster does not know, such as custom resources without their definition; admsim test then needs the flag, too")
	flags.BoolVar(&i.force, "force", false, "overwrite existing files")
	i.redaction.add(c)
	i.consent = newConsentFlags(c)
	setCompletions(c, "kubernetes-version", kubeversion.Versions())
	return c
}

func (i *initCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	stderr = onlyNew{stderr, map[string]bool{}} // the world is loaded several times
	redactor, err := i.redaction.redactor()
	if err != nil {
		return err
	}
	if len(paths) == 0 && i.recording == "" {
		return hinted(errors.New("no manifests and no recording"), "name manifests, such as config/webhook, or a recording with --from-recording")
	}
	if err := i.checkReach(paths); err != nil {
		return err
	}
	paths, left, err := scaffold.Beside(i.output, paths, reading(nil, nil))
	if err != nil {
		return err
	}
	for _, suite := range left {
		fmt.Fprintf(stderr, "admsim: left out: %s, which belongs to another suite\n", suite)
	}
	name := i.name
	if name == "" {
		whole, err := filepath.Abs(i.output)
		if err != nil {
			return err
		}
		name = filepath.Base(whole)
	}
	b := scaffold.New(paths, scaffold.Options{
		Name: name, Release: i.release, Output: i.output, Defaults: (&requestFlags{}).defaults(), Redactor: redactor,
		Reading: reading(nil, nil),
		Load: func(ctx context.Context, paths []string, quiet bool) (*worlds.Loaded, error) {
			return i.load(ctx, paths, quiet, stderr)
		},
		Warn: func(warnings ...*scenario.Error) { printWarnings(stderr, warnings) },
		Note: func(text string) { fmt.Fprintf(stderr, "admsim: %s\n", text) },
	})
	if i.recording != "" {
		err = b.FromRecording(ctx, i.recording, i.webhook, stdin)
	} else {
		err = b.FromManifests(ctx)
	}
	if err != nil {
		return err
	}
	return i.finish(ctx, b, stdout, stderr)
}

// load loads the world of the suite, in which webhooks without a backend allow everything.
func (i *initCommand) load(ctx context.Context, paths []string, quiet bool, stderr io.Writer) (*worlds.Loaded, error) {
	if quiet {
		stderr = io.Discard
	}
	f := worldFlags{paths: paths, release: cmp.Or(i.release, kubeversion.Default().Version), controllers: true, allowUnmatched: true, allowUnknown: i.unknown, consent: i.consent}
	w, err := f.load(ctx, nil, reading(nil, nil), stderr)
	return w.Loaded, err
}

// checkReach refuses manifests that the suite could not load because they are in another project, and a new folder that
// is the folder of the manifests: its world would load the suite itself.
func (i *initCommand) checkReach(paths []string) error {
	suite := filepath.Join(i.output, "admsim.yaml")
	root := projectfiles.RootOf(suite)
	for _, path := range paths {
		in, err := scaffold.RelativeTo(root, path)
		if err != nil {
			return err
		}
		if !filepath.IsLocal(in) {
			common, err := commonFolder(root, path)
			if err != nil {
				return err
			}
			return hinted(fmt.Errorf("the suite in %s cannot load %s, which is outside of %s", i.output, path, wholeFolder(root)),
				fmt.Sprintf("run it in a folder that contains both, or mark them as one project: touch %s", filepath.Join(common, projectfiles.Name)))
		}
		if here, err := scaffold.RelativeTo(i.output, path); err != nil || here == "." {
			return hinted(errors.Join(err, fmt.Errorf("%s is the folder of the manifests", i.output)), "give the suite a folder of its own: -o "+filepath.ToSlash(filepath.Join(i.output, "admission")))
		}
	}
	return nil
}

// wholeFolder returns the absolute path of a folder, which may be named . or ...
func wholeFolder(folder string) string {
	if whole, err := filepath.Abs(folder); err == nil {
		return whole
	}
	return folder
}

// commonFolder returns the innermost folder that contains both.
func commonFolder(a, b string) (string, error) {
	folder, err := filepath.Abs(a)
	if err != nil {
		return "", err
	}
	for {
		in, err := scaffold.RelativeTo(folder, b)
		if err != nil || filepath.IsLocal(in) || folder == filepath.Dir(folder) {
			return folder, err
		}
		folder = filepath.Dir(folder)
	}
}

// finish writes everything, then runs the suite, which writes the golden files.
func (i *initCommand) finish(ctx context.Context, b *scaffold.Builder, stdout, stderr io.Writer) error {
	files, golden, err := b.Files()
	if err != nil {
		return err
	}
	for _, name := range golden {
		// The golden files are only known once the suite has run.
		if _, err := os.Stat(filepath.Join(i.output, name)); err == nil && !i.force {
			return hinted(fmt.Errorf("already there: %s", filepath.ToSlash(filepath.Join(i.output, name))), "--force overwrites it")
		}
	}
	written, err := writeFiles(i.output, files, i.force)
	if err != nil {
		return err
	}
	written = append(written, golden...)
	file := filepath.ToSlash(filepath.Join(i.output, "admsim.yaml"))
	mark, err := i.markProject(b.Loads())
	if err != nil {
		return err
	}
	flags, err := i.firstRun(ctx, file, stderr)
	if err != nil {
		return err
	}
	if mark != "" {
		fmt.Fprintln(stdout, mark)
	}
	for _, name := range written {
		fmt.Fprintln(stdout, filepath.ToSlash(filepath.Join(i.output, name)))
	}
	fmt.Fprintf(stdout, "next: admsim test -v %s%s\n", flags, file)
	return nil
}

// firstRun runs the suite, which writes the golden files, and returns the flags that it needs. The cases do not always
// reach every webhook, for example if a custom resource is not known; one request of a recording does not reach
// everything in a cluster; and not every conditional answer of a mock is used.
func (i *initCommand) firstRun(ctx context.Context, file string, stderr io.Writer) (flags string, err error) {
	var shown bytes.Buffer
	var said held
	always := ""
	if i.unknown {
		always = "--allow-unknown "
	}
	for _, more := range []string{"", "--allow-unreached ", "--allow-unreached --allow-unused "} {
		flags = always + more
		shown.Reset()
		said = nil
		test := newTest()
		test.SilenceErrors, test.SilenceUsage = true, true
		test.SetArgs(append(strings.Fields(flags), "--update", "--color=never", file))
		test.SetOut(&shown)
		test.SetErr(&said)
		if err = test.ExecuteContext(ctx); err == nil {
			said.release(stderr)
			return flags, nil
		}
	}
	said.release(stderr)
	_, _ = stderr.Write(shown.Bytes())
	return flags, hinted(errors.New("the suite is written, but does not pass"), "fix it, then run admsim test "+flags+"--update "+file)
}

// markProject writes an empty project file into the current folder if the suite could otherwise load its manifests only
// from that folder. It returns the name of the file, or "".
func (i *initCommand) markProject(load []string) (string, error) {
	outside := slices.ContainsFunc(load, func(name string) bool { return !filepath.IsLocal(name) })
	inside := !slices.ContainsFunc(load, func(name string) bool { return !filepath.IsLocal(filepath.Join(i.output, name)) })
	if !outside || !inside || !filepath.IsLocal(i.output) {
		return "", nil
	}
	whole, err := filepath.Abs(i.output)
	if err != nil {
		return "", err
	}
	if _, marked := projectfiles.Of(whole); marked {
		return "", nil
	}
	text := "# The project begins here: suites below may load everything in this folder.\n"
	return projectfiles.Name, wholefile.Write(projectfiles.Name, []byte(text), resultMode)
}
