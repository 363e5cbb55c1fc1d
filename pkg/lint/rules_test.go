package lint_test

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/lint"
	"github.com/admsim/admsim/pkg/scenario"
	"github.com/admsim/admsim/pkg/world"
)

// Commit only what you understand.
var update = flag.Bool("update", false, "rewrite the findings in testdata")

// The moment at which the certificates of testdata are judged.
var now = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

const want = "want"

// Every rule has a file that breaks it, and one beside it, ADM001-kept.txtar, that keeps
// it. The section want has all that is found.
func TestRules(t *testing.T) {
	for _, rule := range lint.Rules() {
		t.Run(rule.ID, func(t *testing.T) {
			if found := golden(t, "testdata/rules/"+rule.ID+".txtar"); !has(found, rule.ID) {
				t.Errorf("%s is not found where it is broken", rule.ID)
			}
			if found := golden(t, "testdata/rules/"+rule.ID+"-kept.txtar"); has(found, rule.ID) {
				t.Errorf("%s is found where it is kept", rule.ID)
			}
		})
	}
}

func has(r *lint.Result, id string) bool {
	for _, f := range r.Findings {
		if f.Rule.ID == id {
			return true
		}
	}
	return false
}

// golden checks what is found in an archive against its section want.
func golden(t *testing.T, file string) *lint.Result {
	t.Helper()
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	expected, at := "", len(archive.Files)
	for i, f := range archive.Files {
		if f.Name == want {
			expected, at = string(f.Data), i
			continue
		}
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	result, err := run(files)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	got := lines(result)
	if *update {
		archive.Files = append(archive.Files[:at], txtar.File{Name: want, Data: []byte(got)})
		if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
			t.Fatal(err)
		}
		return result
	}
	if diff := cmp.Diff(expected, got); diff != "" {
		t.Errorf("%s: -want +got\n%s", file, diff)
	}
	return result
}

// lines are findings in short.
func lines(r *lint.Result) string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d:%d %s %s %s: %s\n", f.Source.File, f.Source.Line, f.Source.Column, f.Rule.ID, f.Severity, f.Webhook, f.Message)
	}
	for _, f := range r.Suppressed {
		fmt.Fprintf(&b, "%s:%d:%d %s ignored: %s\n", f.Source.File, f.Source.Line, f.Source.Column, f.Rule.ID, f.Reason)
	}
	return b.String()
}

// run lints the yaml files of a folder; those in corpus are requests.
func run(files fstest.MapFS) (*lint.Result, error) {
	o := scenario.Options{FS: files}
	var paths []string
	for name := range files {
		if !strings.Contains(name, "/") && !strings.HasPrefix(name, ".") {
			paths = append(paths, name)
		}
	}
	slices.Sort(paths)
	found, err := scenario.Load(paths, o)
	if err != nil {
		return nil, err
	}
	bag, err := scenario.Sort(found, o)
	if err != nil {
		return nil, err
	}
	release := kubeversion.Default()
	allow := &dispatch.Mock{}
	backends, err := world.NewBackends(context.Background(), bag.Backends, world.BackendOptions{Expressions: expression.New(release), Unmatched: allow})
	if err != nil {
		return nil, err
	}
	defer backends.Close()
	answered := func(configuration, webhook string) bool {
		return backends.Backend(configuration, webhook) != dispatch.Backend(allow)
	}
	w, _, err := world.New(bag.Objects, world.Options{Release: release, Controllers: true, IgnoreUnknown: true, Backends: backends.Backend})
	if err != nil {
		return nil, err
	}
	project, err := scenario.LoadProject(scenario.ProjectFile, o)
	if err != nil {
		return nil, err
	}
	in := lint.Input{Manifests: bag.Objects, World: w, Release: release, Now: now, Ignore: project.Ignore}
	if _, err := files.Open("corpus"); err == nil {
		found, err := scenario.Load([]string{"corpus"}, o)
		if err != nil {
			return nil, err
		}
		requests, err := scenario.Requests(found, "create", o)
		if err != nil {
			return nil, err
		}
		in.Corpus = answers(w, requests, answered)
	}
	result, err := lint.Run(context.Background(), in)
	if err != nil {
		return nil, fmt.Errorf("lint: %w", err)
	}
	return result, nil
}

// answers are what becomes of requests, each in the cluster that the one before left.
func answers(w *world.World, requests []scenario.Request, known func(configuration, webhook string) bool) iter.Seq2[lint.Answered, error] {
	var defaults scenario.Defaults
	defaults.User.Username, defaults.User.Groups = "kubernetes-admin", []string{"system:masters", "system:authenticated"}
	return func(yield func(lint.Answered, error) bool) {
		sim := w.Simulator()
		for _, r := range requests {
			asked, err := w.Ask(sim, r, defaults)
			if err != nil {
				yield(lint.Answered{}, err)
				return
			}
			result, err := asked.Answer(context.Background())
			if !yield(lint.Answered{Asked: asked, Source: r.Source, Result: result, Known: known}, err) || err != nil {
				return
			}
			sim = result.Next
		}
	}
}

// What public projects ship. Each finding was judged: it is right, and its authors would
// want to know.
func TestPublic(t *testing.T) {
	files, err := filepath.Glob("testdata/public/*.txtar")
	if err != nil || len(files) < 10 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) { golden(t, file) })
	}
}
