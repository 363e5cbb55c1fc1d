package scenario

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

// What docs/scenario.md shows can be loaded.
func TestDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/scenario.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) < 3 {
		t.Fatalf("%d examples, want all", len(blocks))
	}
	object := []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	for _, block := range blocks {
		files := fstest.MapFS{"example.yaml": {Data: block[1]}, "new.yaml": {Data: object}, "old.yaml": {Data: object}}
		found, err := Load([]string{"example.yaml"}, Options{FS: files})
		if err != nil {
			t.Errorf("loading:\n%s%v", block[1], err)
			continue
		}
		bag, err := Sort(found, Options{FS: files})
		if err != nil || len(bag.Objects) > 0 {
			t.Errorf("sorting:\n%s%v, %v", block[1], bag.Objects, err)
		}
	}
}

// The schema for editors knows the keys that are known here, and no others.
func TestSchema(t *testing.T) {
	text, err := os.ReadFile("../../docs/scenario.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Definitions map[string]struct{ Properties map[string]any }
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	const unknown = "{qqqqqqqqqqqqqq: 1}"
	for definition, form := range map[string]string{
		"Metadata": "kind: Request\nmetadata: " + unknown,
		"Request":  "kind: Request\nqqqqqqqqqqqqqq: 1",
		"Resource": "kind: Request\nresource: " + unknown,
		"User":     "kind: Request\nuser: " + unknown,
		"Backends": "kind: Backends\nqqqqqqqqqqqqqq: 1",
		"Backend":  "kind: Backends\nbackends: [" + unknown + "]",
		"Answer":   "kind: Backends\nbackends: [{mock: [" + unknown + "]}]",
		"Status":   "kind: Backends\nbackends: [{mock: [{deny: " + unknown + "}]}]",
		"HTTP":     "kind: Backends\nbackends: [{mock: [{http: " + unknown + "}]}]",
	} {
		found, err := load([]byte("apiVersion: " + APIVersion + "\n" + form + "\n"))
		if err != nil {
			t.Fatal(err)
		}
		_, err = Sort(found, Options{})
		var known []string
		for _, e := range errorsOf(t, err) {
			if keys, ok := strings.CutPrefix(e.Hint, "known here: "); ok {
				known = strings.Split(keys, ", ")
			}
		}
		var listed []string
		for key := range schema.Definitions[definition].Properties {
			listed = append(listed, key)
		}
		slices.Sort(known)
		slices.Sort(listed)
		if diff := cmp.Diff(known, listed); diff != "" {
			t.Errorf("%s (-read +in the schema):\n%s", definition, diff)
		}
	}
}
