package render

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/admsim/admsim/internal/manifest"
)

// Without helm, the error says what to do.
func TestNoHelm(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "Chart.yaml"), []byte("name: shop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err := manifest.Load([]string{folder}, manifest.Options{Builders: []manifest.Builder{Helm{}}})
	var placed *manifest.Error
	if !errors.As(err, &placed) || placed.Message != "this is a Helm chart, and helm is not on the PATH" ||
		placed.Hint != "install helm, or load its output: helm template --include-crds "+folder+" > FILE" || placed.File != filepath.ToSlash(folder)+"/Chart.yaml" {
		t.Errorf("Load = %v, want that helm is not on the PATH", err)
	}
}
