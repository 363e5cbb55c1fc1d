package convert

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/scenario"
)

// Fields of templates are set as the script of the cel-admission-library does it. The scripts of the command show the
// whole conversion.
func TestChanged(t *testing.T) {
	for _, tt := range []struct{ change, want string }{
		{"spec.hostPID=true", `{"spec":{"containers":[{"name":"a"}],"hostPID":true}}`},
		{"spec.containers.[0].image=b:1", `{"spec":{"containers":[{"image":"b:1","name":"a"}]}}`},
		{"spec.containers.[1].name=b", `{"spec":{"containers":[{"name":"a"},{"name":"b"}]}}`},
		{"spec.containers.[0].securityContext.runAsUser=0", `{"spec":{"containers":[{"name":"a","securityContext":{"runAsUser":0}}]}}`},
		{`metadata.labels={"a": "1"}`, `{"metadata":{"labels":{"a":"1"}},"spec":{"containers":[{"name":"a"}]}}`},
		{"spec.containers.[3].name=b", ""}, // a gap
		{"spec.containers.name=b", ""},     // a list is not a mapping
		{"spec..a=b", ""},
		{"spec.a", ""},
		{"spec.a=b=c", ""},
	} {
		var object any
		if err := json.Unmarshal([]byte(`{"spec":{"containers":[{"name":"a"}]}}`), &object); err != nil {
			t.Fatal(err)
		}
		got := ""
		if object, err := changed(object, tt.change); err == nil {
			data, _ := json.Marshal(object)
			got = string(data)
		}
		if got != tt.want {
			t.Errorf("changed(%s) = %s, want %s", tt.change, got, tt.want)
		}
	}
}

// What is written is read back unchanged, whatever YAML could make of it.
func TestYAML(t *testing.T) {
	object := map[string]any{
		"apiVersion": "v1", "kind": "ConfigMap", "metadata": map[string]any{"name": "a"},
		"data": map[string]any{"n": "yes", "on": "010", "empty": "", "lines": "a\nb: c\n", "time": "12:30", "date": "2026-01-01", "hex": "0x1F", "tilde": "~", "float": "1e3"},
	}
	s := newSuite("a")
	s.World.Objects = []any{object}
	s.Cases = []testCase{{Name: "no", Request: request{Object: object}, Expect: called("p")}}
	file := filepath.Join(t.TempDir(), "admsim.yaml")
	if err := os.WriteFile(file, s.yaml(), 0o644); err != nil {
		t.Fatal(err)
	}
	suites, err := scenario.LoadSuites(file, scenario.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got any
	if err := json.Unmarshal(suites[0].World.Objects[0].JSON, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(any(object), got); diff != "" {
		t.Errorf("a suite is read differently from how it was written (-want +got):\n%s", diff)
	}
}

func TestGlobs(t *testing.T) {
	for _, tt := range []struct {
		of   []string
		want string
	}{
		{nil, "true"},
		{[]string{"a"}, `v == "a"`},
		{[]string{"kube-*", "*-system"}, `v.startsWith("kube-") || v.endsWith("-system")`},
		{[]string{"*a*"}, `v.contains("a")`},
	} {
		if got := globs("v", tt.of); got != tt.want {
			t.Errorf("globs(%q) = %s, want %s", tt.of, got, tt.want)
		}
	}
}
