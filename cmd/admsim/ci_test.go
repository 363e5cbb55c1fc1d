package main

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// docs/ci.md shows the files of examples/ci, and describes each input of the action and of the component. Both use all
// of their inputs.
func TestCI(t *testing.T) {
	read := func(name string) string {
		t.Helper()
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	page := read("docs/ci.md")
	examples, err := filepath.Glob("../../examples/ci/*.yaml")
	if err != nil || len(examples) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, name := range examples {
		name = "examples/ci/" + filepath.Base(name)
		if !strings.Contains(page, "<!-- "+name+" -->\n```yaml\n"+read(name)+"```\n") {
			t.Errorf("docs/ci.md does not show %s as it is", name)
		}
	}

	var action struct {
		Inputs map[string]struct{ Description string }
	}
	if err := yaml.Unmarshal([]byte(read("action.yml")), &action); err != nil {
		t.Fatal(err)
	}
	_, steps, _ := strings.Cut(read("action.yml"), "\nruns:\n")
	checkInputs(t, "action.yml", slices.Sorted(maps.Keys(action.Inputs)), regexp.MustCompile(`inputs\.([a-z-]+)`), steps, page)
	script := read("deploy/github/run")
	for _, variable := range regexp.MustCompile(`(?m)^      ([A-Z_]+): \$\{\{ (?:inputs|github\.event)`).FindAllStringSubmatch(steps, -1) {
		if variable[1] != "GH_TOKEN" && !regexp.MustCompile(`\$\{?`+variable[1]+`\b`).MatchString(script) {
			t.Errorf("action.yml sets %s, which deploy/github/run does not use", variable[1])
		}
	}

	head, job, _ := strings.Cut(read("templates/check.yml"), "\n---\n")
	var component struct {
		Spec struct{ Inputs map[string]any }
	}
	if err := yaml.Unmarshal([]byte(head), &component); err != nil {
		t.Fatal(err)
	}
	checkInputs(t, "templates/check.yml", slices.Sorted(maps.Keys(component.Spec.Inputs)), regexp.MustCompile(`\$\[\[ inputs\.([a-z-]+) \]\]`), job, page)
}

// checkInputs reports inputs that are not used or not described, and inputs that are used but do not exist.
func checkInputs(t *testing.T, file string, inputs []string, use *regexp.Regexp, used, page string) {
	t.Helper()
	var found []string
	for _, one := range use.FindAllStringSubmatch(used, -1) {
		found = append(found, one[1])
	}
	slices.Sort(found)
	if found = slices.Compact(found); len(inputs) == 0 || !slices.Equal(found, inputs) {
		t.Errorf("%s has the inputs %s, and uses %s", file, inputs, found)
	}
	for _, name := range inputs {
		if !strings.Contains(page, "`"+name+"`") {
			t.Errorf("docs/ci.md does not describe %s of %s", name, file)
		}
	}
}
