package catalog_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/admsim/admsim/internal/catalog"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Servers list their health checks in this order.
func TestChecks(t *testing.T) {
	recorded, err := txtar.ParseFile("testdata/checks.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range recorded.Files {
		version, endpoint, _ := strings.Cut(file.Name, " ")
		release, err := kubeversion.Parse(version[:strings.LastIndex(version, ".")])
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, check := range catalog.Checks(release, endpoint) {
			if check.Listed {
				got = append(got, check.Name)
			}
		}
		if diff := cmp.Diff(strings.Fields(string(file.Data)), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", file.Name, diff)
		}
	}
}
