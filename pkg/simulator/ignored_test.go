package simulator_test

import (
	"testing"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/simulator"
)

// A server that validates no fields ignores unknown and duplicate ones. The trace names them, the client is not warned.
func TestIgnoredFields(t *testing.T) {
	const object = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"c","namespace":"default"},"foo":1,"data":{"a":"1","a":"2"}}`
	for _, test := range []struct {
		release, because string
		warnings         int
	}{
		{"1.24", `unknown field "foo": ignored by a server of 1.24, refused by its kubectl; duplicate field "data.a": ignored by a server of 1.24`, 0},
		{"1.25", "", 2},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		sim, err := simulator.New(simulator.Options{Release: release, State: simulator.BootstrapOf(release)})
		if err != nil {
			t.Fatal(err)
		}
		result := do(t, sim, "configmaps", "default", object)
		because := "no step"
		for _, step := range result.Admissions[0].Steps {
			if step.Plugin == "create" {
				because = step.Because
			}
		}
		if because != test.because || len(result.Warnings) != test.warnings {
			t.Errorf("in %s, the step says %q with %d warnings, want %q with %d",
				test.release, because, len(result.Warnings), test.because, test.warnings)
		}
	}
}
