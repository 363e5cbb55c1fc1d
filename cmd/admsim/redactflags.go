package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/admsim/admsim/internal/redact"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// redactFlags are the flags that say what is redacted in the output.
type redactFlags struct {
	off   bool
	paths []string
}

func (f *redactFlags) add(c *cobra.Command) {
	c.Flags().BoolVar(&f.off, "no-redact", false, "do not redact secrets")
	c.Flags().StringArrayVar(&f.paths, "redact-path", nil, "`PATH` of additional secrets, such as 'Pod:spec.containers[*].env[*].value'; repeatable")
	c.MarkFlagsMutuallyExclusive("no-redact", "redact-path")
}

// redactor returns nil if nothing is to be redacted.
func (f *redactFlags) redactor() (*redact.Redactor, error) {
	if f.off {
		return nil, nil
	}
	r, err := redact.New(f.paths...)
	if err != nil {
		return nil, fmt.Errorf("--redact-path: %w", err)
	}
	for _, text := range f.paths {
		path, _ := redact.ParsePath(text)
		if kind := kindMeant(path.Kind()); kind != "" {
			return nil, hinted(fmt.Errorf("--redact-path %s: there is no kind %q", text, path.Kind()), fmt.Sprintf("did you mean %q?", kind))
		}
	}
	return r, nil
}

// kindMeant returns the built-in kind that name is another form of, such as configmap or Pods: a path that matches
// nothing would redact nothing. Any other name may be the kind of a custom resource.
func kindMeant(name string) string {
	for _, r := range kubeversion.Default().Resources {
		if name != r.Kind && (strings.EqualFold(name, r.Kind) || strings.EqualFold(name, r.Resource)) {
			return r.Kind
		}
	}
	return ""
}
