package trace_test

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/trace"
)

// A step and its hooks say what happened, and why.
func ExampleStep_Decider() {
	denial := &metav1.Status{Code: 403, Message: "no label owner"}
	step := trace.Step{
		Phase: trace.Validating, Plugin: "ValidatingAdmissionWebhook", Outcome: trace.Denied, Denial: denial,
		Hooks: []trace.Hook{
			{Name: "images.shop.example", Outcome: trace.Skipped, Decided: trace.Criterion{Part: trace.Rules, Rule: trace.NoRule}, Because: "rules: none has pods"},
			{Name: "labels.shop.example", Outcome: trace.Denied, Decided: trace.Criterion{Part: trace.Rules, Rule: 1}, Denial: denial},
		},
	}
	for _, h := range step.Hooks {
		fmt.Println(h.Name, h.Outcome, "by", h.Decided)
	}
	fmt.Println(step.Decider().Name, step.Outcome.Ends())
	// Output:
	// images.shop.example skipped by rules
	// labels.shop.example denied by rules[1]
	// labels.shop.example true
}
