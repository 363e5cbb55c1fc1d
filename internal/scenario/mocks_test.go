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

// The documents of kind Backends of each archive are read. The golden text lists the backends, then the errors.
func TestMocks(t *testing.T) {
	golden.Folders(t, "testdata/mocks/*.txtar", func(t *testing.T, files fstest.MapFS) string {
		var b strings.Builder
		found, err := manifest.Load([]string{"."}, manifest.Options{FS: files})
		if err != nil {
			t.Fatal(err)
		}
		bag, err := Sort(found, manifest.Options{FS: files})
		for _, m := range bag.Backends.List {
			fmt.Fprintf(&b, "%s %s\n", m.Source, m.Webhook)
			for _, a := range m.Answers {
				text, err := json.Marshal(a.Answer)
				if err != nil {
					t.Fatal(err)
				}
				fmt.Fprintf(&b, "  %s %s\n", a.Source, text)
			}
		}
		if err != nil {
			fmt.Fprintln(&b, err)
			return b.String()
		}
		return b.String()
	})
}
