package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/admsim/admsim/internal/tutorial"
)

// A tutorial shows what its commands print. The one about admsim serve needs kubectl: internal/kubectl tests it.
func TestTutorials(t *testing.T) {
	pages, err := filepath.Glob("../../docs/tutorials/*.md")
	if err != nil || len(pages) < 4 {
		t.Fatalf("found %d tutorials, %v", len(pages), err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); name != "serve.md" {
			t.Run(name, func(t *testing.T) {
				git := filepath.Join(t.TempDir(), "gitconfig")
				if err := os.WriteFile(git, []byte("[user]\nname = a reader\nemail = reader@example.com\n[init]\ndefaultBranch = main\n"), 0o644); err != nil {
					t.Fatal(err)
				}
				tutorial.Follow(t, page, "GIT_CONFIG_GLOBAL="+git, "GIT_CONFIG_NOSYSTEM=1", "CI=", "GITHUB_ACTIONS=", "NO_COLOR=1")
			})
		}
	}
}
