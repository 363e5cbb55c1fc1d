package rest_test

import (
	"context"
	"fmt"
	"log"
	"net/url"

	corev1 "k8s.io/api/core/v1"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/rest"
	"github.com/admsim/admsim/pkg/simulator"
)

// ExampleRequest sends a server-side apply as a client would. The Server that answers is usually that of a simulator.
func ExampleRequest() {
	sim, err := simulator.New(simulator.Options{State: simulator.Bootstrap()})
	if err != nil {
		log.Fatal(err)
	}
	result, err := sim.Do(context.Background(), rest.Request{
		Verb:      rest.Patch,
		PatchType: rest.ApplyPatch,
		Resource:  corev1.SchemeGroupVersion.WithResource("configmaps"),
		Namespace: "default",
		Name:      "settings",
		Query:     url.Values{"fieldManager": {"deployer"}},
		User:      admission.Administrator(),
		Body:      []byte(`{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"workers": "4"}}`),
	})
	if err != nil {
		log.Fatal(err)
	}
	applied := result.Object.(*corev1.ConfigMap)
	fmt.Println(result.Code, applied.ManagedFields[0].Manager, applied.Data)
	// Output:
	// 201 deployer map[workers:4]
}
