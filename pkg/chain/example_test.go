package chain_test

import (
	"context"
	"fmt"
	"log"

	admissionv1 "k8s.io/api/admission/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/admsim/admsim/pkg/admission"
	"github.com/admsim/admsim/pkg/chain"
	"github.com/admsim/admsim/pkg/cluster"
	"github.com/admsim/admsim/pkg/trace"
)

// labels adds a label to every ConfigMap.
type labels struct{}

func (labels) Mutate(_ context.Context, _ *cluster.State, req admission.Request, _ *trace.Step) (trace.Step, error) {
	labelled := req.Object.DeepCopyObject().(*corev1.ConfigMap)
	metav1.SetMetaDataLabel(&labelled.ObjectMeta, "owner", "shop")
	return trace.Step{Outcome: trace.Changed, Before: req.Object, After: labelled}, nil
}

// frozen denies everything.
type frozen struct{}

func (frozen) Validate(_ context.Context, _ *cluster.State, req admission.Request) (trace.Step, error) {
	return trace.Step{Outcome: trace.Denied, Denial: admission.Forbidden(req, "changes are frozen")}, nil
}

// Each phase of a request continues where the one before it ended.
func Example() {
	c := chain.New(
		chain.Plugin{Name: "Labels", Operations: []admissionv1.Operation{admissionv1.Create}, Mutator: labels{}},
		chain.Plugin{Name: "Frozen", Validator: frozen{}},
	)
	req := admission.Request{
		Operation: admissionv1.Create,
		Resource:  schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		Name:      "settings",
		Object:    &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "settings"}},
	}
	mutated, err := c.Mutate(context.Background(), cluster.New(), req)
	if err != nil {
		log.Fatal(err)
	}
	validated, err := c.Validate(context.Background(), mutated.State, mutated.Request, mutated.Steps)
	if err != nil {
		log.Fatal(err)
	}
	for _, step := range validated.Steps {
		fmt.Println(step.Phase, step.Plugin, step.Outcome)
	}
	fmt.Println(validated.Denial.Message)
	// Output:
	// mutating Labels changed
	// validating Frozen denied
	// configmaps "settings" is forbidden: changes are frozen
}
