// Command harvest turns Kubernetes' own unit tests into a corpus of requests, answered by a real kube-apiserver of the
// same release.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/internal/conformance"
	"github.com/admsim/admsim/internal/release/command"
	"github.com/admsim/admsim/internal/release/harvest"
	"github.com/admsim/admsim/internal/release/harvest/plugins"
	"github.com/admsim/admsim/internal/release/record"
	"github.com/admsim/admsim/internal/release/reference"
	"github.com/admsim/admsim/internal/release/upstream"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const usage = `Usage: harvest -version 1.37.2 [flags]

It runs Kubernetes' own unit tests of a release, from the published module, and records each object that
they pass to a validating function. It turns these objects into requests, which the real kube-apiserver of
that release answers twice, so that differences between runs are known. make conformance plays the folder
with the requests and their answers.

The objects with which Kubernetes tests its encodings, in which every field is set, are created and updated
with each field taken away, left alone, and changed.

The pods with which Kubernetes tests Pod Security are created in namespaces with labels for this plugin.

It also runs the tests of admission plugins, and records what each plugin is asked, what it knows about the
cluster, and what it answers. This needs no server: the plugin is that of the release.

With -tests, the tests are those of another release. So an old server can be asked what the newest tests
know: every object is sent in a version that the server has.

The content is upstream's. Do not commit it; generate it again.

Flags:
`

func main() { command.Main("harvest", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := command.Flags("harvest", usage, progress)
	version := flags.String("version", "", "the release, such as 1.37.2")
	tests := flags.String("tests", "", "the release whose tests are run (default: that of -version)")
	to := flags.String("o", "", "the folder of the corpus (default: corpus/1.37)")
	only := flags.String("only", "", "run only the tests of packages whose path matches this regular expression")
	batch := flags.Int("batch", 10, "how many packages one go command tests")
	onlyPlugins := flags.Bool("plugins", false, "harvest only the tests of admission plugins, and keep the rest of an earlier run")
	onlyFilled := flags.Bool("filled", false, "harvest only the objects in which every field is set, and keep the rest of an earlier run")
	onlySecurity := flags.Bool("podsecurity", false, "harvest only the pods of Pod Security, and keep the rest of an earlier run")
	fresh := flags.Bool("fresh", false, "rerun tests that have completed before")
	if err := flags.Parse(args); err != nil {
		return err
	}
	minor, err := upstream.MinorOf(*version)
	if err != nil {
		return fmt.Errorf("-version: %w\nhint: make harvest VERSION=1.37.2", err)
	}
	if *to == "" {
		*to = filepath.Join("corpus", minor)
	}
	if *tests == "" {
		*tests = *version
	}
	packages, err := regexp.Compile(*only)
	if err != nil {
		return err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	h := job{version: *version, tests: *tests, minor: minor, to: *to, out: out, progress: progress}
	options := harvest.Options{
		Version: *tests, Folder: filepath.Join(cache, "admsim", "harvest", *tests),
		Only: packages, Batch: *batch, Fresh: *fresh, Progress: progress,
	}
	if *onlySecurity && *only == "" {
		options.Only = regexp.MustCompile("^k8s.io/pod-security-admission/")
	}
	everything := !*onlyPlugins && !*onlyFilled && !*onlySecurity
	files := map[string]bool{
		upstreamFile: everything, filledFile: everything || *onlyFilled, podSecurityFile: everything || *onlySecurity,
	}
	if everything || *onlyFilled || *onlySecurity {
		if err := h.requests(ctx, options, files); err != nil {
			return err
		}
	}
	if *tests == *version && (everything || *onlyPlugins) {
		if err := h.pluginCalls(ctx, options); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "written to %s\n", *to)
	return nil
}

// A job writes the corpus of a release.
type job struct {
	version, tests, minor string
	to                    string
	out, progress         io.Writer
}

// The files of the corpus that have requests. Those of upstreamFile are what upstream's tests validate.
const (
	upstreamFile    = "upstream.jsonl"
	filledFile      = "filled.jsonl"
	podSecurityFile = "podsecurity.jsonl"
)

// requests writes these files, with the answers of a server. A whole corpus replaces an earlier one.
func (h job) requests(ctx context.Context, o harvest.Options, files map[string]bool) error {
	if _, err := reference.FindEtcd(); err != nil {
		return err // check this before the tests, which take long
	}
	sources, err := h.sources(ctx, o, files)
	if err != nil {
		return err
	}
	binary, err := reference.Build(ctx, h.version, h.progress)
	if err != nil {
		return err
	}
	release, err := kubeversion.Parse(h.minor)
	if err != nil {
		return err
	}
	if files[upstreamFile] {
		if err := os.RemoveAll(h.to); err != nil {
			return err
		}
	}
	profiles, err := writeProfiles(release, filepath.Join(h.to, "profiles"))
	if err != nil {
		return err
	}
	recorder, err := record.New(binary, filepath.Join(h.to, "profiles"), h.progress)
	if err != nil {
		return err
	}
	defer recorder.Close()
	for _, source := range sources {
		var all []conformance.Recording
		known := map[string]bool{} // resources that an earlier profile answered
		for _, profile := range profiles {
			if (profile == podSecurity) != (source.file == podSecurityFile) {
				continue
			}
			started := time.Now()
			cases, err := answer(ctx, recorder, profile, func(session *record.Session) []conformance.Recording {
				var resources []record.Resource
				for _, r := range session.Resources() {
					name := r.Group + "/" + r.Version + "/" + r.Name
					if !known[name] {
						resources = append(resources, r)
					}
					known[name] = true
				}
				return source.cases(resources, profile)
			}, h.progress)
			if err != nil {
				return fmt.Errorf("profile %s: %w", profile, err)
			}
			for i := range cases {
				cases[i].Kubernetes = h.minor
			}
			all = append(all, cases...)
			fmt.Fprintf(h.out, "%s, profile %s: %d requests (%s)\n", source.file, profile, len(cases), since(started))
		}
		if err := h.write(source.file, all); err != nil {
			return err
		}
	}
	return nil
}

// A source makes the requests of a file, about resources that a server with a profile has.
type source struct {
	file  string
	cases func(resources []record.Resource, profile string) []conformance.Recording
}

func (h job) sources(ctx context.Context, o harvest.Options, files map[string]bool) ([]source, error) {
	var all []source
	var tested []harvest.Call
	if files[upstreamFile] || files[podSecurityFile] {
		var err error
		if tested, err = h.tested(ctx, o); err != nil {
			return nil, err
		}
	}
	if files[upstreamFile] {
		all = append(all, source{upstreamFile, func(resources []record.Resource, profile string) []conformance.Recording {
			cases := harvest.Cases(tested, resources, profile)
			if profile == byDefault {
				cases = append(cases, harvest.CustomCases(tested, profile)...)
			}
			return cases
		}})
	}
	if files[filledFile] {
		filled, err := harvest.Filled(ctx, h.tests)
		if err != nil {
			return nil, err
		}
		all = append(all, source{filledFile, func(resources []record.Resource, profile string) []conformance.Recording {
			return harvest.Cases(filled, resources, profile)
		}})
	}
	if files[podSecurityFile] {
		fixtures, err := harvest.Fixtures(ctx, h.tests)
		if err != nil {
			return nil, err
		}
		all = append(all, source{podSecurityFile, func(_ []record.Resource, profile string) []conformance.Recording {
			return harvest.PodSecurityCases(fixtures, tested, profile)
		}})
	}
	return all, nil
}

// tested returns what upstream's tests validate.
func (h job) tested(ctx context.Context, o harvest.Options) ([]harvest.Call, error) {
	started := time.Now()
	calls, err := harvest.Collect(ctx, o)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(h.out, "%d calls were recorded (%s)\n", len(calls), since(started))
	lost := map[string]int{}
	for _, c := range calls {
		if c.Lost != "" {
			lost[c.Lost]++
		}
	}
	for reason, n := range lost {
		fmt.Fprintf(h.out, "%d of them cannot be encoded: %s\n", n, reason)
	}
	return calls, nil
}

// pluginCalls writes what the tests ask admission plugins.
func (h job) pluginCalls(ctx context.Context, o harvest.Options) error {
	started := time.Now()
	calls, err := plugins.Collect(ctx, plugins.Options{
		Version: o.Version, Folder: filepath.Join(o.Folder, "plugins"), Only: o.Only, Fresh: o.Fresh, Progress: o.Progress,
	})
	if err != nil {
		return err
	}
	cases, leftOut, err := plugins.Cases(calls, h.minor)
	if err != nil {
		return err
	}
	fmt.Fprintf(h.out, "%d calls of plugins were recorded, %d cases (%s)\n", len(calls), len(cases), since(started))
	for _, reason := range slices.Sorted(maps.Keys(leftOut)) {
		fmt.Fprintf(h.out, "%4d are left out: %s\n", leftOut[reason], reason)
	}
	return h.write("plugins.jsonl", cases)
}

// write writes a file of the corpus, with a recording on each line.
func (h job) write(name string, recordings []conformance.Recording) error {
	if err := os.MkdirAll(h.to, 0o755); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(h.to, name))
	if err != nil {
		return err
	}
	writer := bufio.NewWriter(file)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for i := range recordings {
		if err := encoder.Encode(recordings[i]); err != nil {
			return err
		}
	}
	return errors.Join(writer.Flush(), file.Close())
}

// The profiles: a server with its defaults, and one that serves every API, which is only asked about what the first does
// not serve. The last one has a plugin.
const (
	byDefault   = "upstream"
	allAPIs     = "upstream-all"
	podSecurity = "upstream-podsecurity"
)

// writeProfiles writes the flags of the servers. Except for the last one, they admit and deny requests only by the rules of
// the kinds themselves: what the tests pass to functions is not a cluster in which anything else would be fair.
func writeProfiles(release *kubeversion.Release, folder string) ([]string, error) {
	chain, err := release.Chain(nil, nil)
	if err != nil {
		return nil, err
	}
	var plugins []string
	for _, p := range chain {
		plugins = append(plugins, p.Name)
	}
	slices.Sort(plugins)
	without := func(plugins []string) string {
		return "--disable-admission-plugins=" + strings.Join(plugins, ",") + "\n"
	}
	off := without(plugins)
	gates := "AllAlpha=true"
	if release.Minor >= 17 {
		gates += ",AllBeta=true"
	}
	profiles := []string{byDefault, allAPIs}
	texts := []string{off, off + "--runtime-config=api/all=true\n--feature-gates=" + gates + "\n"}
	if i := slices.Index(plugins, "PodSecurity"); i >= 0 {
		profiles, texts = append(profiles, podSecurity), append(texts, without(slices.Delete(plugins, i, i+1)))
	}
	for i, flags := range texts {
		dir := filepath.Join(folder, profiles[i])
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "flags"), []byte(flags), 0o644)); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

// answer asks a server with a profile.
func answer(ctx context.Context, recorder *record.Recorder, profile string, casesFor func(*record.Session) []conformance.Recording, progress io.Writer) ([]conformance.Recording, error) {
	var cases []conformance.Recording
	clusters := map[string][]json.RawMessage{} // as they were requested
	for _, again := range []bool{false, true} {
		session, err := recorder.Open(ctx, profile)
		if err != nil {
			return nil, err
		}
		if !again {
			cases = casesFor(session)
			for _, c := range cases {
				clusters[c.ID] = c.Cluster
			}
		} else {
			cases = slices.DeleteFunc(cases, func(r conformance.Recording) bool { return !fair(&r.Requests[0]) })
		}
		for i := range cases {
			if i%1000 == 0 {
				fmt.Fprintf(progress, "profile %s: %d of %d\n", profile, i, len(cases))
			}
			if again && harvest.OfSchema(&cases[i]) {
				continue // the answer depends on nothing that differs between runs
			}
			this := cases[i]
			this.Requests, this.Cluster = slices.Clone(this.Requests), slices.Clone(clusters[this.ID])
			err = session.Ask(ctx, &this)
			if gone := (*reference.NoAnswerError)(nil); errors.As(err, &gone) {
				// The server panicked on an object that it would never have stored itself.
				fmt.Fprintf(progress, "  %s: %v (%s)\n", this.ID, err, this.Title)
				session.Close()
				if session, err = recorder.Open(ctx, profile); err != nil {
					return nil, err
				}
				continue
			}
			if record.Refused(err) {
				err = nil // its definition is a case of its own
				continue
			}
			if err != nil {
				err = fmt.Errorf("%s: %w", cases[i].ID, err)
				break
			}
			if again {
				record.Vary(&cases[i], &this)
			} else {
				cases[i] = this
			}
		}
		session.Close()
		if err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// fair reports whether an answer is about the request: the server gave one, and neither has it an object of the same name
// of its own, nor has one of its controllers changed the object meanwhile.
func fair(r *conformance.Request) bool {
	answer, _ := r.Expect.(map[string]any)
	status, _ := answer["body"].(map[string]any)
	switch status["reason"] {
	case string(metav1.StatusReasonAlreadyExists):
		return false
	case string(metav1.StatusReasonConflict):
		message, _ := status["message"].(string)
		return !bytes.Contains(r.Object, []byte(`"$resourceVersion"`)) || !strings.Contains(message, "the object has been modified")
	}
	return answer != nil
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Second) }
