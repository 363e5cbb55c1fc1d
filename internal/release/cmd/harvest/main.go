// Command harvest turns Kubernetes' own unit tests into a corpus of requests, answered by a real kube-apiserver of the
// same release.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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
	"github.com/admsim/admsim/internal/release/record"
	"github.com/admsim/admsim/internal/release/reference"
	"github.com/admsim/admsim/pkg/kubeversion"
)

const usage = `Usage: harvest -version 1.37.2 [flags]

It runs Kubernetes' own unit tests of a release, from the published module, and records each object that
they pass to a validating function. It turns these objects into requests, which the real kube-apiserver of
that release answers twice, so that differences between runs are known. make conformance plays the folder
with the requests and their answers.

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
	fresh := flags.Bool("fresh", false, "rerun tests that have completed before")
	if err := flags.Parse(args); err != nil {
		return err
	}
	words := strings.Split(*version, ".")
	if len(words) != 3 {
		return errors.New("-version requires a release\nhint: make harvest VERSION=1.37.2")
	}
	minor := words[0] + "." + words[1]
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
	if _, err := reference.FindEtcd(); err != nil {
		return err // check this before the tests, which take long
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return err
	}
	started := time.Now()
	calls, err := harvest.Collect(ctx, harvest.Options{
		Version: *tests, Folder: filepath.Join(cache, "admsim", "harvest", *tests),
		Only: packages, Batch: *batch, Fresh: *fresh, Progress: progress,
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "%d calls were recorded (%s)\n", len(calls), since(started))
	lost := map[string]int{}
	for _, c := range calls {
		if c.Lost != "" {
			lost[c.Lost]++
		}
	}
	for reason, n := range lost {
		fmt.Fprintf(out, "%d of them cannot be encoded: %s\n", n, reason)
	}
	binary, err := reference.Build(ctx, *version, progress)
	if err != nil {
		return err
	}
	release, err := kubeversion.Parse(minor)
	if err != nil {
		return err
	}
	if err := os.RemoveAll(*to); err != nil {
		return err
	}
	profiles, err := writeProfiles(release, filepath.Join(*to, "profiles"))
	if err != nil {
		return err
	}
	recorder, err := record.New(binary, filepath.Join(*to, "profiles"), progress)
	if err != nil {
		return err
	}
	defer recorder.Close()
	file, err := os.Create(filepath.Join(*to, "upstream.jsonl"))
	if err != nil {
		return err
	}
	writer := bufio.NewWriter(file)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	known := map[string]bool{} // resources that an earlier profile answered
	for _, profile := range profiles {
		started := time.Now()
		cases, err := answer(ctx, recorder, calls, profile, known, progress)
		if err != nil {
			return fmt.Errorf("profile %s: %w", profile, err)
		}
		for i := range cases {
			cases[i].Kubernetes = minor
			if err := encoder.Encode(cases[i]); err != nil {
				return err
			}
		}
		fmt.Fprintf(out, "profile %s: %d requests (%s)\n", profile, len(cases), since(started))
	}
	fmt.Fprintf(out, "written to %s\n", *to)
	return errors.Join(writer.Flush(), file.Close())
}

// The profiles: a server with its defaults, and one that serves every API. The second one is only asked about what the
// first does not serve.
const (
	byDefault = "upstream"
	allAPIs   = "upstream-all"
)

// writeProfiles writes the flags of the servers. They admit and deny requests only by the rules of the kinds
// themselves: what the tests pass to functions is not a cluster in which anything else would be fair.
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
	off := "--disable-admission-plugins=" + strings.Join(plugins, ",") + "\n"
	gates := "AllAlpha=true"
	if release.Minor >= 17 {
		gates += ",AllBeta=true"
	}
	profiles := []string{byDefault, allAPIs}
	for i, flags := range []string{off, off + "--runtime-config=api/all=true\n--feature-gates=" + gates + "\n"} {
		dir := filepath.Join(folder, profiles[i])
		if err := errors.Join(os.MkdirAll(dir, 0o755), os.WriteFile(filepath.Join(dir, "flags"), []byte(flags), 0o644)); err != nil {
			return nil, err
		}
	}
	return profiles, nil
}

// answer asks a server with a profile everything about resources that are not known yet.
func answer(ctx context.Context, recorder *record.Recorder, calls []harvest.Call, profile string, known map[string]bool, progress io.Writer) ([]conformance.Recording, error) {
	var resources []record.Resource
	var cases []conformance.Recording
	clusters := map[string][]json.RawMessage{} // as they were requested
	for _, again := range []bool{false, true} {
		session, err := recorder.Open(ctx, profile)
		if err != nil {
			return nil, err
		}
		if !again {
			for _, r := range session.Resources() {
				name := r.Group + "/" + r.Version + "/" + r.Name
				if !known[name] {
					resources = append(resources, r)
				}
				known[name] = true
			}
			cases = harvest.Cases(calls, resources, profile)
			if profile == byDefault {
				cases = append(cases, harvest.CustomCases(calls, profile)...)
			}
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
			if gone := (*record.NoAnswerError)(nil); errors.As(err, &gone) {
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

// fair reports whether an answer is about the request: the server gave one, and it is not that the server has an object
// of the same name of its own.
func fair(r *conformance.Request) bool {
	answer, _ := r.Expect.(map[string]any)
	status, _ := answer["body"].(map[string]any)
	return answer != nil && status["reason"] != string(metav1.StatusReasonAlreadyExists)
}

func since(t time.Time) time.Duration { return time.Since(t).Round(time.Second) }
