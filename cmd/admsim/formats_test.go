package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/report/formats"
)

// Every command with formats has those that the table of package report lists for it, and its help names them.
func TestCommandsHaveFormats(t *testing.T) {
	found := 0
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		for _, one := range c.Commands() {
			visit(one)
		}
		flag := c.Flags().Lookup("output")
		if flag == nil || !strings.HasPrefix(flag.Usage, "output `FORMAT`") {
			return
		}
		found++
		name := c.Name()
		if name == "merge" {
			name = "replay"
		}
		all := formats.Of(name)
		if !slices.Contains(all, formats.Text) || !strings.Contains(flag.Usage, "("+strings.Join(formatNames(name), ", ")+")") {
			t.Errorf("admsim %s has the formats %q, its help says %s", name, all, flag.Usage)
		}
	}
	visit(newRoot(invocation{}, nil))
	if found < 13 {
		t.Errorf("%d commands have formats", found)
	}
}
