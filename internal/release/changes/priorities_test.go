package changes

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPriorities(t *testing.T) {
	for name, source := range map[string]string{
		"since 1.31": `map[schema.GroupVersion]APIServicePriority{
			{Group: "", Version: "v1"}: {Group: 18000, Version: 1},
			{Group: "apps", Version: "v1"}: {Group: 17800, Version: 15}, // a comment
		}`,
		"up to 1.30": `map[schema.GroupVersion]priority{
			{Group: "", Version: "v1"}: {group: 18000, version: 1},
			{Group: "apps", Version: "v1"}: {group: 17800, version: 15},
		}`,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "aggregator.go", "package app\nvar priorities = "+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		readPriorities(file, got)
		if diff := cmp.Diff(map[string]string{"v1": "18000,1", "apps/v1": "17800,15"}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestNextPriorities(t *testing.T) {
	const table = `# head
apps/v1 10:17800,15
batch/v1beta1 10:17400,9
policy/v1beta1 10:17100,9 25:gone
settings.k8s.io/v1alpha1 10:16900,9
v1 10:18000,1
`
	const want = `# head
apps/v1 10:17800,15
batch/v1beta1 10:17400,9 38:17400,5
new/v1 38:15000,9
policy/v1beta1 10:17100,9 25:gone 38:17100,9
settings.k8s.io/v1alpha1 10:16900,9 38:gone
v1 10:18000,1
`
	priorities := map[string]string{"v1": "18000,1", "apps/v1": "17800,15", "batch/v1beta1": "17400,5", "policy/v1beta1": "17100,9", "new/v1": "15000,9"}
	got := NextPriorities(table, "1.38.0", priorities)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if again := NextPriorities(got, "1.38.0", priorities); again != got {
		t.Errorf("a second time:\n%s", again)
	}
}
