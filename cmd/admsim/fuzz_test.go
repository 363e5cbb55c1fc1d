package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/admsim/admsim/internal/report/document"
	"github.com/admsim/admsim/pkg/report"
)

// The fuzz tests run the whole command in a folder of its own, with files that somebody else wrote. No run may end as a
// bug of admsim, or answer the same question in two ways.

// fuzzTime is the longest that one run may take.
const fuzzTime = 30 * time.Second

// A fuzzed is the outcome of a run.
type fuzzed struct {
	code           int
	stdout, stderr string
}

// inFolder changes to a new folder, in which no settings of the user are found.
func inFolder(tb testing.TB) string {
	dir := tb.TempDir()
	tb.Chdir(dir)
	tb.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	tb.Setenv("HOME", dir)
	return dir
}

// ranTwice runs a command twice with the same files. Both runs must give the same result.
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

// seeds calls use with the files of each script that has some.
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

var randomCEL = regexp.MustCompile(`\bmap\(|\bkeys\(|\ball\(|\bexists|\bfilter\(|transform`) // in random order

// FuzzRun runs requests in a world. What explain says about them agrees with what they do.
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

// decodedLines decodes lines of JSON, which may have no unknown fields.
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

// agree compares the webhooks that were called with those that explain says are called. If a webhook changes the
// object, explain cannot know what later webhooks see.
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
	realRecords(f, "../../internal/replay/testdata/webhooks.log.gz", "../../internal/recording/testdata/sample.log.gz")
	recordedRequests(f, "../../testdata/recorded/*.json")
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

// realRecords adds one record for each verb and kind in the logs of real servers.
func realRecords(f *testing.F, names ...string) {
	known := map[string]bool{}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			f.Fatal(err)
		}
		unzipped, err := gzip.NewReader(file)
		if err != nil {
			f.Fatal(err)
		}
		lines := bufio.NewScanner(unzipped)
		lines.Buffer(nil, 4<<20)
		for lines.Scan() {
			var event auditv1.Event
			if json.Unmarshal(lines.Bytes(), &event) != nil || event.ObjectRef == nil || event.RequestObject == nil || len(lines.Bytes()) > 16<<10 {
				continue
			}
			if key := fmt.Sprint(event.Verb, event.Stage, event.ObjectRef.Resource, event.ObjectRef.Subresource); !known[key] {
				known[key] = true
				f.Add(bytes.Clone(lines.Bytes()), []byte(nil))
			}
		}
		if err := errors.Join(lines.Err(), file.Close()); err != nil {
			f.Fatal(err)
		}
	}
	if len(known) < 10 {
		f.Fatalf("the logs have only %d kinds of records", len(known))
	}
}

// recordedRequests adds the first request of each file, as the server would have logged it, in the cluster that it
// found.
func recordedRequests(f *testing.F, pattern string) {
	names, err := filepath.Glob(pattern)
	if err != nil || len(names) == 0 {
		f.Fatal(names, err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		var file struct {
			Cluster  []json.RawMessage // without webhooks, which only exist where the recording was made
			Requests []struct {
				Verb, Group, Version, Resource, Subresource, Namespace, Name string
				Object                                                       json.RawMessage
				Expect                                                       struct {
					Code int32
					Body json.RawMessage
				}
			}
		}
		if err := json.Unmarshal(data, &file); err != nil {
			f.Fatalf("%s: %v", name, err)
		}
		for _, r := range file.Requests {
			if len(r.Object) == 0 || r.Verb != "create" && r.Verb != "update" {
				continue
			}
			uri := []string{"api", r.Version}
			if r.Group != "" {
				uri = []string{"apis", r.Group, r.Version}
			}
			if r.Namespace != "" {
				uri = append(uri, "namespaces", r.Namespace)
			}
			uri = append(uri, r.Resource)
			if r.Name != "" {
				uri = append(uri, r.Name)
			}
			if r.Subresource != "" {
				uri = append(uri, r.Subresource)
			}
			event := auditv1.Event{
				Level: auditv1.LevelRequestResponse, AuditID: "1", Stage: auditv1.StageResponseComplete, Verb: r.Verb,
				RequestURI:    "/" + strings.Join(uri, "/"),
				ObjectRef:     &auditv1.ObjectReference{APIGroup: r.Group, APIVersion: r.Version, Resource: r.Resource, Subresource: r.Subresource, Namespace: r.Namespace, Name: r.Name},
				RequestObject: &runtime.Unknown{Raw: r.Object}, ResponseStatus: &metav1.Status{Code: r.Expect.Code},
			}
			event.APIVersion, event.Kind = "audit.k8s.io/v1", "Event"
			if len(r.Expect.Body) > 0 {
				event.ResponseObject = &runtime.Unknown{Raw: r.Expect.Body}
			}
			line, err := json.Marshal(event)
			if err != nil {
				f.Fatalf("%s: %v", name, err)
			}
			var world []byte
			for _, object := range file.Cluster {
				world = append(append(world, object...), '\n')
			}
			f.Add(line, world)
			break
		}
	}
}

// FuzzCommandLine runs any command line, given as one word per line, that stays in its folder and ends.
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

// leavesFolder reports whether a word may make a command run on, open connections, or write elsewhere.
func leavesFolder(arg string) bool {
	for _, part := range []string{"/", "\\", "~", "..", "record", "snapshot", "watch", "live", "config", "allow-exec", "allow-network", "trust", "jobs", "orders", "samples", "\x00"} {
		if strings.Contains(arg, part) {
			return true
		}
	}
	return strings.HasPrefix(arg, "-j") || regexp.MustCompile(`\d{4}`).MatchString(arg)
}
