package plugins

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/admsim/admsim/pkg/trace"
)

// skip is the step of a plugin that has nothing to say.
func skip(step trace.Step, because string) trace.Step {
	step.Outcome, step.Because = trace.Skipped, because
	return step
}

// deny is the step of a plugin that refuses the request.
func deny(step trace.Step, because string, status *metav1.Status) trace.Step {
	step.Outcome, step.Because, step.Denial = trace.Denied, because, status
	return step
}
