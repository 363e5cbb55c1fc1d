package discovery_test

import (
	"fmt"
	"log"

	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/discovery"
	"github.com/admsim/admsim/pkg/kubeversion"
)

// Find accepts the names that kubectl accepts.
func ExampleResources_Find() {
	release, err := kubeversion.Parse("1.36")
	if err != nil {
		log.Fatal(err)
	}
	resources := discovery.New(release, cluster.New())
	for _, words := range []string{"po", "deploy/scale", "ingresses.networking", "Podd"} {
		r, subresource, err := resources.Find(words)
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Printf("%s %q\n", r.GroupResource(), subresource)
	}
	// Output:
	// pods ""
	// deployments.apps "scale"
	// ingresses.networking.k8s.io ""
	// Kubernetes 1.36 and the cluster's CRDs have no resource "Podd"; did you mean "pods"?
}
