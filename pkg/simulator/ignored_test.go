package simulator_test

import (
	"context"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
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
				because = strings.Join(step.Did().Dropped, "; ")
			}
		}
		if because != test.because || len(result.Warnings) != test.warnings {
			t.Errorf("in %s, the step says %q with %d warnings, want %q with %d",
				test.release, because, len(result.Warnings), test.because, test.warnings)
		}
	}
}

// The same holds for a patch.
func TestIgnoredFieldsOfPatch(t *testing.T) {
	for _, test := range []struct{ release, patchType, body, because string }{
		{"1.24", rest.MergePatch, `{"metadata":{"labels":{"a":"b"}},"foo":1}`, `unknown field "foo": ignored by a server of 1.24, refused by its kubectl`},
		{"1.24", rest.StrategicPatch, `{"metadata":{"labels":{"a":"b"}},"spec":{"foo":1}}`, `unknown field "spec.foo": ignored by a server of 1.24, refused by its kubectl`},
		{"1.22", rest.JSONPatch, `[{"op":"add","path":"/foo","value":1}]`, `unknown field "foo": ignored by a server of 1.22, refused by its kubectl`},
		{"1.24", rest.MergePatch, `{"metadata":{"labels":{"a":"b"}}}`, ""},
		{"1.25", rest.MergePatch, `{"metadata":{"labels":{"a":"b"}},"foo":1}`, ""},
	} {
		release, err := kubeversion.Parse(test.release)
		if err != nil {
			t.Fatal(err)
		}
		sim, err := simulator.New(simulator.Options{Release: release, State: simulator.BootstrapOf(release)})
		if err != nil {
			t.Fatal(err)
		}
		result, err := sim.Do(context.Background(), rest.Request{
			Verb: rest.Patch, Resource: corev1.SchemeGroupVersion.WithResource("namespaces"), Name: "default", PatchType: test.patchType,
			Body: []byte(test.body), User: authenticationv1.UserInfo{Username: "ann"},
		})
		if err != nil {
			t.Fatal(err)
		}
		because := "no step"
		for _, step := range result.Admissions[0].Steps {
			if step.Plugin == "update" {
				because = strings.Join(step.Did().Dropped, "; ")
			}
		}
		if warned := test.release == "1.25"; because != test.because || len(result.Warnings) > 0 != warned {
			t.Errorf("%s in %s: the step says %q, warnings %v; want %q", test.body, test.release, because, result.Warnings, test.because)
		}
	}
}
