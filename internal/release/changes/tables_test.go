package changes

import (
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// A release adds only its changes to the row of a gate.
func TestNextGates(t *testing.T) {
	const table = `# A comment.
Gone 20:alpha,off 30:gone
Grows 30:alpha,off 36:beta,on 36:needs,Same
Leaves 36:deprecated,off
Library 36:beta,on
Same 30:GA,on,locked
`
	const want = `# A comment.
Gone 20:alpha,off 30:gone
Grows 30:alpha,off 36:beta,on 36:needs,Same 38:GA,on,locked 38:needs
later 38:alpha,off 38:needs,Grows,Same
Leaves 36:deprecated,off 38:gone
Library 36:beta,on
Same 30:GA,on,locked
`
	before := map[string]Gate{"Grows": {Stage: "Beta", On: true}, "Leaves": {Stage: "Deprecated"}, "Same": {"GA", true, true}}
	gates := map[string]Gate{"Grows": {"GA", true, true}, "later": {Stage: "Alpha"}, "Same": {"GA", true, true}}
	needs := map[string][]string{"later": {"Grows", "Same"}}
	got := NextGates(table, "1.38.0", before, gates, needs)
	if got != want {
		t.Errorf("NextGates:\n%s\nwant\n%s", got, want)
	}
	if again := NextGates(got, "1.38.0", before, gates, needs); again != got {
		t.Errorf("a second run changes something:\n%s", again)
	}
}

func TestReadNeeds(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "features.go", `package features

const Grows featuregate.Feature = "grows"

var dependencies = map[featuregate.Feature][]featuregate.Feature{
	Alone: {},
	Later: {featuregate.Feature(clientfeatures.Zeta), Grows, genericfeatures.Other},
}
`, 0)
	if err != nil {
		t.Fatal(err)
	}
	names, got := map[string]string{}, map[string][]string{}
	gateNames(file, names)
	readNeeds(file, names, got)
	if want := []string{"grows", "Other", "Zeta"}; len(got) != 1 || !slices.Equal(got["Later"], want) {
		t.Errorf("readNeeds: %q, want %q of Later", got, want)
	}
}

// A new resource starts a row, and a removed one ends its row.
func TestNextServed(t *testing.T) {
	const table = `# A comment.
apps/v1/deployments 1.15-
apps/v1/deployments/scale 1.15-
apps/v1beta1/deployments 1.15
batch/v1alpha1/jobs 1.37-
v1/pods 1.15-
`
	const want = `# A comment.
apps/v1/deployments 1.15-
apps/v1/deployments/scale 1.15-1.37
apps/v1beta1/deployments 1.15
batch/v1/jobs/status 1.38-
batch/v1alpha1/jobs 1.37
v1/pods 1.15-
`
	served := map[string]string{"apps/v1 deployments": "", "batch/v1 jobs/status": "", "v1 pods": ""}
	got, err := NextServed(table, "1.37.2", "1.38.0", served)
	if err != nil || got != want {
		t.Errorf("NextServed: %v\n%s\nwant\n%s", err, got, want)
	}
	if again, err := NextServed(got, "1.37.2", "1.38.0", served); err != nil || again != got {
		t.Errorf("a second run changes something: %v\n%s", err, again)
	}
	served["apps/v1beta1 deployments"] = ""
	if _, err := NextServed(table, "1.37.2", "1.38.0", served); err == nil {
		t.Error("no error for a resource that is served again")
	}
}

// A new field of an existing type becomes a row. The fields of new types do not, nor those of types outside k8s.io/api.
func TestNextFields(t *testing.T) {
	before := map[string]string{"io.k8s.api.core.v1.Pod": "a type", "io.k8s.api.core.v1.Pod spec": "PodSpec", "io.k8s.apimachinery.X": "a type"}
	after := map[string]string{
		"io.k8s.api.core.v1.Pod": "a type", "io.k8s.api.core.v1.Pod spec": "PodSpec", "io.k8s.api.core.v1.Pod more": "string",
		"io.k8s.api.core.v1.New": "a type", "io.k8s.api.core.v1.New name": "string", "io.k8s.apimachinery.X": "a type", "io.k8s.apimachinery.X y": "string",
	}
	const table = "# head\nio.k8s.api.core.v1.Z a 12\n"
	want := "# head\nio.k8s.api.core.v1.Pod more 38\nio.k8s.api.core.v1.Z a 12\n"
	if got := NextFields(table, "1.38.0", before, after); got != want {
		t.Errorf("NextFields = %s, want %s", got, want)
	}
	if got := NextFields(want, "1.38.0", before, after); got != want {
		t.Errorf("applied again: NextFields = %s, want %s", got, want)
	}
}
