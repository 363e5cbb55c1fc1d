package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
)

// Whole runs of the command, in a folder of their own, with files that somebody else wrote. None may
// end as a bug of admsim, or answer the same question in two ways.

// fuzzTime is how long one run may take. What takes longer is as bad as what never ends.
const fuzzTime = 30 * time.Second

// A fuzzed is what a run left.
type fuzzed struct {
	code           int
	stdout, stderr string
}

// inFolder makes a folder the current one, in which nothing of the user is found.
func inFolder(tb testing.TB) string {
	dir := tb.TempDir()
	tb.Chdir(dir)
	tb.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	tb.Setenv("HOME", dir)
	return dir
}

// ranTwice runs a command twice among files. The second time has to be as the first.
func ranTwice(t *testing.T, files map[string][]byte, args ...string) fuzzed {
	t.Helper()
	for name, data := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	first := ranOnce(t, args)
	if again := ranOnce(t, args); again != first {
		t.Fatalf("admsim %q: exit code %d, then %d\n%s\n-- then --\n%s", args, first.code, again.code, first.stdout+first.stderr, again.stdout+again.stderr)
	}
	return first
}

func ranOnce(t *testing.T, args []string) fuzzed {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), fuzzTime)
	defer cancel()
	began := time.Now()
	var stdout, stderr bytes.Buffer
	code := run(ctx, args, strings.NewReader(""), &stdout, &stderr)
	if code == exitBug {
		t.Fatalf("admsim %q: exit code %d\n%s", args, code, &stderr)
	}
	if took := time.Since(began); took > fuzzTime {
		t.Fatalf("admsim %q took %v", args, took)
	}
	return fuzzed{code, stdout.String(), stderr.String()}
}

// seeds are the files of the scripts whose names match, of scripts that have some.
func seeds(tb testing.TB, use func(files map[string][]byte)) {
	for _, pattern := range []string{"testdata/*.txtar", "testdata/secrets/*.txtar"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			tb.Fatal(err)
		}
		for _, name := range names {
			script, err := txtar.ParseFile(name)
			if err != nil {
				tb.Fatal(err)
			}
			files := map[string][]byte{}
			for _, f := range script.Files {
				files[f.Name] = f.Data
			}
			use(files)
		}
	}
}

var randomCEL = regexp.MustCompile(`\bmap\(|\bkeys\(|\ball\(|\bexists|\bfilter\(|transform`) // goes through maps in any order

// FuzzRun runs requests in a world. What explain says of them agrees with what they do.
func FuzzRun(f *testing.F) {
	seeds(f, func(files map[string][]byte) {
		world, ok := files["world.yaml"]
		if !ok {
			return
		}
		for _, name := range []string{"request.yaml", "pod.yaml", "secret.yaml", "configmap.yaml"} {
			if request, ok := files[name]; ok {
				f.Add(world, request)
			}
		}
	})
	f.Fuzz(func(t *testing.T, world, request []byte) {
		if len(world) > 64<<10 || len(request) > 16<<10 || randomCEL.Match(world) {
			return
		}
		inFolder(t)
		files := map[string][]byte{"world.yaml": world, "request.yaml": request}
		got := ranTwice(t, files, "run", "-C", "world.yaml", "-f", "request.yaml", "-o", "jsonl", "-v", "--allow-unmatched", "--allow-unused")
		foretold := ranTwice(t, files, "explain", "-C", "world.yaml", "-f", "request.yaml", "-o", "jsonl")
		if got.code == exitUnknown || foretold.code == exitUnknown {
			return
		}
		agree(t, decodedLines[report.Result](t, got.stdout), decodedLines[document.Explanation](t, foretold.stdout))
	})
}

// decodedLines are lines of JSON, which hold what they can hold and nothing else.
func decodedLines[T any](t *testing.T, text string) (all []T) {
	t.Helper()
	for line := range strings.Lines(text) {
		var one T
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&one); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		all = append(all, one)
	}
	return all
}

// agree compares who is called with who explain says is. Where somebody changes the object, explain
// cannot know what others see.
func agree(t *testing.T, results []report.Result, explanations []document.Explanation) {
	t.Helper()
	if len(results) != 1 || len(explanations) != 1 || len(results[0].Admissions) != 1 {
		return
	}
	for _, s := range results[0].Admissions[0].Steps {
		for _, h := range s.Hooks {
			if h.Outcome == "changed" {
				return
			}
		}
	}
	for _, s := range results[0].Admissions[0].Steps {
		all := explanations[0].Validating
		if s.Phase == "mutating" {
			all = explanations[0].Mutating
		}
		for _, h := range s.Hooks {
			if len(h.Calls) == 0 {
				continue
			}
			if !slices.ContainsFunc(all, func(w document.WebhookExplanation) bool {
				return w.Configuration == h.Configuration && w.Name == h.Name && w.Index == h.Index && w.Called != "no"
			}) {
				t.Errorf("%s/%s is called, and explain does not say so: %+v", h.Configuration, h.Name, all)
			}
		}
	}
}

// FuzzSuite runs suites.
func FuzzSuite(f *testing.F) {
	seeds(f, func(files map[string][]byte) {
		for _, folder := range []string{"", "suite/"} {
			if suite, ok := files[folder+"admsim.yaml"]; ok {
				f.Add(suite, files["world.yaml"], files["request.yaml"])
			}
		}
	})
	f.Fuzz(func(t *testing.T, suite, world, request []byte) {
		if len(suite)+len(world)+len(request) > 64<<10 || randomCEL.Match(world) || randomCEL.Match(suite) {
			return
		}
		inFolder(t)
		files := map[string][]byte{"suite/admsim.yaml": suite, "world.yaml": world, "request.yaml": request, "suite/world.yaml": world}
		got := ranTwice(t, files, "test", "suite", "-o", "json", "--timings=false", "--coverage", "-v", "--allow-empty")
		if got.stdout != "" && !json.Valid([]byte(got.stdout)) {
			t.Errorf("no JSON: %s", got.stdout)
		}
	})
}

// FuzzReplay replays recordings.
func FuzzReplay(f *testing.F) {
	seeds(f, func(files map[string][]byte) {
		for name, data := range files {
			if strings.HasSuffix(name, ".log") || strings.HasSuffix(name, ".jsonl") {
				f.Add(data, files["world.yaml"])
			}
		}
	})
	f.Fuzz(func(t *testing.T, log, world []byte) {
		if len(log)+len(world) > 64<<10 || randomCEL.Match(world) {
			return
		}
		inFolder(t)
		files := map[string][]byte{"log.jsonl": log, "world.yaml": world}
		got := ranTwice(t, files, "replay", "-C", "world.yaml", "log.jsonl", "-o", "json", "--allow-empty")
		if got.stdout != "" && !json.Valid([]byte(got.stdout)) {
			t.Errorf("no JSON: %s", got.stdout)
		}
		ranTwice(t, files, "convert", "audit", "log.jsonl")
	})
}

// FuzzCommandLine runs any line, a word a line, that stays in its folder and comes to an end.
func FuzzCommandLine(f *testing.F) {
	seeds(f, func(files map[string][]byte) {
		for _, name := range []string{"world.yaml", "admsim.yaml", "log.jsonl"} {
			if data, ok := files[name]; ok {
				f.Add("run\n-C\nfile\n-f\nfile\n-o\njson", data)
				f.Add("explain\n-C\nfile\n--as\nalice\npods\n--verb=create", data)
				f.Add("lint\nfile\n-o\nsarif=out", data)
				f.Add("replay\nfile\n--resource\npods\n--since\n2h", data)
				f.Add("diff\n--base\nfile\n--head\nfile\nfile\n--tolerance\n1ms", data)
				f.Add("test\nfile\n--run\na/b\n--coverage-min\n80", data)
				f.Add("outage\n-C\nfile\n--slow\n*=5s\nfile", data)
				f.Add("versions\n1.30\n-o\nyaml", data)
			}
		}
	})
	f.Fuzz(func(t *testing.T, line string, file []byte) {
		args := strings.Split(line, "\n")
		if len(file) > 16<<10 || len(args) > 20 || len(line) > 1000 || slices.ContainsFunc(args, leavesFolder) {
			return
		}
		inFolder(t)
		if err := os.WriteFile("file", file, 0o644); err != nil {
			t.Fatal(err)
		}
		ranOnce(t, args)
	})
}

// leavesFolder tells of words that make a command go on, call somebody, or write elsewhere.
func leavesFolder(arg string) bool {
	for _, part := range []string{"/", "\\", "~", "..", "record", "snapshot", "watch", "live", "config", "allow-exec", "allow-network", "trust", "jobs", "orders", "samples", "\x00"} {
		if strings.Contains(arg, part) {
			return true
		}
	}
	return strings.HasPrefix(arg, "-j") || regexp.MustCompile(`\d{4}`).MatchString(arg)
}
