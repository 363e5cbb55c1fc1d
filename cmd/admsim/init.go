package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/convert"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/wholefile"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/report"
)

const initUsage = `init writes a suite for admsim test to start from. It is small, and it passes.

From the manifests of webhooks and policies it makes a case for each of them: an object that it is called
for, and what happens today. The object is put into an existing namespace that the selectors match and
that has the params, or else into a new one; init reports every namespace other than default. Webhooks
without a backend get a mock that allows everything. If no case can be made for a webhook or policy,
because its match conditions ask for another object, init reports why.

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
	}
	flags := c.Flags()
	flags.StringArrayVarP(&i.cluster, "cluster", "C", nil, "`PATH` of manifests (file or folder), the same as an argument; repeatable")
	flags.StringVarP(&i.output, "output", "o", "admission", "`DIR` to write to")
	flags.StringVar(&i.name, "name", "", "`NAME` of the suite (default that of the folder)")
	flags.StringVar(&i.recording, "from-recording", "", "`FILE` with the denied request, or - for standard input")
	flags.StringVar(&i.webhook, "webhook", "", "`NAME` of the webhook that denied it, if the recording does not say")
	flags.StringVar(&i.release, "kubernetes-version", "", "Kubernetes `VERSION` to write into the suite (default "+kubeversion.Default().Version+")")
	flags.BoolVar(&i.force, "force", false, "overwrite existing files")
	i.redaction.add(c)
	i.consent = newConsentFlags(c)
	completes(c, "kubernetes-version", kubeversion.Versions())
	return c
}

// A beginning is a suite while it is made.
type beginning struct {
	files map[string][]byte // to be written, by their names in the folder
	paths []string          // manifests of the user
	// denial is the backend that says what was recorded; nil: no webhook denied it.
	denial any
	draft  convert.Draft

	consent *consentFlags
}

func (i *initCommand) run(ctx context.Context, paths []string, stdin io.Reader, stdout, stderr io.Writer) error {
	stderr = onlyNew{stderr, map[string]bool{}} // the world is loaded again and again
	if _, err := i.redaction.redactor(); err != nil {
		return err
	}
	if len(paths) == 0 && i.recording == "" {
		return hinted(errors.New("nothing to begin with"), "name manifests, such as config/webhook, or a recording with --from-recording")
	}
	if err := i.checkReach(paths); err != nil {
		return err
	}
	paths, left, err := i.beside(paths)
	if err != nil {
		return err
	}
	for _, suite := range left {
		fmt.Fprintf(stderr, "admsim: left out: %s, which is of another suite\n", suite)
	}
	b := &beginning{files: map[string][]byte{}, paths: paths, consent: i.consent, draft: convert.Draft{Name: i.name, Release: i.release}}
	if b.draft.Name == "" {
		whole, err := filepath.Abs(i.output)
		if err != nil {
			return err
		}
		b.draft.Name = filepath.Base(whole)
	}
	if i.recording != "" {
		err = i.fromRecording(ctx, b, stdin, stderr)
	} else {
		err = i.fromManifests(ctx, b, stderr)
	}
	if err != nil {
		return err
	}
	return i.finish(ctx, b, stdout, stderr)
}

// checkReach refuses manifests that the suite could not load, as they are not in one project with
// it, and a new folder that is theirs: its world would load the suite itself.
func (i *initCommand) checkReach(paths []string) error {
	suite := filepath.Join(i.output, "admsim.yaml")
	root := rootOf(suite)
	for _, path := range paths {
		in, err := relativeTo(root, path)
		if err != nil {
			return err
		}
		if !filepath.IsLocal(in) {
			common, err := commonFolder(root, path)
			if err != nil {
				return err
			}
			return hinted(fmt.Errorf("the suite in %s cannot load %s, which is outside of %s", i.output, path, wholeFolder(root)),
				fmt.Sprintf("run it in a folder that both are in, or say that they are one project: touch %s", filepath.Join(common, scenario.ProjectFile)))
		}
		if here, err := relativeTo(i.output, path); err != nil || here == "." {
			return hinted(errors.Join(err, fmt.Errorf("%s is the folder of the manifests", i.output)), "give the suite one of its own: -o "+filepath.ToSlash(filepath.Join(i.output, "admission")))
		}
	}
	return nil
}

// wholeFolder says which folder is meant where its name is . or ..
func wholeFolder(folder string) string {
	if whole, err := filepath.Abs(folder); err == nil {
		return whole
	}
	return folder
}

// commonFolder is the innermost folder that both are in.
func commonFolder(a, b string) (string, error) {
	folder, err := filepath.Abs(a)
	if err != nil {
		return "", err
	}
	for {
		in, err := relativeTo(folder, b)
		if err != nil || filepath.IsLocal(in) || folder == filepath.Dir(folder) {
			return folder, err
		}
		folder = filepath.Dir(folder)
	}
}

// finish writes everything, then has the suite run, which writes the golden files.
func (i *initCommand) finish(ctx context.Context, b *beginning, stdout, stderr io.Writer) error {
	for _, path := range b.paths {
		relative, err := relativeTo(i.output, path)
		if err != nil {
			return err
		}
		b.draft.Load = append(b.draft.Load, relative)
	}
	b.addMade()
	b.files["admsim.yaml"] = b.draft.YAML()
	var golden []string
	for _, c := range b.draft.Cases {
		if c.Golden == "" {
			continue
		}
		golden = append(golden, c.Golden)
		// The suite is run before it is known what is to be in them.
		if _, err := os.Stat(filepath.Join(i.output, c.Golden)); err == nil && !i.force {
			return hinted(fmt.Errorf("there already: %s", filepath.ToSlash(filepath.Join(i.output, c.Golden))), "--force writes over it")
		}
	}
	written, err := writeFiles(i.output, b.files, i.force)
	if err != nil {
		return err
	}
	written = append(written, golden...)
	file := filepath.ToSlash(filepath.Join(i.output, "admsim.yaml"))
	mark, err := i.markProject(b.draft.Load)
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

// addMade has the suite load what was made for its world, from a folder that has nothing else.
func (b *beginning) addMade() {
	folder := "world"
	if slices.ContainsFunc(b.draft.Load, func(name string) bool { return name == folder || strings.HasPrefix(name, folder+"/") }) {
		folder = "made"
	}
	for _, name := range slices.Collect(maps.Keys(b.files)) {
		rest, is := strings.CutPrefix(name, "world/")
		if !is {
			continue
		}
		data := b.files[name]
		delete(b.files, name)
		b.files[folder+"/"+rest] = data
		if len(b.draft.Load) == 0 || b.draft.Load[0] != folder {
			b.draft.Load = append([]string{folder}, b.draft.Load...)
		}
	}
}

// firstRun has the suite run, which writes the golden files, and returns the flags that it
// needs: a case for each webhook does not always get to each, as where a custom resource is
// not known, and one request of a recording does not get to everything that a cluster has; nor
// is each conditional answer of a mock given.
func (i *initCommand) firstRun(ctx context.Context, file string, stderr io.Writer) (flags string, err error) {
	var shown bytes.Buffer
	var said held
	for _, flags = range []string{"", "--allow-unreached ", "--allow-unreached --allow-unused "} {
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
	return flags, hinted(errors.New("the suite is written, but does not pass"), "mend it, then admsim test "+flags+"--update "+file)
}

// markProject writes an empty project file into the current folder, where the suite could else
// load its manifests only while that folder is the current one. It returns the file's name, or "".
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
	if _, marked := scenario.ProjectOf(whole); marked {
		return "", nil
	}
	text := "# The project begins here: suites below may load everything in this folder.\n"
	return scenario.ProjectFile, wholefile.Write(scenario.ProjectFile, []byte(text), resultMode)
}

// relativeTo is how a file is called in a folder.
func relativeTo(folder, path string) (string, error) {
	whole, err := filepath.Abs(folder)
	if err != nil {
		return "", err
	}
	to, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	relative, err := filepath.Rel(whole, to)
	return filepath.ToSlash(relative), err
}

// load is the world of the suite as far as it is made, with webhooks that nobody answers for
// allowing everything.
func (b *beginning) load(ctx context.Context, stderr io.Writer) (*loaded, error) {
	folder, err := os.MkdirTemp("", "admsim-init-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	made := map[string][]byte{}
	for name, data := range b.files {
		if strings.HasPrefix(name, "world/") {
			made[name] = data
		}
	}
	paths := b.paths
	if len(made) > 0 {
		if _, err := writeFiles(folder, made, true); err != nil {
			return nil, err
		}
		paths = append([]string{filepath.Join(folder, "world")}, paths...)
	}
	f := worldFlags{paths: paths, release: cmp.Or(b.draft.Release, kubeversion.Default().Version), controllers: true, allowUnmatched: true, consent: b.consent}
	return f.load(ctx, nil, scenario.Options{}, stderr)
}

// ask has a request answered in the world of the suite.
func (b *beginning) ask(ctx context.Context, w *loaded, r scenario.Request) (*report.Result, error) {
	f := requestFlags{}
	asked, err := w.Ask(w.Simulator(), r, f.defaults())
	if err != nil {
		return nil, err
	}
	answer, err := asked.Answer(ctx)
	if err != nil {
		return nil, err
	}
	shown, err := report.New(asked, answer, report.Usual, nil)
	if err != nil {
		return nil, err
	}
	return shown.Result, nil
}

// denialOf is what is expected of a result.
func denialOf(r *report.Result) *convert.Denial {
	if r.Allowed {
		return nil
	}
	d := &convert.Denial{Code: r.Code}
	if r.Status != nil {
		d.Message = r.Status.Message
	}
	switch by := *r.DeniedBy; {
	case by.Plugin == "":
	case by.Configuration == "":
		d.By = map[string]string{"plugin": by.Plugin}
	case by.Plugin == "MutatingAdmissionWebhook":
		d.By = map[string]string{"mutatingWebhook": by.Name}
	case by.Plugin == "ValidatingAdmissionWebhook":
		d.By = map[string]string{"validatingWebhook": by.Name}
	default:
		d.By = map[string]string{"policy": by.Configuration}
	}
	return d
}

// manifest is an object as the text of a file.
func manifest(object any) ([]byte, error) {
	data, err := json.Marshal(object)
	if err != nil {
		return nil, err
	}
	return scenario.YAML(data)
}
