package scenario

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/admsim/admsim/pkg/expression"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// The documents of kind Mocks of each archive are read and made ready; what they say is
// listed, then what is wrong with them.
func TestMocks(t *testing.T) {
	testFiles(t, "testdata/mocks/*.txtar", func(t *testing.T, files fs.FS) string {
		var b strings.Builder
		found, err := Load([]string{"."}, Options{FS: files})
		if err != nil {
			t.Fatal(err)
		}
		bag, err := Sort(found, Options{FS: files})
		for _, m := range bag.Mocks {
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
		if _, err := NewBackends(bag.Mocks, expression.New(kubeversion.Default())); err != nil {
			fmt.Fprintf(&b, "not ready:\n%v\n", err)
		}
		return b.String()
	})
}
