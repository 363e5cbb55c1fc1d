package architecture

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// A package that sees the type of a field also compiles the methods of generic types in it, even if it uses none of
// them. At one time, four of five functions that the compiler worked on were such copies. So generic types of
// dependencies are kept behind interfaces, and out of the signatures of methods: docs/design.md says why.
//
// This package has hardly any functions of its own, and sees the simulator with all that is in it.
func TestCompiledAgain(t *testing.T) {
	const looking, most = module + "internal/whatif/healing", 150
	object, err := exec.Command("go", "list", "-export", "-f", "{{.Export}}", looking).Output()
	if err != nil {
		t.Fatal("go list -export: ", err)
	}
	symbols, err := exec.Command("go", "tool", "nm", strings.TrimSpace(string(object))).Output()
	if err != nil {
		t.Fatal("go tool nm: ", err)
	}
	of := map[string]int{}
	n := 0
	for _, f := range regexp.MustCompile(`(?m) T (?:type:\.\w+\.)?([^\s\[]+)`).FindAllStringSubmatch(string(symbols), -1) {
		if !strings.HasPrefix(f[1], looking+".") {
			of[f[1]]++
			n++
		}
	}
	if n == 0 || n > most {
		t.Errorf("%s compiles %d functions of other packages, want at most %d:", looking, n, most)
		for name, functions := range of {
			if functions >= 10 {
				t.Logf("%4d %s", functions, name)
			}
		}
	}
}
