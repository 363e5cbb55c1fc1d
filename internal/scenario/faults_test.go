package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/admsim/admsim/internal/manifest"

	"github.com/admsim/admsim/internal/golden"
)

// The documents of kind Faults of each archive are read. The golden text lists the faults, then the errors.
func TestFaults(t *testing.T) {
	golden.Folders(t, "testdata/faults/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		var b strings.Builder
		found, err := manifest.Load([]string{"."}, manifest.Options{FS: files})
		if err != nil {
			t.Fatal(err)
		}
		bag, err := Sort(found, manifest.Options{FS: files})
		for _, r := range bag.Faults {
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatal(err)
			}
			fmt.Fprintf(&b, "%s\n", text)
		}
		if err != nil {
			fmt.Fprintln(&b, err)
		}
		return b.String()
	})
}
