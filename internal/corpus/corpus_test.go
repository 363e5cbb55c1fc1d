package corpus

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/scenario"
)

const (
	suiteText = `apiVersion: admsim.dev/v1alpha1
kind: Suite
cases:
- {name: one, request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: one}}}, expect: {}}
- {name: later, skip: not yet, request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: two}}}, expect: {}}
- name: steps
  steps:
  - {request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: three}}}, expect: {}}
  - {name: again, request: {object: {apiVersion: v1, kind: ConfigMap, metadata: {name: four}}}, expect: {}}
`
	manifest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: written}\n"
	event    = `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Metadata","auditID":"1","stage":"RequestReceived","requestURI":"/api/v1/namespaces/default/pods","verb":"list","user":{"username":"a"}}` + "\n"
)

func files(t *testing.T, all map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range all {
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// Find tells manifests, recordings and suites apart.
func TestFind(t *testing.T) {
	files(t, map[string]string{
		"m/a.yaml": manifest, "m/audit.log": event, "s/admsim.yaml": suiteText, "s/world.yaml": manifest, "s/old.log": event,
	})
	for _, tt := range []struct {
		reason                string
		paths                 []string
		manifests, recordings []string
		cases                 int
	}{
		{"a file", []string{"m/a.yaml"}, []string{"m/a.yaml"}, nil, 0},
		{"standard input", []string{"-"}, []string{"-"}, nil, 0},
		{"a recording", []string{"m/audit.log"}, nil, []string{"m/audit.log"}, 0},
		{"a folder with both", []string{"m"}, []string{"m"}, []string{"m/audit.log"}, 0},
		{"what is beside suites is theirs; a skipped case is none", []string{"s"}, nil, nil, 2},
		{"all of it", []string{"s/admsim.yaml", "m/..."}, []string{"m"}, []string{"m/audit.log"}, 2},
	} {
		in, err := Find(tt.paths, scenario.Options{})
		if err != nil || !slices.Equal(in.manifests, tt.manifests) || !slices.Equal(in.recordings, tt.recordings) || len(in.Cases) != tt.cases {
			t.Errorf("%s: Find(%q) = manifests %q, recordings %q, %d cases, %v; want %q, %q, %d", tt.reason, tt.paths, in.manifests, in.recordings, len(in.Cases), err, tt.manifests, tt.recordings, tt.cases)
		}
	}
}

// Requests are returned in order, each with the label that its author gave it; cases with the same world share a key.
func TestOpen(t *testing.T) {
	files(t, map[string]string{"a.yaml": manifest, "admsim.yaml": suiteText})
	in, err := Find([]string{"admsim.yaml", "a.yaml"}, scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if keys := in.Keys(); len(keys) != 2 || keys[0] != keys[1] {
		t.Errorf("the keys are %v, want two equal keys", keys)
	}
	all, end, err := in.Open(nil, Options{Reading: scenario.Options{Opened: func(string) {}}, Warn: func(text, _ string) { t.Errorf("warning: %s", text) }})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for {
		r, err := all.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		text := r.Source().String()
		if r.Step != nil && r.Step.Begins {
			text += " begins"
		}
		got = append(got, text)
	}
	want := []string{"a.yaml:1", "admsim.yaml:4 begins", "admsim.yaml:8 begins", "admsim.yaml:9"}
	if !slices.Equal(got, want) {
		t.Errorf("the requests are %q, want %q", got, want)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}

// A corpus without requests is an error, since it would look like no change.
func TestOpenNothing(t *testing.T) {
	files(t, map[string]string{"empty.yaml": "# nothing\n", "audit.log": event})
	for path, want := range map[string]string{"empty.yaml": "there is no request in empty.yaml", "audit.log": "the recording has no request that changes something"} {
		in, err := Find([]string{path}, scenario.Options{})
		if err != nil {
			t.Fatal(err)
		}
		all, _, err := in.Open(nil, Options{Reading: scenario.Options{Opened: func(string) {}}, Warn: func(string, string) {}})
		if err == nil {
			_, err = all.Next()
		}
		if err == nil || errors.Is(err, io.EOF) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error that says %q", path, err, want)
		}
	}
}
