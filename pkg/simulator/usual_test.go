package simulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/admsim/admsim/pkg/kubeversion"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// What everybody creates can be created in every release, in every version in which the release serves it, and an update
// that changes nothing is accepted.
func TestUsualObjects(t *testing.T) {
	if testing.Short() {
		t.Skip("one goroutine does everything")
	}
	text, err := os.ReadFile("testdata/usual.yaml")
	if err != nil {
		t.Fatal(err)
	}
	documents := strings.Split(string(text), "\n---\n")
	unserved := map[string]bool{}
	for _, document := range documents {
		unserved[document] = true
	}
	for minor := 10; ; minor++ {
		release, err := kubeversion.Parse(fmt.Sprintf("1.%d", minor))
		if err != nil {
			break
		}
		sim, err := simulator.New(simulator.Options{Release: release, State: simulator.AssumeControllers(simulator.Bootstrap())})
		if err != nil {
			t.Fatal(err)
		}
		for _, document := range documents {
			body, err := yaml.YAMLToJSONStrict([]byte(document))
			if err != nil {
				t.Fatal(err)
			}
			var object struct {
				APIVersion, Kind string
				Metadata         struct{ Name, Namespace string }
			}
			if err := json.Unmarshal(body, &object); err != nil {
				t.Fatal(err)
			}
			resource, ok := release.ForKind(schema.FromAPIVersionAndKind(object.APIVersion, object.Kind))
			if !ok {
				continue
			}
			delete(unserved, document)
			req := rest.Request{Verb: rest.Create, Resource: resource.GroupVersionResource(), Namespace: object.Metadata.Namespace, Body: body}
			created, err := sim.Do(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			if !created.Allowed() {
				t.Errorf("1.%d: create %s %s: %s", minor, object.APIVersion, object.Kind, created.Status().Message)
				continue
			}
			if req.Body, err = json.Marshal(created.Object); err != nil {
				t.Fatal(err)
			}
			req.Verb, req.Name = rest.Update, object.Metadata.Name
			updated, err := created.Next.Do(context.Background(), req)
			if err != nil {
				t.Fatal(err)
			}
			if !updated.Allowed() {
				t.Errorf("1.%d: update %s %s: %s", minor, object.APIVersion, object.Kind, updated.Status().Message)
			}
		}
	}
	for document := range unserved {
		t.Errorf("no release serves\n%s", document)
	}
}
