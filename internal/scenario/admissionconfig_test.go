package scenario

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/internal/golden"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The file admission.yaml of each archive is read, for the plugins that the file plugins lists. The golden text shows
// the configuration of each plugin, then the errors.
func TestAdmissionConfiguration(t *testing.T) {
	golden.Folders(t, "testdata/admissionconfig/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		plugins, err := fs.ReadFile(files, "plugins")
		if err != nil {
			t.Fatal(err)
		}
		got, err := LoadAdmissionConfiguration("etc/admission.yaml", strings.Fields(string(plugins)), kubeversion.Default(), manifest.Options{FS: files})
		var b strings.Builder
		if got != nil {
			for _, name := range slices.Sorted(maps.Keys(got.Parts)) {
				fmt.Fprintf(&b, "%s %s\n", name, got.Parts[name])
			}
			for _, name := range slices.Sorted(maps.Keys(got.Manifests)) {
				for _, m := range got.Manifests[name] {
					fmt.Fprintf(&b, "%s %s: %s, %s\n", name, m.File, m.Manifest, m.Source)
				}
			}
			for _, w := range got.Warnings {
				fmt.Fprintf(&b, "warning: %v\n", w)
			}
		}
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
		}
		return b.String()
	})
}
