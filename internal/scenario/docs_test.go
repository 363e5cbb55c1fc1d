package scenario

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/google/go-cmp/cmp"
)

// The examples in docs/scenario.md can be loaded.
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
		found, err := manifest.Load([]string{"example.yaml"}, manifest.Options{FS: files})
		if err != nil {
			t.Errorf("loading:\n%s%v", block[1], err)
			continue
		}
		bag, err := Sort(found, manifest.Options{FS: files})
		if err != nil || len(bag.Objects) > 0 {
			t.Errorf("sorting:\n%s%v, %v", block[1], bag.Objects, err)
		}
	}
}

// The faults in docs/serve.md can be loaded.
func TestFaultsDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/serve.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("```yaml\n([^`]*kind: Faults[^`]*)```").FindAllSubmatch(text, -1)
	if len(blocks) != 1 {
		t.Fatalf("%d examples, want one", len(blocks))
	}
	found, err := manifest.Load([]string{"faults.yaml"}, manifest.Options{FS: fstest.MapFS{"faults.yaml": {Data: blocks[0][1]}}})
	if err != nil {
		t.Fatal(err)
	}
	if bag, err := Sort(found, manifest.Options{}); err != nil || len(bag.Faults) != 4 {
		t.Errorf("%d faults, %v", len(bag.Faults), err)
	}
}

// The schema for editors has exactly the keys that this package reads.
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
		"Metadata":        "kind: Request\nmetadata: " + unknown,
		"Request":         "kind: Request\nqqqqqqqqqqqqqq: 1",
		"Resource":        "kind: Request\nresource: " + unknown,
		"User":            "kind: Request\nuser: " + unknown,
		"Backends":        "kind: Backends\nqqqqqqqqqqqqqq: 1",
		"Faults":          "kind: Faults\nqqqqqqqqqqqqqq: 1",
		"Fault":           "kind: Faults\nfaults: [" + unknown + "]",
		"Backend":         "kind: Backends\nbackends: [" + unknown + "]",
		"Answer":          "kind: Backends\nbackends: [{mock: [" + unknown + "]}]",
		"Status":          "kind: Backends\nbackends: [{mock: [{deny: " + unknown + "}]}]",
		"Suite":           "kind: Suite\nqqqqqqqqqqqqqq: 1",
		"SuiteMetadata":   "kind: Suite\nmetadata: " + unknown,
		"World":           "kind: Suite\nworld: " + unknown,
		"Plugins":         "kind: Suite\nworld: {plugins: " + unknown + "}",
		"AuthorizerRules": "kind: Suite\nworld: {authorizer: " + unknown + "}",
		"AuthorizerRule":  "kind: Suite\nworld: {authorizer: {rules: [" + unknown + "]}}",
		"Defaults":        "kind: Suite\ndefaults: " + unknown,
		"Case":            "kind: Suite\ncases: [" + unknown + "]",
		"Step":            "kind: Suite\ncases: [{steps: [" + unknown + "]}]",
		"RequestKeys":     "kind: Suite\ncases: [{request: {qqqqqqqqqqqqqq: 1}}]",
		"Override":        "kind: Suite\ncases: [{override: " + unknown + "}]",
		"Matrix":          "kind: Suite\ncases: [{matrix: " + unknown + "}]",
		"Expect":          "kind: Suite\ncases: [{expect: " + unknown + "}]",
		"ExpectWhen":      "kind: Suite\ncases: [{expect: [" + unknown + "]}]",
		"MatchParts":      "kind: Suite\ncases: [{expect: {message: " + unknown + "}}]",
		"DeniedBy":        "kind: Suite\ncases: [{expect: {deniedBy: " + unknown + "}}]",
		"ObjectParts":     "kind: Suite\ncases: [{expect: {object: " + unknown + "}}]",
		"PatchExpect":     "kind: Suite\ncases: [{expect: {object: {patch: [" + unknown + "]}}}]",
		"TraceExpect":     "kind: Suite\ncases: [{expect: {trace: " + unknown + "}}]",
		"StateExpect":     "kind: Suite\ncases: [{expect: {state: " + unknown + "}}]",
		"HTTP":            "kind: Backends\nbackends: [{mock: [{http: " + unknown + "}]}]",
	} {
		text := "apiVersion: " + manifest.APIVersion + "\n" + form + "\n"
		var err error
		if strings.HasPrefix(form, "kind: Suite") {
			_, err = LoadSuites("admsim.yaml", manifest.Options{FS: fstest.MapFS{"admsim.yaml": {Data: []byte(text)}}})
		} else {
			found, loading := load([]byte(text))
			if loading != nil {
				t.Fatal(loading)
			}
			_, err = Sort(found, manifest.Options{})
		}
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

// The examples in docs/suite.md can be loaded.
func TestSuiteDocument(t *testing.T) {
	text, err := os.ReadFile("../../docs/suite.md")
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindAllSubmatch(text, -1)
	if len(blocks) < 2 {
		t.Fatalf("%d examples, want all", len(blocks))
	}
	object := []byte("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n")
	for _, block := range blocks {
		files := fstest.MapFS{"admsim.yaml": {Data: block[1]}, "new.yaml": {Data: object}, "world/a.yaml": {Data: object}}
		if _, err := LoadSuites("admsim.yaml", manifest.Options{FS: files}); err != nil {
			t.Errorf("loading:\n%s%v", block[1], err)
		}
	}
}
