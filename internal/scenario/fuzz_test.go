package scenario

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/pkg/rest"
)

// Whatever the bytes, loading ends, and either reports an error with a place in the file, or returns objects that stay
// the same when each is written by sigs.k8s.io/yaml and loaded again. A single YAML object is what sigs.k8s.io/yaml
// reads, which kubectl uses.
func FuzzLoad(f *testing.F) {
	names, _ := filepath.Glob("testdata/*/*.txtar")
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			f.Add(file.Data)
		}
	}
	f.Add([]byte("{}1-1"))
	f.Add([]byte(`{"a":1}true"b"null[]-1{}`))
	f.Add([]byte("a: &a [*a, {<<: *a, ? {b: c} : d}]\n--- \n{}"))
	f.Fuzz(func(t *testing.T, data []byte) {
		found, err := load(data)
		all := errorsOf(t, err)
		bag, err2 := Sort(found, manifest.Options{FS: fstest.MapFS{"in.yaml": {Data: data}}})
		all = append(all, errorsOf(t, err2)...)
		_, err2 = Requests(bag.Objects, rest.Update, manifest.Options{})
		all = append(all, errorsOf(t, err2)...)
		for _, e := range all {
			if e.File != "in.yaml" || e.Line < 1 || e.Line > 1+lineBreaks(data) || e.Message == "" {
				t.Errorf("an error without a place in the file: %+v", e)
			}
		}
		for _, m := range found {
			text, err := yaml.JSONToYAML(m.JSON)
			if err != nil {
				t.Fatalf("JSONToYAML(%s): %v", m.JSON, err)
			}
			again, err := load(text)
			if err != nil || len(again) != 1 || again[0].String() != m.String() {
				t.Fatalf("loading %s again: %v, %v", text, again, err)
			}
			if !bytes.Equal(again[0].JSON, m.JSON) {
				t.Errorf("loading again: %s, was %s", again[0].JSON, m.JSON)
			}
		}
		if err == nil && len(found) == 1 && !bytes.Contains(data, []byte("---")) && !strings.HasSuffix(found[0].Kind, "List") {
			compareWithKubectl(t, data, found[0])
		}
	})
}

// lineBreaks counts the line breaks of YAML.
func lineBreaks(data []byte) (n int) {
	for _, r := range string(data) {
		if strings.ContainsRune("\n\r\u0085\u2028\u2029", r) {
			n++
		}
	}
	return n
}

func compareWithKubectl(t *testing.T, data []byte, m manifest.Manifest) {
	theirs, err := yaml.YAMLToJSON(data)
	if err != nil {
		return // JSON that is not YAML, such as a pair of surrogates
	}
	var got, want map[string]any
	if json.Unmarshal(theirs, &want) != nil || want["kind"] != m.Kind {
		return // an item of a list
	}
	if err := json.Unmarshal(m.JSON, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not what kubectl would send (-kubectl +got):\n%s", diff)
	}
}

func load(data []byte) ([]manifest.Manifest, error) {
	return manifest.Load([]string{"in.yaml"}, manifest.Options{FS: fstest.MapFS{"in.yaml": {Data: data}}})
}

func errorsOf(t *testing.T, err error) manifest.Errors {
	t.Helper()
	if err == nil {
		return nil
	}
	all, ok := err.(manifest.Errors)
	if !ok || len(all) == 0 {
		t.Fatalf("error is a %T, want Errors", err)
	}
	return all
}
