package manifest

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/admsim/admsim/internal/golden"
)

// The folder of each archive is loaded. The golden text lists the manifests with their places, then the errors.
func TestLoad(t *testing.T) {
	golden.Folders(t, "testdata/load/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		found, err := Load([]string{"."}, Options{FS: files})
		var b strings.Builder
		for _, m := range found {
			fmt.Fprintf(&b, "%s %s %s\n  %s\n", m.Source, m.GroupVersion(), m, m.JSON)
		}
		if err != nil {
			fmt.Fprintln(&b, err)
		}
		return b.String()
	})
}

func TestLoadPaths(t *testing.T) {
	config := func(name string) string {
		return "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: " + name + "\n"
	}
	files := fstest.MapFS{
		"one.yaml":           {Data: []byte(config("one"))},
		"text.txt":           {Data: []byte(config("text"))},
		"folder/b.yml":       {Data: []byte(config("b"))},
		"folder/a.JSON":      {Data: []byte(`{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"}}`)},
		"folder/c/d.yaml":    {Data: []byte(config("d"))},
		"folder/.git/x.yaml": {Data: []byte(config("hidden"))},
		"folder/.x.yaml":     {Data: []byte(config("hidden"))},
		"folder/README.md":   {Data: []byte("# no manifest")},
		"empty/README.md":    {Data: []byte("# no manifest")},
	}
	for _, tt := range []struct {
		reason string
		paths  []string
		want   []string
		errs   []string
	}{
		{reason: "files and standard input, in the order given",
			paths: []string{"one.yaml", "-"}, want: []string{"one.yaml:1 one", "<stdin>:1 stdin"}},
		{reason: "a file named by the user is read whatever its name", paths: []string{"text.txt"}, want: []string{"text.txt:1 text"}},
		{reason: "a folder by name, nothing hidden", paths: []string{"folder"},
			want: []string{"folder/a.JSON:1 a", "folder/b.yml:1 b", "folder/c/d.yaml:1 d"}},
		{reason: "a hidden file that the user names is read", paths: []string{"folder/.x.yaml"}, want: []string{"folder/.x.yaml:1 hidden"}},
		{reason: "all errors at once, together with what could be read", paths: []string{"missing.yaml", "one.yaml", "empty"},
			want: []string{"one.yaml:1 one"},
			errs: []string{"missing.yaml: no such file", "empty: no *.yaml, *.yml or *.json file in this folder"}},
		{reason: "standard input can be read only once", paths: []string{"-", "-"}, want: []string{"<stdin>:1 stdin"},
			errs: []string{"<stdin>: standard input can be read only once\n  hint: name - once"}},
	} {
		found, err := Load(tt.paths, Options{FS: files, Stdin: strings.NewReader(config("stdin"))})
		var got, errs []string
		for _, m := range found {
			got = append(got, m.Source.String()+" "+m.Name)
		}
		var all Errors
		if errors.As(err, &all) {
			for _, e := range all {
				errs = append(errs, e.Error())
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: found (-want +got):\n%s", tt.reason, diff)
		}
		if diff := cmp.Diff(tt.errs, errs); diff != "" {
			t.Errorf("%s: errors (-want +got):\n%s", tt.reason, diff)
		}
	}
}

func TestLoadFromDisk(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.yaml"), []byte("{apiVersion: v1, kind: Namespace, metadata: {name: shop}}"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("a.yaml", filepath.Join(dir, "b.yaml")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(".", filepath.Join(dir, "loop.yaml")); err != nil {
		t.Fatal(err)
	}
	found, err := Load([]string{dir}, Options{})
	if err != nil || len(found) != 2 {
		t.Fatalf("Load = %v, %v, want the file and the link to it", found, err)
	}
}

// Input that could take unlimited time or memory is refused, with the place and the limit.
func TestLimits(t *testing.T) {
	bomb := "apiVersion: v1\nkind: ConfigMap\na: &a [x,x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c < 'j'; c++ {
		p := string(c - 1)
		bomb += fmt.Sprintf("%c: &%c [*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s,*%s]\n", c, c, p, p, p, p, p, p, p, p, p, p)
	}
	long := "apiVersion: v1\nkind: ConfigMap\na: &a " + strings.Repeat("x", 100_000) + "\nb: [" + strings.Repeat("*a,", 1000) + "]\n"
	deep := "apiVersion: v1\nkind: ConfigMap\na: &a " + strings.Repeat("[", 600) + strings.Repeat("]", 600) +
		"\nb: " + strings.Repeat("[", 500) + "*a" + strings.Repeat("]", 500) + "\n"
	for _, tt := range []struct{ reason, name, text, want string }{
		{"aliases of aliases", "a.yaml", bomb, "a.yaml:1: its YAML aliases make this document grow to more than 4 MiB"},
		{"aliases of one long text", "a.yaml", long, "a.yaml:1: its YAML aliases make this document grow to more than 4 MiB"},
		{"levels after an alias", "a.yaml", deep, "a.yaml:3: nested more than 1000 levels deep"},
		{"deep YAML", "a.yaml", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "a.yaml:1: nested more than 1000 levels deep"},
		{"endless YAML", "a.yaml", strings.Repeat("[", 1_000_000), "a.yaml:1: not YAML: exceeded max depth of 10000"},
		{"deep JSON", "a.json", "\n" + strings.Repeat(`{"a":`, 2000) + "1" + strings.Repeat("}", 2000), "a.json:2: nested more than 1000 levels deep"},
		{"endless JSON", "a.json", strings.Repeat(`{"a":`, 500_000), "a.json:1: not JSON: invalid character '{' exceeded max depth"},
		{"a key of nothing", "a.yaml", "a:\n- {b: c, ~: d}", "a.yaml:2: nothing as a key"},
		{"a list as a key", "a.yaml", "a: {b: c}\n? [d]\n: e", "a.yaml:2: a list as a key"},
		{"an anchor in itself", "a.yaml", "apiVersion: v1\nkind: ConfigMap\na: &a [*a]", `a.yaml:3: a YAML anchor contains itself`},
		{"a large file", "a.yaml", strings.Repeat("#", 3<<20), "a.yaml: larger than 2 MiB"},
		{"binary", "a.yaml", "a: b\n\xff", "a.yaml:2: not UTF-8 text"},
	} {
		_, err := Load([]string{tt.name}, Options{FS: fstest.MapFS{tt.name: {Data: []byte(tt.text)}}, MaxFile: 2<<20 + 1<<19})
		if tt.reason == "a large file" {
			_, err = Load([]string{tt.name}, Options{FS: fstest.MapFS{tt.name: {Data: []byte(tt.text)}}, MaxFile: 2 << 20})
		}
		if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("%s: Load = %.200v, want %s", tt.reason, err, tt.want)
		}
	}
}

// A template is not YAML, and the errors of the YAML parser help nobody.
func TestTemplate(t *testing.T) {
	const hint = "hint: this is a template"
	for _, tt := range []struct {
		reason, text string
		want         bool
	}{
		{"a value", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n", true},
		{"a line", "{{- if .Values.on }}\napiVersion: v1\nkind: ConfigMap\n{{- end }}\n", true},
		{"a line with a block", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  labels:\n    {{- include \"labels\" . | nindent 4 }}\n", true},
		{"an item of a list", "apiVersion: v1\nkind: List\nitems:\n- {{ toYaml .Values }}\n", true},
		{"braces in quotes", "apiVersion: v1\nkind: ConfigMap\ndata: {a: \"{{.Port}}\"\n", false},
	} {
		_, err := Load([]string{"a.yaml"}, Options{FS: fstest.MapFS{"a.yaml": {Data: []byte(tt.text)}}})
		if err == nil || strings.Contains(err.Error(), hint) != tt.want {
			t.Errorf("%s: Load = %v, want the hint: %v", tt.reason, err, tt.want)
		}
	}
}

func TestPosition(t *testing.T) {
	yaml := `# comment
apiVersion: apps/v1
kind: Deployment
metadata:
  name: shop
  labels: &labels
    app.kubernetes.io/name: shop
    app: shop
spec:
  selector:
    matchLabels:
      <<: *labels
  template:
    spec:
      containers:
      - name: a
      - name: b
        ports: [{containerPort: 80}, {containerPort: 81}]
`
	json := `{"apiVersion":"apps/v1",
  "kind":"Deployment", "metadata": {"labels": {"a.b/c": "ü", "d": 1}},
  "spec": {"list": [1, [2, {"x": null}],
    "\"}"], "last": true}}`
	files := fstest.MapFS{"a.yaml": {Data: []byte(yaml)}, "b.json": {Data: []byte(json)}}
	found, err := Load([]string{"a.yaml", "b.json"}, Options{FS: files})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		of           Manifest
		path         string
		line, column int
	}{
		{found[0], "", 2, 1},
		{found[0], "metadata.name", 5, 3},
		{found[0], "metadata.labels[app.kubernetes.io/name]", 7, 5},
		{found[0], "metadata.labels.app.kubernetes.io/name", 7, 5},
		{found[0], "metadata.labels.app", 8, 5},
		{found[0], "spec.selector.matchLabels.app", 8, 5},           // through the merge key
		{found[0], "spec.selector.matchLabels[missing]", 11, 5},     // the innermost that exists
		{found[0], "spec.template.spec.containers[1].image", 17, 9}, // the item
		{found[0], "spec.template.spec.containers[5].name", 15, 7},  // the list
		{found[0], "spec.template.spec.containers[1].ports[1]", 18, 38},
		{found[1], "", 1, 1},
		{found[1], "metadata.labels[a.b/c]", 2, 48},
		{found[1], "metadata.labels[d]", 2, 62},
		{found[1], "spec.list[1][1].x", 3, 29},
		{found[1], "spec.list[2]", 4, 5},
		{found[1], "spec.last", 4, 13},
	} {
		got := tt.of.Position(tt.path)
		if want := (Source{File: tt.of.Source.File, Line: tt.line, Column: tt.column}); got != want {
			t.Errorf("Position(%s) of %s = %+v, want %+v", tt.path, tt.of.Source.File, got, want)
		}
	}
}

// An error in the text of a Secret does not show its values: a password without quotes may be YAML.
func TestBrokenSecretsShowNoValue(t *testing.T) {
	for _, value := range []string{
		"*sEcretValue", "!!int sEcretValue", "!!float sEcretValue", "!!binary sEcretValue!", "&sEcretValue [*sEcretValue]", "@sEcretValue", "%sEcretValue",
		`"sEcret\qValue"`, "'sEcretValue", "[sEcretValue", "sEcretValue: b", "!sEcretValue", "!<sEcretValue", "{sEcretValue", "`sEcretValue`", "|sEcretValue", "!!timestamp sEcretValue",
	} {
		for _, text := range []string{"stringData:\n  a: " + value + "\n", "data: {a: " + value + "}\n"} {
			_, err := Parse("a.yaml", []byte("apiVersion: v1\nkind: Secret\nmetadata: {name: a}\n"+text))
			if err != nil && strings.Contains(err.Error(), "sEcret") {
				t.Errorf("%s: %v", value, err)
			}
		}
	}
}
