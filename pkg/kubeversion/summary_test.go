package kubeversion

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/admsim/admsim/internal/golden"
)

// Each release in full, as computed from the differences: the chain (with a star for plugins that are on), the served
// resources, features and gates. This shows the effect that changing one file has on earlier releases.
func TestSummaries(t *testing.T) {
	for _, known := range releases {
		golden.File(t, filepath.Join("testdata", known.version+".txt"), summary(known.release()))
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
