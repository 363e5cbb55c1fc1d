package scenario

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
)

// The file admission.yaml of each archive is read, for the plugins that the file plugins
// lists; what each of them gets is shown, then what is wrong.
func TestAdmissionConfiguration(t *testing.T) {
	testFiles(t, "testdata/admissionconfig/*.txtar", func(t *testing.T, files fs.FS) string {
		plugins, err := fs.ReadFile(files, "plugins")
		if err != nil {
			t.Fatal(err)
		}
		got, err := LoadAdmissionConfiguration("etc/admission.yaml", strings.Fields(string(plugins)), Options{FS: files})
		var b strings.Builder
		for _, name := range slices.Sorted(maps.Keys(got)) {
			fmt.Fprintf(&b, "%s %s\n", name, got[name])
		}
		if err != nil {
			fmt.Fprintf(&b, "%v\n", err)
		}
		return b.String()
	})
}
