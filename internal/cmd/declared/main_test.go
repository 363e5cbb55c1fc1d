package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The table matches the version in go.mod: make declared.
func TestTable(t *testing.T) {
	dir, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/api").Output()
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	if err := write(&got, strings.TrimSpace(string(dir))); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../objects/declared/table.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("table.txt is not what the types declare (-is +should be); make declared:\n%s", diff)
	}
}
