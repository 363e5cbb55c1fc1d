package changes

import (
	"os"
	"path/filepath"
	"testing"
)

// Comments and rules name files and folders of Kubernetes; comments in tests do not count.
func TestCitations(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"docs/rules/chain.md":        "Source: `kubernetes/apiserver:pkg/admission/chain.go`.\n",
		"cmd/a/a.go":                 "package a\n",
		"pkg/chain/chain.go":         "package chain\n\n// One round: kubernetes/apiserver:pkg/admission/reinvocation.go.\n",
		"pkg/rest/rest.go":           "package rest\n\n// As kubernetes/apiserver:pkg/admission/reinvocation.go and kubernetes/kubernetes:pkg/registry/apps/ do.\n",
		"pkg/rest/rest_test.go":      "package rest\n\n// kubernetes/kubernetes:pkg/never.go\n",
		"internal/release/a/area.go": "package a\n\n// kubernetes/kubernetes:pkg/never.go\n",
	} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := citations(root)
	if err != nil {
		t.Fatal(err)
	}
	reinvocation, folder := got[[2]string{"apiserver", "pkg/admission/reinvocation.go"}], got[[2]string{"kubernetes", "pkg/registry/apps"}]
	chain := got[[2]string{"apiserver", "pkg/admission/chain.go"}]
	if len(got) != 3 || !chain["docs/rules/chain.md"] || !reinvocation["pkg/chain/chain.go"] || !reinvocation["pkg/rest/rest.go"] || !folder["pkg/rest/rest.go"] {
		t.Errorf("citations are %v", got)
	}
}
