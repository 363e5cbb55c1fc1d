package formats

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/output.md lists the same formats as the table, in the same order, each with the commands that support it.
func TestFormatsAreDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/output.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(text), "\n## Formats\n")
	section, _, _ = strings.Cut(section, "\n#")
	documented := map[Format][]string{}
	var order []Format
	for _, row := range regexp.MustCompile("(?m)^\\| \\[?`([a-z]+)`(?:\\]\\(#([a-z]+)\\))? \\| ([^|]*) \\|").FindAllStringSubmatch(section, -1) {
		name, anchor := Format(row[1]), row[2]
		if anchor != "" && !strings.Contains(string(text), "\n## "+anchor+"\n") {
			t.Errorf("%s is said to be described under #%s", name, anchor)
		}
		order = append(order, name)
		for _, command := range strings.Split(row[3], ", ") {
			documented[name] = append(documented[name], strings.Trim(command, "`"))
		}
	}
	var names []Format
	for _, f := range formats() {
		names = append(names, f.name)
		if !slices.Equal(documented[f.name], f.commands) {
			t.Errorf("docs/output.md says that the commands of %s are %q, want %q", f.name, documented[f.name], f.commands)
		}
	}
	if !slices.Equal(order, names) {
		t.Errorf("docs/output.md has the formats %q, there are %q", order, names)
	}
}

// A row has a writer for each of its commands, and none for others.
func TestFormatsHaveWriters(t *testing.T) {
	for _, f := range formats() {
		for command, has := range map[string]bool{
			"run":  f.results != nil,
			"test": f.suites != nil, "replay": f.replay != nil, "diff": f.diff != nil, "check": f.whatif != nil,
			"outage": f.whatif != nil && f.name != Markdown, // which has no outages
			"lint":   f.lint != nil, "lint --rules": f.rules != nil, "plugins": f.reference != nil, "versions": f.reference != nil, "version": f.reference != nil,
		} {
			if said := slices.Contains(f.commands, command); said && !has && f.document == nil || has && !said {
				t.Errorf("%s: of %s: %v, has a writer: %v", f.name, command, said, has)
			}
		}
	}
}

func TestParseFormat(t *testing.T) {
	if f, err := Parse("yaml", "run"); err != nil || f != YAML {
		t.Errorf("ParseFormat(yaml) = %v, %v", f, err)
	}
	if _, err := Parse("jsonline", "run"); err == nil || !strings.Contains(err.Error(), `did you mean "jsonl"?`) {
		t.Errorf("ParseFormat(jsonline) = %v", err)
	}
}
