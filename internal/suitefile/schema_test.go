package suitefile_test

import (
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/xeipuuv/gojsonschema"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/internal/scenario"
)

const docs = "../../docs/"

// A schemaEntry is an entry of docs/catalog.json, which has the format of
// https://www.schemastore.org/api/json/catalog.json.
type schemaEntry struct {
	Name, Description, URL string
	FileMatch              []string
}

// Editors find a schema by the name of a file. The schemas accept all files that admsim accepts.
func TestSchemas(t *testing.T) {
	var catalog struct{ Schemas []schemaEntry }
	read(t, docs+"catalog.json", &catalog)
	schemas := map[string]*gojsonschema.Schema{}
	of := map[string]*gojsonschema.Schema{} // by pattern
	for _, entry := range catalog.Schemas {
		file := docs + path.Base(entry.URL)
		var published struct {
			ID string `json:"$id"`
		}
		if read(t, file, &published); published.ID != entry.URL {
			t.Errorf("%s: $id is %s, and the catalog says %s", file, published.ID, entry.URL)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := gojsonschema.NewSchema(gojsonschema.NewBytesLoader(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		schemas[path.Base(entry.URL)] = schema
		for _, pattern := range entry.FileMatch {
			of[pattern] = schema
		}
	}
	checked := map[*gojsonschema.Schema]int{}
	err := filepath.WalkDir("../../examples", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".yaml") {
			return err
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		for document := range strings.SplitSeq(string(text), "\n---\n") {
			schema := schemas["scenario.schema.json"]
			if matched := match(of, path.Base(file)); matched != nil {
				schema = matched
			} else if !strings.Contains(document, "apiVersion: "+scenario.APIVersion+"\n") {
				continue
			}
			checked[schema]++
			for _, wrong := range validate(t, schema, document) {
				t.Errorf("%s: %s", file, wrong)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if suites := schemas["scenario.schema.json"]; checked[suites] < 10 {
		t.Errorf("%d documents of the examples were checked", checked[suites])
	}
	project := schemas["project.schema.json"]
	if wrong := validate(t, project, "lint: {ignore: [{rule: ADM003, object: ValidatingWebhookConfiguration/a, reason: known}]}"); len(wrong) > 0 {
		t.Errorf("a project: %v", wrong)
	}
	if wrong := validate(t, project, "lint: {ignores: []}"); len(wrong) == 0 {
		t.Error("an unknown key of a project is accepted")
	}
	const suite = "apiVersion: " + scenario.APIVersion + "\nkind: Suite\n"
	for text, accepted := range map[string]bool{
		"case: []": false,
		"cases: [{name: a, request: {verb: create, resource: pods, expand: true}, expect: {allowed: true}}]": true,
		"cases: [{name: a, request: {apiVersion: v1, kind: Pod, spec: {}}, expect: {allowed: true}}]":        true,
		"cases: [{name: a, request: {verb: craete, resource: pods}, expect: {allowed: true}}]":               false,
		"cases: [{name: a, request: {resources: pods}, expect: {allowed: true}}]":                            false,
	} {
		if wrong := validate(t, schemas["scenario.schema.json"], suite+text); len(wrong) == 0 != accepted {
			t.Errorf("%s: accepted: %t, %v", text, !accepted, wrong)
		}
	}
}

func match(of map[string]*gojsonschema.Schema, name string) *gojsonschema.Schema {
	for pattern, schema := range of {
		if ok, _ := path.Match(pattern, name); ok {
			return schema
		}
	}
	return nil
}

func validate(t *testing.T, schema *gojsonschema.Schema, text string) (wrong []string) {
	t.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	result, err := schema.Validate(gojsonschema.NewBytesLoader(data))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range result.Errors() {
		wrong = append(wrong, e.String())
	}
	return wrong
}

func read(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
