package linter_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/admsim/admsim/internal/backends"
	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/internal/lint/calls"
	"github.com/admsim/admsim/internal/linter"
	"github.com/admsim/admsim/internal/projectfiles"
	"github.com/admsim/admsim/internal/recording"
	"github.com/admsim/admsim/internal/scenario"
	"github.com/admsim/admsim/internal/traffic"
	"github.com/admsim/admsim/internal/world"
	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// The moment at which the certificates of testdata are judged.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// Every rule has a file that breaks it, and one beside it, ADM001-kept.txtar, that keeps it. The section want lists all
// findings.
func TestRules(t *testing.T) {
	for _, rule := range linter.Rules() {
		for suffix, found := range map[string]bool{"": true, "-kept": false} {
			golden.Folders(t, "testdata/rules/"+rule.ID+suffix+".txtar", func(t *testing.T, files fstest.MapFS) string {
				result := run(t, files)
				if has(result, rule.ID) != found {
					t.Errorf("%s is found: %t, want %t", rule.ID, !found, found)
				}
				return lines(result)
			})
		}
	}
}

func has(r *linter.Result, id string) bool {
	for _, f := range r.Findings {
		if f.Rule.ID == id {
			return true
		}
	}
	return false
}

// lines returns findings in short form.
func lines(r *linter.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d:%d %s %s %s: %s\n", f.Source.File, f.Source.Line, f.Source.Column, f.Rule.ID, f.Severity, f.Webhook, f.Message)
	}
	for _, f := range r.Suppressed {
		fmt.Fprintf(&b, "%s:%d:%d %s ignored: %s\n", f.Source.File, f.Source.Line, f.Source.Column, f.Rule.ID, f.Reason)
	}
	return b.String()
}

// run lints the yaml files of a folder; those in corpus are requests, the file release names a release other than the
// newest, and server/admission.yaml configures its plugins.
func run(t *testing.T, files fstest.MapFS) *linter.Result {
	t.Helper()
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	o := scenario.Options{FS: files}
	var paths []string
	for name := range files {
		if strings.HasSuffix(name, ".yaml") && !strings.Contains(name, "/") && !strings.HasPrefix(name, ".") {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	found, unread := scenario.Load(paths, o)
	invalid, err := linter.Unreadable(unread)
	check(err)
	bag, err := scenario.Sort(found, o)
	check(err)
	release := kubeversion.Default()
	if version, ok := files["release"]; ok {
		release, err = kubeversion.Parse(string(version.Data))
		check(err)
	}
	allow := &dispatch.Mock{}
	backends, err := backends.New(t.Context(), bag.Backends, backends.Options{Expressions: expression.New(release), Unmatched: allow})
	check(err)
	defer backends.Close()
	answered := func(configuration, webhook string) bool {
		return backends.Backend(configuration, webhook) != dispatch.Backend(allow)
	}
	var plugins simulator.Plugins
	var static []scenario.Manifest
	if _, ok := files["server/admission.yaml"]; ok {
		names, err := plugins.Names(release)
		check(err)
		configuration, err := scenario.LoadAdmissionConfiguration("server/admission.yaml", names, release, o)
		check(err)
		world.Configure(&plugins, configuration)
		static, invalid = configuration.Static(), append(invalid, linter.Ignored(configuration.Warnings)...)
	}
	options := world.Options{Release: release, Plugins: plugins, Controllers: true, IgnoreUnknown: true, Incomplete: unread != nil, Backends: backends.Backend}
	w, _, err := world.New(bag.Objects, options)
	if err != nil {
		left, wrong, rest := linter.LeaveOut(bag.Objects, err)
		check(rest)
		invalid, bag.Objects, options.Incomplete = append(invalid, wrong...), left, true
		w, _, err = world.New(bag.Objects, options)
	}
	check(err)
	project, err := scenario.LoadProject(projectfiles.Name, o)
	check(err)
	in := linter.Input{Manifests: bag.Objects, Static: static, World: w, Release: release, Now: now, Ignore: project.Ignore, Invalid: invalid}
	if log, ok := files["corpus/audit.log"]; ok {
		in.Corpus = recorded(t, w, log.Data, answered)
	} else if _, err := files.Open("corpus"); err == nil {
		found, err := scenario.Load([]string{"corpus"}, o)
		check(err)
		requests, err := scenario.Requests(found, "create", o)
		check(err)
		in.Corpus = answers(w, requests, answered)
	}
	result, err := linter.Run(t.Context(), in)
	check(err)
	return result
}

// answers returns the results of requests, each in the cluster that the one before left.
func answers(w *world.World, requests []scenario.Request, known func(configuration, webhook string) bool) iter.Seq2[calls.Answered, error] {
	var defaults scenario.Defaults
	defaults.User.Username, defaults.User.Groups = "kubernetes-admin", []string{"system:masters", "system:authenticated"}
	return func(yield func(calls.Answered, error) bool) {
		sim := w.Simulator()
		for _, r := range requests {
			asked, err := w.Ask(sim, r, defaults)
			if err != nil {
				yield(calls.Answered{}, err)
				return
			}
			result, err := asked.Answer(context.Background())
			if !yield(calls.Answered{Asked: asked, Source: r.Source, Result: result, Known: known}, err) || err != nil {
				return
			}
			sim = result.Next
		}
	}
}

// recorded returns the results of the requests of an audit log.
func recorded(t *testing.T, w *world.World, log []byte, known func(configuration, webhook string) bool) iter.Seq2[calls.Answered, error] {
	t.Helper()
	source := recording.Source{Name: "corpus/audit.log", Open: func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(log)), nil }}
	reader, err := recording.NewReader([]recording.Source{source}, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(reader.Close)
	skipped := func(r *recording.Record) { t.Errorf("%s: cannot be run: %v", r.Position, r.Skip) }
	maker := func(*world.CaseKey, func(world.Resolver) world.Resolver) (*world.World, error) { return w, nil }
	return func(yield func(calls.Answered, error) bool) {
		for a, err := range traffic.Answers(t.Context(), maker, traffic.Recorded(reader, skipped), scenario.Defaults{}, 1) {
			if !yield(calls.Answered{Asked: a.Asked, Source: a.Request.Source(), Result: a.Result, Recorded: a.Request.Recorded, Known: known}, err) {
				return
			}
		}
	}
}

// Manifests that public projects ship. Each finding was reviewed: it is right, and its authors would want to know.
func TestPublic(t *testing.T) {
	golden.Folders(t, "testdata/public/*.txtar", func(t *testing.T, files fstest.MapFS) string { return lines(run(t, files)) })
}
