package simulator_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/dispatch"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

const ownerWebhook = `{
	"apiVersion": "admissionregistration.k8s.io/v1",
	"kind": "MutatingWebhookConfiguration",
	"metadata": {"name": "shop"},
	"webhooks": [{
		"name": "owner.shop.example",
		"clientConfig": {"url": "https://owner.shop.example/"},
		"rules": [{"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["configmaps"]}],
		"sideEffects": "None",
		"admissionReviewVersions": ["v1"]
	}]
}`

const settings = `{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"workers": "4"}}`

// A webhook labels new objects. It is a mock, so nothing is called.
func Example() {
	owner, err := dispatch.NewMock(nil, dispatch.Answer{
		Merge: json.RawMessage(`{"metadata": {"labels": {"owner": "shop"}}}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	sim, err := simulator.New(simulator.Options{
		State:    simulator.Bootstrap(),
		Backends: func(configuration, webhook string) dispatch.Backend { return owner },
	})
	if err != nil {
		log.Fatal(err)
	}

	var result *simulator.Result
	for _, request := range []rest.Request{
		{Verb: rest.Create, Body: []byte(ownerWebhook), Resource: schema.GroupVersionResource{
			Group: "admissionregistration.k8s.io", Version: "v1", Resource: "mutatingwebhookconfigurations"}},
		{Verb: rest.Create, Body: []byte(settings), Namespace: "default", Resource: schema.GroupVersionResource{
			Version: "v1", Resource: "configmaps"}},
	} {
		if result, err = sim.Do(context.Background(), request); err != nil {
			log.Fatal(err)
		}
		sim = result.Next // the cluster after the request
	}

	fmt.Println(result.Code, result.Object.(*corev1.ConfigMap).Labels)
	for _, step := range result.Admissions[0].Steps {
		for _, hook := range step.Hooks {
			fmt.Printf("%s round %d: %s %s %s\n", step.Phase, step.Round, hook.Name, hook.Outcome, hook.Patch)
		}
	}
	// Output:
	// 201 map[owner:shop]
	// mutating round 0: owner.shop.example changed [{"op":"add","path":"/metadata/labels","value":{"owner":"shop"}}]
}
