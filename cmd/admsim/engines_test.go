package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
)

var engines = flag.String("engines", "", "folder with the programs of the policy engines, gatekeeper and kyverno, and their manifests, gatekeeper.yaml and kyverno.yaml")

// policyEngines have examples that need the program of the engine.
var policyEngines = []string{"gatekeeper", "kyverno"}

// The commands in the README of a policy engine's example do what it says, with the real program of the engine.
func TestEngines(t *testing.T) {
	if *engines == "" {
		t.Skip("it needs the programs of policy engines: make engines ENGINES=FOLDER")
	}
	folder, err := filepath.Abs(*engines)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	for _, name := range policyEngines {
		t.Run(name, func(t *testing.T) {
			checkout := t.TempDir()
			example := filepath.Join(checkout, "examples", name)
			if err := os.CopyFS(example, os.DirFS("../../examples/"+name)); err != nil {
				t.Fatal(err)
			}
			installs, err := os.ReadFile(filepath.Join(folder, name+".yaml"))
			if err == nil {
				err = os.WriteFile(filepath.Join(example, "world", name+".yaml"), installs, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
			readme, err := os.ReadFile(filepath.Join(example, "README.md"))
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(checkout)
			if ran := runAll(t, string(readme)); ran < 4 {
				t.Errorf("only %d commands in it were run", ran)
			}
		})
	}
}
