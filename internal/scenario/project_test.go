package scenario

import (
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/manifest"
	"github.com/admsim/admsim/internal/projectfiles"

	"github.com/google/go-cmp/cmp"
)

func TestLoadProject(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []Ignore
		err  string
	}{
		{"lint:\n  ignore:\n  - {rule: ADM001, object: a/*, reason: because}\n", []Ignore{{Rule: "ADM001", Object: "a/*", Reason: "because", Source: manifest.Source{File: projectfiles.Name, Line: 3, Column: 5}}}, ""},
		{"lint:\n  ignore:\n  - rule: ADM001\n", []Ignore{{Rule: "ADM001", Source: manifest.Source{File: projectfiles.Name, Line: 3, Column: 5}}}, ""},
		{"lint:\n  ignore:\n  - reason: because\n", nil, ".admsim.yaml:3: lint.ignore[0]: no rule\n  hint: admsim lint --rules lists them"},
		{"", nil, ""},
		{"# The project begins here.\n", nil, ""},
		{"---\n", nil, ""},
		{"lint: {}\n---\nlint: {}\n", nil, ".admsim.yaml:3: 2 documents instead of one"},
		{"lint:\n  ignored: []\n", nil, ".admsim.yaml:2: unknown key \"lint.ignored\"\n  hint: did you mean \"ignore\"?"},
	} {
		o := manifest.Options{FS: fstest.MapFS{projectfiles.Name: {Data: []byte(tt.text)}}}
		got, err := LoadProject(projectfiles.Name, o)
		if diff := cmp.Diff(tt.want, got.Ignore); diff != "" {
			t.Errorf("%s: -want +got\n%s", tt.text, diff)
		}
		if message := ""; err != nil || tt.err != "" {
			if err != nil {
				message = err.Error()
			}
			if message != tt.err {
				t.Errorf("%s: error %q, want %q", tt.text, message, tt.err)
			}
		}
	}
	if _, err := LoadProject(projectfiles.Name, manifest.Options{FS: fstest.MapFS{}}); err != nil {
		t.Errorf("no file: %v", err)
	}
}
