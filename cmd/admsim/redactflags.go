package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/pkg/redact"
)

// redactFlags say what is taken out of what is written.
type redactFlags struct {
	off   bool
	paths []string
}

func (f *redactFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.off, "no-redact", false, "write secrets too")
	c.Flags().StringArrayVar(&f.paths, "redact-path", nil, "`PATH` of further secrets, such as 'Pod:spec.containers[*].env[*].value'; repeatable")
	c.MarkFlagsMutuallyExclusive("no-redact", "redact-path")
}

// redactor is nil where nothing is to be taken out.
func (f *redactFlags) redactor() (*redact.Redactor, error) {
	if f.off {
		return nil, nil
	}
	r, err := redact.New(f.paths...)
	if err != nil {
		return nil, fmt.Errorf("--redact-path: %w", err)
	}
	return r, nil
}
