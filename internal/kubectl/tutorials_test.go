package kubectl

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/admsim/admsim/internal/tutorial"
)

// The output in tutorials that use kubectl is correct. cmd/admsim tests the other tutorials.
func TestTutorials(t *testing.T) {
	programs := t.TempDir()
	build := exec.Command("go", "build", "-ldflags=-w", "-o", programs, "./cmd/admsim")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	t.Setenv("PATH", programs+string(os.PathListSeparator)+os.Getenv("PATH")) // PATH has kubectl: TestMain
	for _, name := range []string{"replay.md", "serve.md"} {
		t.Run(name, func(t *testing.T) {
			tutorial.Follow(t, filepath.Join("..", "..", "docs", "tutorials", name), "KUBECONFIG=", "HOME="+t.TempDir(), "NO_COLOR=1")
		})
	}
}
