package helm

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/admsim/admsim/internal/render"
	"github.com/admsim/admsim/internal/scenario"
)

// Loading a chart returns what helm install would create: with its definitions, and without its tests. Objects have the
// position of their template.
func TestTemplate(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"Chart.yaml":              "apiVersion: v2\nname: shop\nversion: 1.0.0\n",
		"values.yaml":             "port: 80\n",
		"crds/widgets.yaml":       "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.shop.example}\n",
		"templates/service.yaml":  "{{- if .Values.port }}\napiVersion: v1\nkind: Service\nmetadata: {name: {{ .Release.Name }}-web}\nspec: {ports: [{port: {{ .Values.port }}}]}\n{{- end }}\n",
		"templates/test/pod.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: test, annotations: {helm.sh/hook: test}}\n",
	} {
		write(t, filepath.Join(folder, name), text)
	}
	o := scenario.Options{Builders: []scenario.Builder{render.Helm{}}}
	found, err := scenario.Load([]string{folder}, o)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, m := range found {
		rel, err := filepath.Rel(folder, m.Source.String())
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, rel+" "+m.String())
	}
	slices.Sort(got)
	want := []string{`crds/widgets.yaml:2 CustomResourceDefinition "widgets.shop.example"`, `templates/service.yaml:3 Service "shop-web"`}
	if !slices.Equal(got, want) {
		t.Errorf("Load = %q, want %q", got, want)
	}

	write(t, filepath.Join(folder, "templates/fails.yaml"), "a: b\nc: {{ fail \"set a host\" }}\n")
	_, err = scenario.Load([]string{folder}, o)
	var errs scenario.Errors
	errs.Join(err)
	if len(errs) != 1 || errs[0].Source.String() != filepath.ToSlash(folder)+"/templates/fails.yaml:2" {
		t.Errorf("Load with a template that fails = %v, want an error at templates/fails.yaml:2", err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
