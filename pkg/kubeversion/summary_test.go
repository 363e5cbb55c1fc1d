package kubeversion

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the summaries in testdata")

// Each release in full, as it came out of the differences: the chain (a star where a plugin is
// on), what is served, features and gates. A change of a file shows here what it means for
// those before it.
func TestSummaries(t *testing.T) {
	for _, known := range releases {
		path := filepath.Join("testdata", known.version+".txt")
		got := summary(known.release())
		if *update {
			if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(got, "\n")); diff != "" {
			t.Errorf("%s differs from %s (-want +got):\n%s", known.version, path, diff)
		}
	}
}

func summary(r *Release) string {
	b := &strings.Builder{}
	b.WriteString("plugins\n")
	for _, p := range r.Plugins {
		on := " "
		if p.Default {
			on = "*"
		}
		fmt.Fprintf(b, "  %s %s\n", on, p.Name)
	}
	b.WriteString("resources\n")
	group := ""
	for _, resource := range r.Resources {
		if gv := resource.GroupVersion().String(); gv != group {
			group = gv
			fmt.Fprintf(b, "  %s\n", gv)
		}
		fmt.Fprintf(b, "    %s\n", resource.Resource)
	}
	for _, part := range []struct {
		name  string
		items []string
	}{{"features", r.has()}, {"gates on", r.gatesOn()}} {
		b.WriteString(part.name + "\n")
		for _, item := range part.items {
			fmt.Fprintf(b, "  %s\n", item)
		}
	}
	return b.String()
}
