package admission_test

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
)

// A plugin denies a request with the status that the API server would send.
func ExampleForbidden() {
	req := admission.Request{
		Resource:  schema.GroupVersionResource{Version: "v1", Resource: "pods"},
		Namespace: "shop",
		Name:      "web",
		User:      admission.Kubelet("node-1"),
	}
	status := admission.Forbidden(req, "the node may not create pods")
	fmt.Println(status.Code, status.Message)
	// Output:
	// 403 pods "web" is forbidden: the node may not create pods
}

// Warnings that are empty or repeated are not sent.
func ExampleWarnings() {
	var w admission.Warnings
	for _, text := range []string{"use apps/v1", "", "use apps/v1", "set a limit"} {
		w.Add(text)
	}
	fmt.Printf("%q\n", w.List())
	// Output:
	// ["use apps/v1" "set a limit"]
}
